cimport cython
from .g cimport Goroutine
from .m cimport M
from .park cimport claim
from .sched cimport Scheduler
from .wake cimport submit_global

cdef int ALIVE, ENDING, EXITING

cpdef bint check_dead(Scheduler s) except -1
@cython.locals(g=Goroutine, first=bint)
cpdef bint begin_ending(Scheduler s) except -1
@cython.locals(told=M, m=M, sleeper=M)
cpdef begin_exit(Scheduler s)
@cython.locals(dead=bint)
cpdef bint still_dead(Scheduler s) except -1
cpdef cut_off(Scheduler s)
