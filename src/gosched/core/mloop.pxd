cimport cython
from libc.stdint cimport int64_t
from .ending cimport check_dead
from .execute cimport schedule
from .findrun cimport after_poll
from .m cimport M
from .native cimport drop_spares, set_current_m
from .p cimport P
from .sched cimport Scheduler
from .wake cimport acquire_p, submit_global

cdef int ALIVE, EXIT, PARK
cdef int64_t IDLE_NS

@cython.locals(m=M, verdict=int)
cpdef run_m(Scheduler s, int number, P p, bint spinning)
@cython.locals(m=M)
cpdef M new_m(Scheduler s, int number, P p, bint spinning)
cpdef bint sleep(M m, int verdict) except -1
cdef int64_t patience(M m) except -2
@cython.locals(mine=bint)
cdef bint retire_m(M m) except -1
cpdef submit_late_global(M m)
@cython.locals(p=P)
cpdef woken(M m)
@cython.locals(dead=bint)
cpdef forget_m(M m)
