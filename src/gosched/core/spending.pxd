cimport cython
from .blockcall cimport enter_call, leave_call
from .execute cimport carry_on, settle
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m
from .netpoll cimport PollDesc
from .park cimport regain_p
from .signals cimport Again

cdef int NET_OK, NET_WAITS, PREEMPTED, READ, RETRY, RUNNABLE, SPENDING

@cython.locals(m=M, g=Goroutine)
cpdef int begin_spending() except -1
cpdef int begin_call(bint hands_over) except -1
@cython.locals(m=M, g=Goroutine)
cpdef bint end_call() except -1
@cython.locals(m=M, g=Goroutine)
cpdef int end_spending() except -1
cpdef int drop_call() except -1
@cython.locals(m=M)
cpdef bint begin_io(PollDesc desc) except -1
@cython.locals(m=M, g=Goroutine)
cpdef int end_io(PollDesc desc) except -1
@cython.locals(g=Goroutine)
cpdef int go_on_here(M m) except -1
@cython.locals(g=Goroutine)
cpdef int stop_here(M m) except -1
