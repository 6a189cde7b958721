"""gosched top and schedtrace: the scheduler seen from outside."""
