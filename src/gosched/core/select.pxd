cimport cython
from libc.stdint cimport int64_t
from .chan cimport Case, Channel, goroutine_of, new_case
from .g cimport Goroutine
from .m cimport M
from .native cimport address, current_m, method_function, method_self, now, Waiter
from .park cimport awaiting, begin_wait, ready
from .signals cimport Closed, Nothing, Parked

cdef int RECV, RECV_OK, SEND, SELECT_CASES, W_SELECT, W_SELECT_NONE
cdef dict KINDS

cpdef cases_are(dict kinds)

@cython.final
cdef class Selection:
    cdef int default
    cdef bint parked
    cdef list cases
    cdef list order
    @cython.locals(channel=Channel, kind=int)
    cdef int parse(self, object case, int index) except -1
    @cython.locals(g=Goroutine)
    cpdef object start(self)
    @cython.locals(case=Case, chosen=Case, n=int, i=int)
    cpdef object start_as(self, Goroutine g)
    @cython.locals(case=Case, i=int)
    cdef Case pass_1(self, int n)
    @cython.locals(case=Case, i=int, n=int)
    cpdef int leave(self) except -1
    cpdef bint has_default(self) noexcept
    cpdef object result(self, Case case)
    @cython.locals(case=Case, other=Case, i=int, at=int, m=M, chance=int64_t)
    cdef int shuffle(self, int n) except -1
    @cython.locals(case=Case, before=Channel, i=int)
    cdef int lock_all(self, int n) except -1
    @cython.locals(case=Case, before=Channel, i=int)
    cdef int unlock_all(self, int n) except -1
