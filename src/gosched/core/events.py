"""What a tracer is told: the one schema of recorded traces, the live page and the laboratory.

A trail (trail.py) is a sequence of events, each

    kind                 one byte, below
    time                 ns since the event before in the same trail
    the kind's args      see ARGS

all numbers but the first as LEB128: seven bits a byte, the lowest first, the top bit set but for the last. Each piece of a trail begins with the time
of its first event, and with who writes. Every M has a trail of its own; what happens elsewhere goes to one that is shared under a lock, and so does
everything in virtual time, where one thread plays all Ms: there the order is that of the trail, and BY says who speaks from here on.

Who writes an event writes it before anybody else can see what it tells, and after it has seen what others told: GO_BLOCK before the goroutine can be
woken, GO_UNBLOCK before it can be taken from a queue, PROC_STOP before another M can have the P. So in the order of their times the events of all
trails make sense, on clocks that agree. One exception: PROC_STEAL is told after the P was taken, and who had it may notice and tell PROC_LOST, and go
on, before that: a reader holds PROC_LOST back until the PROC_STEAL has come (trace/replay.py).

What the events of one goroutine look like, in the order in which they can come:

    GO_CREATE  ->  runnable                 GO_START    runnable -> running
    GO_BLOCK   running -> waiting           GO_UNBLOCK  waiting -> runnable
    GO_STOP    running -> runnable          GO_END      running -> gone
    SYSCALL_BEGIN  running -> in a call     SYSCALL_END in a call -> running (its P may be gone; then PROC_LOST follows, and GO_STOP or PROC_START)
and of a P:
    PROC_START  nobody's -> of the M that writes        PROC_STOP  of the M that writes -> nobody's
    PROC_STEAL  of the M that it names -> nobody's      (whose goroutine runs on without, until it next enters the runtime)
A goroutine runs only on an M with a P, but for that; and after EXITING, when threads that are left run what they have to its end without.
"""

from __future__ import annotations

# Who writes, in BY and at the beginning of a piece: a thread that is none of the runtime's, sysmon, or M n as FIRST_M + n.
OUTSIDE, SYSMON, FIRST_M = 0, 1, 2

# name, args. The number of a kind is its place. Numbers never change their meaning: traces are files.
SCHEMA: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("NOTHING", ()),
    ("BY", ("who",)),  # the events after this one are of that writer
    ("LOST", ("events",)),  # so many were not written: the reader was too slow
    ("PHASE", ("phase",)),  # states.ALIVE, ENDING (main is over), EXITING
    ("PROCS", ("n",)),  # gomaxprocs is n from now on
    ("M_START", ()),  # the thread begins
    ("M_END", ()),
    ("M_PARK", ()),  # it sleeps until it is needed
    ("M_POLL", ()),  # it waits for descriptors and the next timer
    ("M_WAKE", ()),
    ("PROC_START", ("p",)),
    ("PROC_STOP", ()),  # of the writer
    ("PROC_STEAL", ("p", "m")),  # p was taken from M m, which is in user code
    ("PROC_LOST", ()),  # the writer has noticed
    ("STEAL", ("p", "n")),  # the writer's P took n goroutines from P p
    ("GO_CREATE", ("g", "by", "name")),  # by goroutine `by`, 0 for none; name: a string's number
    ("GO_START", ("g",)),
    ("GO_END", ()),  # of what the writer runs, as for the next four
    ("GO_STOP", ("why",)),  # YIELDS, PREEMPTED, NO_P
    ("GO_BLOCK", ("reason",)),  # states.WAIT_REASONS
    ("SYSCALL_BEGIN", ()),  # in blocking()
    ("SYSCALL_END", ()),
    ("GO_UNBLOCK", ("g", "by")),  # by goroutine `by`; 0: a timer, the netpoller, a thread, the end of the program
    ("BLOCKED", ("m", "g", "ns")),  # by sysmon: g on M m is in a call that nobody marked, for ns
    ("ASK", ("m", "g", "ns")),  # by sysmon: g has kept its P for ns and is asked to let others run
    ("NETPOLL", ("n",)),  # n goroutines can go on
    ("TIMERS", ("p",)),  # timers of P p were due
    ("GC_BEGIN", ("generation",)),
    ("GC_END", ("collected",)),
    ("REGION_BEGIN", ("name",)),  # of the goroutine that the writer runs
    ("REGION_END", ("name",)),
    ("TASK_BEGIN", ("task", "parent", "name")),
    ("TASK_END", ("task",)),
    ("LOG", ("task", "category", "message")),  # strings' numbers
    ("STACK", ("stack",)),  # where the event before was told: a string, innermost first, "function file:line" a line
    # In virtual time, if Trails.queues: where who can run is, and who looks for work.
    ("QUEUE", ("g", "where", "p")),  # g was put there: AT_NEXT or AT_TAIL of P p, or AT_GLOBAL's tail
    ("SPILL", ("p", "n")),  # the n oldest of P p's full ring went to the tail of the global queue
    ("REFILL", ("p", "n")),  # P p took the first of the global queue, to run it, and the n after it into its ring
    ("DRAIN", ("p",)),  # all that P p had went to the head of the global queue
    ("EXPIRE", ("p",)),  # the slice of P p is over that goroutines who wake each other share: who is next goes to the global queue
    ("SPIN", ()),  # the writer looks for work in the queues of others, until it runs a goroutine or gives up its P
)
NAMES = tuple(name for name, _ in SCHEMA)
ARGS = tuple(args for _, args in SCHEMA)
(
    E_NOTHING,
    E_BY,
    E_LOST,
    E_PHASE,
    E_PROCS,
    E_M_START,
    E_M_END,
    E_M_PARK,
    E_M_POLL,
    E_M_WAKE,
    E_PROC_START,
    E_PROC_STOP,
    E_PROC_STEAL,
    E_PROC_LOST,
    E_STEAL,
    E_GO_CREATE,
    E_GO_START,
    E_GO_END,
    E_GO_STOP,
    E_GO_BLOCK,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_GO_UNBLOCK,
    E_BLOCKED,
    E_ASK,
    E_NETPOLL,
    E_TIMERS,
    E_GC_BEGIN,
    E_GC_END,
    E_REGION_BEGIN,
    E_REGION_END,
    E_TASK_BEGIN,
    E_TASK_END,
    E_LOG,
    E_STACK,
    E_QUEUE,
    E_SPILL,
    E_REFILL,
    E_DRAIN,
    E_EXPIRE,
    E_SPIN,
) = range(len(SCHEMA))

# Where a goroutine that can run is put, in QUEUE, and by a policy.
AT_NEXT, AT_TAIL, AT_GLOBAL = range(3)

# Why a goroutine that could go on stopped: it yielded, was asked to, or found itself without a P.
YIELDS, PREEMPTED, NO_P = range(3)
STOP_REASONS = ("yield", "preempted", "no P")
