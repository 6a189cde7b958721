"""Prints the kind of stacks that is not the default on this interpreter."""

from gosched.stacks.light import advisable

print("thread" if advisable() else "greenlet")
