cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "trail.h" nogil:
    ctypedef struct gs_mutex:
        pass
    ctypedef struct gs_note:
        pass
    ctypedef struct gs_piece:
        gs_piece *next
        int64_t serial
        int64_t begun
        int32_t who
        int32_t len
        unsigned char data[65536]
    ctypedef struct gs_paper:
        int64_t held
        int64_t limit
        int64_t clock
        gs_note bell
    ctypedef struct gs_trail:
        gs_paper *paper
        gs_piece *first
        gs_piece *last
        int64_t lost
        int32_t shared
        int32_t who
    void gs_trail_tell(gs_trail *, int32_t, int, int, uint64_t, uint64_t, uint64_t)

cpdef tuple skim(bytes data, int64_t time, int who, Py_ssize_t least)

@cython.final
cdef class Trails:
    cdef gs_paper paper
    cdef readonly bint stacks
    cdef readonly bint one
    cdef readonly bint queues
    cdef readonly list all
    cdef readonly list strings
    cdef dict numbers
    cdef object lock
    cdef int64_t tasks
    cpdef Trail open(self)
    cpdef int64_t number(self, str text) except -1
    cpdef int64_t new_task(self) except -1
    cpdef void set_clock(self, int64_t now) noexcept
    cpdef bint sleep(self, int64_t until) noexcept
    cpdef void tell_outside(self, int kind, int64_t a) noexcept
    cpdef void wake(self) noexcept
    cpdef int64_t held(self) noexcept

@cython.final
@cython.no_gc_clear
cdef class Trail:
    cdef gs_trail words
    cdef readonly Trails of
    cdef readonly int id
    cdef public bint ended
    cdef inline void tell(self, int who, int kind) noexcept:
        gs_trail_tell(&self.words, who, kind, 0, 0, 0, 0)
    cdef inline void tell1(self, int who, int kind, int64_t a) noexcept:
        gs_trail_tell(&self.words, who, kind, 1, <uint64_t>a, 0, 0)
    cdef inline void tell2(self, int who, int kind, int64_t a, int64_t b) noexcept:
        gs_trail_tell(&self.words, who, kind, 2, <uint64_t>a, <uint64_t>b, 0)
    cdef inline void tell3(self, int who, int kind, int64_t a, int64_t b, int64_t c) noexcept:
        gs_trail_tell(&self.words, who, kind, 3, <uint64_t>a, <uint64_t>b, <uint64_t>c)
    cpdef list pieces(self, int64_t serial, int64_t offset)
    cpdef int64_t untold(self) noexcept
    cpdef list marks(self)
    cpdef void drop(self, int64_t serial) noexcept
