"""Numbers that several modules share. Compiled modules copy them into C variables (`cdef int …` in their .pxd)."""

from __future__ import annotations

# A goroutine's state word. Who changes what: see g.py.
RUNNABLE, RUNNING, PARKING, PARKED, NOTIFIED, RETRY, DEAD = range(7)
STATE_NAMES = ("runnable", "running", "waiting", "waiting", "runnable", "runnable", "dead")

# What an M that sleeps without being idle waits for: a P with the goroutine on its stack, or with any that is bound to it.
FOR_ONE, FOR_ANY = 1, 2

# A P's status.
P_IDLE, P_RUNNING, P_DEAD = 0, 1, 4
P_NAMES = {P_IDLE: "idle", P_RUNNING: "running", P_DEAD: "dead"}

# What find_runnable says when it has no goroutine; and, in virtual time, a turn that is not over: its goroutine keeps the M.
PARK, POLL, EXIT, STAY = 1, 2, 3, 4

# A poller's deadline: only by being woken; and when there is no reason to poll.
NEVER, NOBODY = -1, -2

# A literal that does not fit a C int would be a Python int in compiled code.
LOW_32 = 0xFFFFFFFF

# How one turn of a goroutine ended, if it has.
STAYED, YIELDED, RETURNED, RAISED = 2, 1, 0, -1

# The life of a scheduler: goroutines run; main is over and the others are being ended; threads leave.
ALIVE, ENDING, EXITING = 0, 1, 2

# Why a goroutine waits, in Go's words; an Event is not Go's.
WAIT_REASONS = (
    "",
    "sync.WaitGroup.Wait",
    "chan receive",
    "chan send",
    "chan receive (nil chan)",
    "chan send (nil chan)",
    "select",
    "select (no cases)",
    "sleep",
    "sync.Cond.Wait",
    "sync.Mutex.Lock",
    "sync.RWMutex.RLock",
    "sync.RWMutex.Lock",
    "semacquire",
    "event wait",
    "IO wait",
)
(
    W_NONE,
    W_WAITGROUP,
    W_RECV,
    W_SEND,
    W_RECV_NIL,
    W_SEND_NIL,
    W_SELECT,
    W_SELECT_NONE,
    W_SLEEP,
    W_COND,
    W_MUTEX,
    W_RLOCK,
    W_WLOCK,
    W_SEMAPHORE,
    W_EVENT,
    W_IO,
) = range(len(WAIT_REASONS))

# A goroutine's `phase`, if it has one. It yields its turn, to the global tail or to the tail of its own P; was suspended in the middle of its code;
# is in blocking(); wants a thread of its own from its first turn on; spends virtual time.
GLOBAL, BEHIND, PREEMPTED, SYSCALL, OWN_THREAD, SPENDING = range(1, 7)

# How a P stands, in sysmon's eyes, and what a watch returns for: watch.h has the same.
FINE, BLOCKED, LATE, VERY_LATE = range(4)
OVER, NEWS, TRACE, POLL_NOW, AGAIN = range(5)

# A mutex's word.
FREE, LOCKED, CONTENDED = 0, 1, 2

# The directions of a descriptor, as bits, and what is said to an operation on one.
READ, WRITE = 1, 2
NET_OK, NET_WAITS, NET_CLOSED, NET_EXPIRED, NET_OVER = range(5)

# What a select's case does.
RECV, RECV_OK, SEND, CONTEXT = 1, 2, 3, 4

# Go's constants.
RING = 256
GLOBAL_BATCH = 128
FAIRNESS = 61
STEAL_PASSES = 4
WHOLE = 256  # what a steal takes of a ring is told in parts of this, rounded up: native.h has the same
HALF = WHOLE // 2
SPIN_FACTOR = 2  # an M may start to spin while 2 × spinning < busy Ps
COURTESY_NS = 3_000
ID_BATCH = 16
SLICE_NS = 10_000_000
# The unit of the clock that waits are stamped with, as a shift of ns: watch.h has the same.
MOMENT_BITS = 24
# Ours: sysmon's longest sleep while user code runs; how long a thread that is not needed waits for work before it ends.
LOOK_NS = 1_000_000
POLL_NS = 10_000_000  # after so long without a look at the netpoller sysmon looks itself: watch.h has the same
IDLE_NS = 10_000_000_000
LINGER_NS = 100_000  # how long a thread that somebody is bound to looks at its note before it sleeps
RELUCTANCE = 31  # sleeps without that, at most, after it was in vain
MAX_THREADS = 10_000
LEASHES = 4  # by which an M can be asked
POOL = 64  # stacks that an M keeps for reuse while it works
SPARES = 4  # ... and while it sleeps
HEAP_ARITY = 4  # of the timers
END_OF_TIME = (1 << 63) - 1
STARVING_NS = 1_000_000  # a goroutine that waited longer for a mutex is handed it
SELECT_CASES = 65_536
FEW = 16  # cases of a select whose random order fits one word, four bits each
IN_ORDER = 0xFEDC_BA98_7654_3210
LAST = 15
CAPACITY = (1 << 31) - 1  # of a channel
