"""The benchmark suite: what it makes of figures, and that it gets them."""
