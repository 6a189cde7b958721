cimport cython
from .bend cimport tell_global
from .g cimport Goroutine
from .m cimport M
from .wake cimport rouse

cdef int E_PROC_STOP
cdef int FOR_ANY, FOR_ONE

@cython.locals(home=M, slept=bint, polls=bint)
cpdef bint bring(M m, Goroutine g) except -1
@cython.locals(slept=bint)
cdef bint call_home(M home, Goroutine g) except -1
@cython.locals(home=M, slept=bint, polls=bint)
cpdef bint deliver(M m, Goroutine g) except -1
@cython.locals(g=Goroutine)
cpdef Goroutine take_guest(M m)
@cython.locals(g=Goroutine, any_sent=bint)
cpdef bint send_guests_back(M m) except -1
