cimport cython
from .findrun cimport gather_timers
from .m cimport M
from .native cimport nap
from .p cimport P
from .sched cimport Scheduler
from .wake cimport wake_p

cdef int E_PROC_STEAL, E_PROCS, OUTSIDE
cdef int COURTESY_NS, P_DEAD

@cython.locals(old=int)
cpdef int resize(Scheduler s, int n) except -1
@cython.locals(p=P, m=M, i=int)
cdef int shrink(Scheduler s, int n) except -1
