cimport cython
from .g cimport Goroutine
from .m cimport M
from .park cimport claim, ready_elsewhere
from .sched cimport Scheduler
from .timers cimport any_timer
from .wake cimport rouse

cdef int E_PHASE, OUTSIDE
cdef int ALIVE, ALL_ASLEEP, ENDING, EXITING, IN_VAIN

cpdef int check_dead(Scheduler s) except -1
cpdef bint polls_in_vain(Scheduler s) except -1
cpdef int tell_dead(Scheduler s, int verdict) except -1
@cython.locals(g=Goroutine, first=bint)
cpdef bint begin_ending(Scheduler s) except -1
@cython.locals(told=M, m=M, sleeper=M)
cpdef begin_exit(Scheduler s)
@cython.locals(dead=bint)
cpdef bint still_dead(Scheduler s) except -1
@cython.locals(dead=bint, m=M, n=int, ms=list)
cpdef bint fast_asleep(Scheduler s) except -1
cpdef cut_off(Scheduler s)
