cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m
from .p cimport P
from .sched cimport Scheduler

@cython.locals(m=M)
cpdef object current_goroutine()
cpdef tuple p_figures(P p)
@cython.locals(g=Goroutine)
cpdef list queue_ids(P p)
@cython.locals(p=P)
cpdef tuple m_figures(M m)
cpdef int64_t away_for(M m, int64_t now)
@cython.locals(g=Goroutine, n=int)
cpdef int left_behind(Scheduler s) except -1
cpdef tuple sched_figures(Scheduler s)
