"""Numbers that several modules share. Compiled modules copy them into C variables (`cdef int …` in their .pxd)."""

from __future__ import annotations

# A goroutine's state word. Who changes what: see g.py.
RUNNABLE, RUNNING, PARKING, PARKED, NOTIFIED, RETRY, DEAD = range(7)
STATE_NAMES = ("runnable", "running", "waiting", "waiting", "runnable", "runnable", "dead")

# A P's status.
P_IDLE, P_RUNNING, P_DEAD = 0, 1, 4
P_NAMES = {P_IDLE: "idle", P_RUNNING: "running", P_DEAD: "dead"}

# What find_runnable says when it has no goroutine.
PARK, POLL, EXIT = 1, 2, 3

# How one turn of a goroutine ended.
YIELDED, RETURNED, RAISED = 1, 0, -1

# The life of a scheduler: goroutines run; main is over and the others are being ended; threads leave.
ALIVE, ENDING, EXITING = 0, 1, 2

# Why a goroutine waits, in Go's words.
WAIT_REASONS = ("", "sync.WaitGroup.Wait")
W_NONE, W_WAITGROUP = range(len(WAIT_REASONS))

# Go's constants.
RING = 256
GLOBAL_BATCH = 128
FAIRNESS = 61
STEAL_PASSES = 4
SPIN_FACTOR = 2  # an M may start to spin while 2 × spinning < busy Ps
COURTESY_NS = 3_000
ID_BATCH = 16
# Turns that a chain of `next` goroutines may take on one slice; about Go's 10 ms. Nobody measures the time of a slice yet.
SLICE_TURNS = 32_768
MAX_THREADS = 10_000
