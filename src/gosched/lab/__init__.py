"""Schedulers under glass: virtual time, and the interleaving explorer. Both run the scheduler's own code."""
