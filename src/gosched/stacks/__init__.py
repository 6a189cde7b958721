"""What a goroutine runs on. `light` has stacks that can be set aside, on greenlet: nothing else in gosched knows it."""
