cimport cython
from libc.stdint cimport int64_t
from .frames cimport seconds
from .g cimport Goroutine
from .interp cimport start_world, stop_world
from .m cimport M
from .p cimport P
from .sched cimport Scheduler

cdef int DEAD, MOMENT_BITS, PARKED, PARKING, PREEMPTED, RUNNABLE, RUNNING, SYSCALL

@cython.locals(p=P, before=int, now=int64_t, coarse=int64_t, i=int)
cpdef object take(Scheduler s, int most, dict names)
@cython.locals(i=int, at=int, p=P, m=M, g=Goroutine, driver=int, runs=int64_t)
cdef int note_ps(Scheduler s, list found) except -1
@cython.locals(at=int, g=Goroutine)
cdef list note_queue(Scheduler s)
@cython.locals(i=int, m=M, p=P, runs=int64_t, away=int64_t)
cdef set note_ms(list ms, list found, int64_t now)
@cython.locals(i=int, g=Goroutine, state=int, reason=int)
cdef int note_goroutines(list goroutines, list facts, set blocked) except -1
@cython.locals(g=Goroutine)
cdef int make_rows(list goroutines, list facts, dict names, dict known, int64_t now, list rows) except -1
@cython.locals(g=Goroutine, group=list)
cdef int make_groups(list goroutines, list facts, dict names, dict known, int64_t now, dict groups) except -1
cdef bint later(int64_t a, int64_t b) except -1
cdef double waited(str word, int64_t now, int64_t since) except -1
cpdef double wait_of(Goroutine g, int64_t now) except -1
cpdef str name_of(object given, object body)
