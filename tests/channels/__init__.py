"""Channels and select: Go's behaviours by name, misuse, deadlines, and who may meet on a channel."""
