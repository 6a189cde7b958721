cimport cython
from libc.stdint cimport uint32_t, uint64_t
from .bend cimport ask_order
from .entry cimport submit_late
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .timers cimport run_timers

cdef int E_STEAL
cdef int P_IDLE, P_RUNNING

@cython.locals(g=Goroutine, victim=P, n=int, attempt=int, last=bint, position=uint64_t, step=uint64_t, _=int)
cpdef Goroutine steal_work(M m)
@cython.locals(g=Goroutine, victim=P, i=int)
cdef Goroutine steal_in_order(M m, int n)
@cython.locals(g=Goroutine)
cdef Goroutine visit(M m, P victim, bint last)
@cython.locals(g=Goroutine)
cdef Goroutine run_theirs(M m, P victim)
@cython.locals(g=Goroutine, n=uint32_t)
cpdef Goroutine steal(M m, P victim, bint take_next)
