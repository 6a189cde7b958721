from libc.stdint cimport int64_t


cdef class Album:
    cdef void *taken
    cpdef void take_awaits(self, object body, int64_t number) noexcept
    cpdef void take_stack(self, object stack, int64_t number) noexcept
    cpdef void take_threads(self) noexcept
    cpdef void take_caller(self) noexcept
    cpdef dict develop(self)
