# cython: freethreading_compatible=True
"""What the netpoller asks of the kernel, compiled. kernel.py is the same over the standard library. A result below 0 is minus an errno."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from libc.errno cimport errno
from posix.unistd cimport close as close_fd

cdef extern from "native.h" nogil:
    int32_t GS_SWAP(int32_t *, int32_t)
    void GS_STORE(int32_t *, int32_t)

cdef extern from "kernel.h":
    object gs_recv(int, Py_ssize_t, int *)
    Py_ssize_t gs_send(int, const char *, Py_ssize_t)
    int gs_is_ready(int, int)
    int gs_epoll_open()
    int gs_wake_open()
    int gs_epoll_add(int, int, uint64_t, int)
    int gs_epoll_remove(int, int)
    void gs_wake_ring(int)
    void gs_wake_drain(int)
    int gs_epoll_wait(int, gs_events *, int64_t) nogil
    int gs_reads(uint32_t)
    int gs_writes(uint32_t)
    int GS_HAS_EPOLL
    uint64_t gs_tag "GS_TAG"(gs_events *, int)
    uint32_t gs_bits "GS_BITS"(gs_events *, int)

has_epoll = bool(GS_HAS_EPOLL)
cdef int64_t BELL = -1


cdef class Events:
    """What one wait found."""

    cpdef int64_t tag(self, int i) noexcept:
        return <int64_t>gs_tag(&self.events, i)

    cpdef bint reads(self, int i) noexcept:
        return gs_reads(gs_bits(&self.events, i))

    cpdef bint writes(self, int i) noexcept:
        return gs_writes(gs_bits(&self.events, i))


cdef class Epoll:
    """Edge-triggered, both directions of a descriptor at once."""

    def __cinit__(self):
        self.fd = gs_epoll_open()
        if self.fd < 0:
            raise OSError(errno, "epoll_create1 failed")
        self.bell = gs_wake_open()
        if self.bell < 0:
            raise OSError(errno, "eventfd failed")
        gs_epoll_add(self.fd, self.bell, <uint64_t>BELL, 0)

    def __dealloc__(self):
        self.close()

    cpdef int add(self, int fd, int64_t tag) except -1:
        """Events of fd come with that tag. 0, or an errno: EPERM if it is of a kind that cannot be waited for."""
        return gs_epoll_add(self.fd, fd, <uint64_t>tag, 1)

    cpdef int remove(self, int fd) except -1:
        return gs_epoll_remove(self.fd, fd)

    cpdef int look(self, Events events) except -1:
        """How many there are now. One caller at a time for the same `events`."""
        return gs_epoll_wait(self.fd, &events.events, 0)

    cpdef int wait(self, Events events, int64_t ns) except -1:
        """Without the GIL, for so long, or below 0 until there is one, or `wake`. One caller at a time: it alone hears the bell."""
        cdef int n
        with nogil:
            n = gs_epoll_wait(self.fd, &events.events, ns)
        for i in range(n):
            if <int64_t>gs_tag(&events.events, i) == BELL:
                gs_wake_drain(self.bell)
                GS_STORE(&self.rung, 0)  # behind the drain: who rings in between is heard by the next wait
        return n

    cpdef int wake(self) except -1:
        """By any thread; a wake before the wait is kept."""
        if GS_SWAP(&self.rung, 1) == 0:
            gs_wake_ring(self.bell)
        return 0

    cpdef int close(self) except -1:
        if self.fd >= 0:
            close_fd(self.fd)
            close_fd(self.bell)
            self.fd = self.bell = -1
        return 0


cpdef object recv_some(int fd, Py_ssize_t n):
    """Bytes, b"" at the end; or an int, minus the errno."""
    cdef int error = 0
    cdef object data = gs_recv(fd, n, &error)
    return data if error == 0 else -error


cpdef Py_ssize_t send_some(int fd, object data, Py_ssize_t begin) except *:
    """Of data from there on: how many bytes went, or minus the errno."""
    cdef Py_buffer view
    cdef Py_ssize_t sent
    if PyBytes_CheckExact(data):
        return gs_send(fd, PyBytes_AS_STRING(data) + begin, PyBytes_GET_SIZE(data) - begin)
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    sent = gs_send(fd, <const char *>view.buf + begin, view.len - begin)
    PyBuffer_Release(&view)
    return sent


cpdef int is_ready(int fd, bint writes) noexcept:
    """Whether a descriptor of any kind could be read, or written, without waiting; or minus the errno."""
    return gs_is_ready(fd, writes)
