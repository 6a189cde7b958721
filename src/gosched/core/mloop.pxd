cimport cython
from libc.stdint cimport int64_t
from .bend cimport tell_spin
from .ending cimport check_dead, tell_dead
from .entry cimport begin_rest
from .execute cimport schedule
from .findrun cimport after_poll
from .linger cimport linger
from .locked cimport trim
from .m cimport M
from .native cimport current_m, drop_spares, set_current_m
from .p cimport P
from .sched cimport Scheduler
from .wake cimport acquire_p

cdef int E_M_END, E_M_WAKE
cdef int ALIVE, EXIT, EXITING, PARK, SPARES
cdef int64_t IDLE_NS

@cython.locals(m=M)
cpdef run_m(Scheduler s, int number, P p, bint spinning)
@cython.locals(m=M)
cpdef loop_here()
@cython.locals(verdict=int)
cpdef loop(M m)
@cython.locals(m=M)
cpdef M new_m(Scheduler s, int number, P p, bint spinning)
cpdef bint sleep(M m, int verdict) except -1
cdef int64_t patience(M m) except -2
@cython.locals(mine=bint)
cdef bint retire_m(M m) except -1
@cython.locals(p=P)
cpdef woken(M m)
@cython.locals(dead=int)
cpdef forget_m(M m)
