cimport cython
from .execute cimport schedule
from .findrun cimport after_poll
from .m cimport M
from .native cimport drop_spares, set_current_m
from .p cimport P
from .sched cimport Scheduler
from .wake cimport acquire_p, submit_global

cdef int EXIT, PARK

@cython.locals(m=M, verdict=int)
cpdef run_m(Scheduler s, int number, P p, bint spinning)
@cython.locals(m=M)
cpdef M new_m(Scheduler s, int number, P p, bint spinning)
cpdef sleep(M m, int verdict)
cpdef submit_late_global(M m)
@cython.locals(p=P)
cpdef woken(M m)
cpdef forget_m(M m)
