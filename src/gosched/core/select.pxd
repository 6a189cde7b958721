cimport cython
from libc.stdint cimport int64_t, uint64_t
from .chan cimport Case, Channel, new_case, wake_waiter
from .g cimport Goroutine
from .interrupt cimport Cancellation
from .m cimport M
from .native cimport address, current_m, method_function, method_self, now, ThreadWords, Waiter
from .park cimport arrived, words_of
from .signals cimport Closed, Nothing, Parked

cdef int CONTEXT, FEW, RECV_OK, SEND, SELECT_CASES, W_SELECT, W_SELECT_NONE
cdef uint64_t IN_ORDER, LAST
cdef dict KINDS

cpdef cases_are(dict kinds)
@cython.locals(selection=Selection)
cpdef object begin_select(tuple cases)
@cython.locals(m=M, kinds=uint64_t, kind=uint64_t, order=uint64_t, i=int, at=int, left=int)
cdef object quick_look(tuple cases, int n)
@cython.locals(kind=int)
cdef int kind_of(object case, int index) except -1
@cython.locals(channel=Channel)
cdef object try_case(object case, int kind, int index)
cdef object closed_error(int kind, Channel channel, int index)

@cython.final
cdef class Selection:
    cdef int default
    cdef bint parked
    cdef list cases
    cdef list order
    cdef dict contexts
    @cython.locals(channel=Channel, kind=int)
    cdef int parse(self, object case, int index) except -1
    @cython.locals(m=M)
    cpdef object start(self)
    cpdef object start_as(self, Goroutine g)
    @cython.locals(case=Case, chosen=Case, n=int, i=int)
    cdef object start_by(self, ThreadWords who)
    @cython.locals(case=Case, i=int)
    cdef Case pass_1(self, int n)
    @cython.locals(case=Case, i=int, n=int)
    cpdef int leave(self) except -1
    @cython.locals(case=Case)
    cpdef list channels(self)
    cpdef bint has_default(self) noexcept
    cpdef object result(self, Case case)
    @cython.locals(case=Case, other=Case, i=int, at=int, m=M, chance=int64_t)
    cdef int shuffle(self, int n) except -1
    @cython.locals(case=Case, before=Channel, i=int)
    cdef int lock_all(self, int n) except -1
    @cython.locals(case=Case, before=Channel, i=int)
    cdef int unlock_all(self, int n) except -1

cpdef int case_index(Case case)
