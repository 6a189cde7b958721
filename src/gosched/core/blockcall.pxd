cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .locked cimport give_up_p
from .m cimport M
from .native cimport current_m
from .plain cimport with_p

cdef int E_SYSCALL_BEGIN, E_SYSCALL_END
cdef int EXITING, SYSCALL

@cython.locals(m=M)
cpdef object call_blocking(object fn, tuple args, dict kwargs)
@cython.locals(g=Goroutine)
cpdef int enter_call(M m, bint hands_over) except -1
@cython.locals(g=Goroutine)
cpdef int leave_call(M m) except -1
