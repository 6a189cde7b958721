cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .interrupt cimport ending
from .kernel cimport recv_some, send_some
from .m cimport M
from .native cimport current_m, ends_with_value, ThreadWords
from .netpoll cimport PollDesc
from .op cimport Op
from .park cimport arrived
from .plain cimport caller, park_here
from .signals cimport Ended, Parked

cdef int EAGAIN, MOST, NET_OK, NET_WAITS, READ, WRITE

cdef class Stream:
    cdef readonly PollDesc desc
    cdef bytearray buffer
    cdef object __weakref__
    @cython.locals(code=int)
    cpdef object read_by(self, ThreadWords who, Py_ssize_t n)
    @cython.locals(code=int, at=Py_ssize_t)
    cpdef object gather_by(self, ThreadWords who, Py_ssize_t n, bint line)
    @cython.locals(code=int, n=Py_ssize_t)
    cpdef object write_by(self, ThreadWords who, object data)
    cdef object receive(self, ThreadWords who, Py_ssize_t n)
    cdef bytes take_buffered(self, Py_ssize_t n)
    cdef object done(self, ThreadWords who, int mode, object answer)
    cpdef object read_here(self, M m, Py_ssize_t n)
    cpdef object write_here(self, M m, object data)
    @cython.locals(g=Goroutine)
    cdef int wait_here(self, M m, int mode) except -1

@cython.final
cdef class ReadOp(Op):
    @cython.locals(m=M, g=Goroutine, stream=Stream)
    cdef object ask(self)
    @cython.locals(m=M, g=Goroutine)
    cdef int fetch(self) except -1

@cython.final
cdef class WriteOp(Op):
    pass

cdef object write_by(Stream stream, ThreadWords who, object data)
cdef int leave(Stream stream, Goroutine g, int mode) except -1
cpdef int give_back(object data) except -1
cdef object fault_of(Stream stream, str what, object code)
@cython.locals(op=ReadOp)
cpdef ReadOp read_op(Stream stream, Py_ssize_t n)
@cython.locals(op=WriteOp)
cpdef WriteOp write_op(Stream stream, object data)
