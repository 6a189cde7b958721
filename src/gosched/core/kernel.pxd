from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "kernel.h":
    ctypedef struct gs_events:
        int n

cdef class Events:
    cdef gs_events events
    cpdef int64_t tag(self, int i) noexcept
    cpdef bint reads(self, int i) noexcept
    cpdef bint writes(self, int i) noexcept

cdef class Epoll:
    cdef int fd
    cdef int bell
    cdef int32_t rung
    cpdef int add(self, int fd, int64_t tag) except -1
    cpdef int remove(self, int fd) except -1
    cpdef int look(self, Events events) except -1
    cpdef int wait(self, Events events, int64_t ns) except -1
    cpdef int wake(self) except -1
    cpdef int close(self) except -1

cpdef object recv_some(int fd, Py_ssize_t n)
cpdef Py_ssize_t send_some(int fd, object data, Py_ssize_t begin) except *
cpdef int is_ready(int fd, bint writes) noexcept
