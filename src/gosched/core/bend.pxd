cimport cython
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .sched cimport Scheduler

cdef int AT_GLOBAL, AT_NEXT, AT_TAIL, E_DRAIN, E_EXPIRE, E_QUEUE, E_REFILL, E_SPILL, E_SPIN, OUTSIDE

@cython.locals(where=int, kicked=Goroutine)
cpdef int put_bent(M m, Goroutine g) except -1
cpdef int put_tail_bent(M m, Goroutine g) except -1
@cython.locals(pushed=bint)
cdef int push_or_spill(M m, Goroutine g) except -1
cdef int put_common(M m, Goroutine g) except -1
@cython.locals(g=Goroutine, _=int)
cpdef Goroutine pop_newest(M m)
cdef int tell_queue(M m, Goroutine g, int where) except -1
cpdef int tell_global(Scheduler s, Goroutine g) except -1
cpdef int tell_refill(M m, int n) except -1
cpdef void tell_spin(M m) noexcept
cpdef int tell_expire(M m) except -1
cpdef int tell_drain(Scheduler s, P p) except -1
cdef int ask_place(M m, Goroutine g) except -1
cpdef bint asks_global(M m) except -1
cpdef object ask_order(M m, P thief, int n)
cpdef bint may_rob(M m, P thief, int number) except -1
