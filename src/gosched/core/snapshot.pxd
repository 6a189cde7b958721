cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m
from .p cimport P
from .sched cimport Scheduler

cdef int RUNNABLE

@cython.locals(m=M)
cpdef object current_goroutine()
cpdef tuple p_figures(P p)
@cython.locals(g=Goroutine)
cpdef list queue_ids(P p)
@cython.locals(p=P)
cpdef tuple m_figures(M m)
cpdef int64_t away_for(M m, int64_t now)
@cython.locals(p=P)
cpdef int64_t in_turn_for(M m, int64_t now)
cpdef list kept_waiting(M m)
cdef bint waits_for(Goroutine g, M m)
cpdef list left_behind(Scheduler s)
cdef bint is_system(Goroutine g)
cpdef tuple sched_figures(Scheduler s)
cpdef int64_t creator_of(Goroutine g)
@cython.locals(procs=int, idle=int, threads=int, parked=int, locked=int, queue=int)
cpdef tuple header_figures(Scheduler s)
cpdef int spare_goroutines(P p)
cpdef bint locked_to(Goroutine g, M m)
