cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m, list_of, GoroutineList
from .sched cimport Scheduler
from .wake cimport submit, submit_global

cdef int NOTIFIED, PARKED, PARKING, RUNNABLE

@cython.locals(state=int)
cpdef bint claim(Goroutine g) except -1
@cython.locals(m=M, s=Scheduler)
cpdef int ready(Goroutine g) except -1
