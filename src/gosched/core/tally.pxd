cimport cython
from libc.stdint cimport int64_t

cdef int E_BY, E_GO_BLOCK, E_GO_CREATE, E_GO_END, E_GO_START, E_GO_STOP, E_GO_UNBLOCK, E_M_START, E_PHASE, E_STEAL, E_SYSCALL_BEGIN, E_SYSCALL_END, PREEMPTED
cdef int FINE
cdef list COUNTS

@cython.locals(shift=int, high=int64_t)
cpdef int bucket_of(int64_t ns)
@cython.locals(shift=int, low=int64_t, one=int64_t)
cpdef int64_t value_of(int bucket)

@cython.final
cdef class Tally:
    cdef readonly int64_t begun
    cdef readonly int64_t now
    cdef readonly int64_t ended
    cdef readonly bint over
    cdef readonly int64_t busy
    cdef readonly int64_t goroutines
    cdef readonly int64_t turns
    cdef readonly int64_t steals
    cdef readonly int64_t stolen
    cdef readonly int64_t preemptions
    cdef readonly int64_t threads
    cdef readonly int64_t longest
    cdef readonly list waits
    cdef list since
    cdef list ran
    cdef list queued
    cdef list runs
    cdef list calls
    cdef readonly int64_t served
    cdef double shares
    cdef double squares
    @cython.locals(at=Py_ssize_t, size=Py_ssize_t, kind=int, a=int64_t, b=int64_t, n=int64_t, part=int64_t, shift=int, count=int, i=int)
    cpdef tuple read(self, bytes data, int64_t time, int who)
    @cython.locals(g=int64_t)
    cdef int note(self, int64_t time, int who, int kind, int64_t a, int64_t b) except -1
    @cython.locals(m=Py_ssize_t)
    cdef int finish(self, int64_t time) except -1
    @cython.locals(n=Py_ssize_t)
    cdef int know(self, int64_t g) except -1
    @cython.locals(ns=int64_t)
    cdef int work(self, int64_t g, int64_t time) except -1
    cdef int wait(self, int64_t ns) except -1
    @cython.locals(could=int64_t, share=double)
    cdef int serve(self, int64_t g) except -1
