cimport cython
from .bend cimport put_bent, put_tail_bent, tell_global, tell_refill
from .g cimport Goroutine
from .m cimport M
from .sched cimport Scheduler

@cython.locals(kicked=Goroutine)
cpdef int put_next(M m, Goroutine g) except -1
cpdef int put_tail(M m, Goroutine g) except -1
cpdef int put_global(Scheduler s, Goroutine g) except -1
@cython.locals(g=Goroutine)
cpdef Goroutine take_one_global(M m)
@cython.locals(g=Goroutine, n=int, share=int)
cpdef Goroutine take_global(M m)
