cimport cython
from .g cimport Goroutine
from .m cimport M
from .native cimport Awaitable, current_m, ThreadWords
from .park cimport arrived, words_of
from .signals cimport Parked, Woken

cdef class Op(Awaitable):
    cdef str what(self)
    cdef object begin(self, ThreadWords who)
    cdef int leave(self, Goroutine g) except -1
    cdef int judge(self, object answer) except -1
    @cython.locals(m=M)
    cdef bint step(self, object answer) except -1
    @cython.locals(m=M)
    cdef int give_up(self) except -1
