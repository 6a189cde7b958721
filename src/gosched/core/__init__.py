"""The scheduler itself: goroutines (G), threads (M), run tokens (P), their queues, and the search for work.

Imports nothing of gosched above it but the exceptions. Modules with a .pxd beside them are compiled by Cython; the same files run as they are
without. `native`, `interp` and those with a .pyx beside the .py are written twice.

    native    the words that threads share: atomics, mutex, note, ring, global queue     states  the numbers of states, verdicts, wait reasons
    g, m, p   the three objects                                                          sched   what all Ms share: idle lists, global queue
    runq      putting into and taking from a P's queue                                   steal   taking from another P's queue
    findrun   what an M does next                                                        wake    starting and waking Ms
    entry     in and out of user code                                                    park    runnable again
    execute   one turn of one goroutine                                                  spawn   new goroutines
    resize    gomaxprocs                                                                 ending  the end of a program, deadlock
    mloop     a thread's life                                                            waitgroup, yielding   operations
    snapshot  figures for stats()                                                        callers   where a goroutine was started
    interp    what is asked of the interpreter                                           preempt   asked to yield, in the middle of its code
    locked    bound to a thread, with a stack of its own                                 guests    on the way to the thread they are bound to
    bell      what run() waits for                                                       bend      rules that are not Go's: policies
    spending  time that goroutines of the laboratory spend                               tally     what the laboratory counts
    pure…     parts of the pure native: the ring, running user code, the explorer's points
"""
