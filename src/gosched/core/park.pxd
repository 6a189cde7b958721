cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .guests cimport bring
from .m cimport M
from .native cimport current_m, list_of, ThreadWords
from .sched cimport Scheduler
from .signals cimport Again
from .wake cimport submit, submit_global

cdef int E_GO_UNBLOCK, OUTSIDE
cdef int NOTIFIED, PARKED, PARKING, RETRY, RUNNABLE

@cython.locals(m=M, g=Goroutine)
cpdef M arrived(object what)
@cython.locals(m=M)
cpdef Goroutine awaiting(str what)
@cython.locals(words=ThreadWords)
cpdef ThreadWords words_of(Goroutine g)
@cython.locals(have=bint)
cpdef bint regain_p(M m) except -1
cpdef void begin_wait(Goroutine g, int reason, object on) noexcept
@cython.locals(state=int)
cpdef bint claim(Goroutine g) except -1
@cython.locals(m=M)
cpdef int ready(Goroutine g) except -1
cpdef int ready_elsewhere(Scheduler s, Goroutine g) except -1
