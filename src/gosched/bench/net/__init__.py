"""The network cases: a server of each runtime in the cell, and the load from a second process, which is the same for all (load.c)."""
