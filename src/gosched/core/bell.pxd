from libc.stdint cimport int64_t
from .words cimport gs_note

cdef class Bell:
    cdef gs_note note
    cpdef void ring(self) noexcept
    cpdef bint listen(self, double seconds) except -1
