# cython: freethreading_compatible=True
"""Where goroutines stand, all at one moment. frames.h looks, album.py is the same for the pure build.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "frames.h":
    ctypedef struct gs_place:
        PyObject *code
        int64_t at
    ctypedef struct gs_places:
        gs_place *places
        Py_ssize_t n
        bint lacks
    int GS_SEES_OTHERS
    void gs_note_awaits(gs_places *, PyObject *, int64_t)
    void gs_note_stack(gs_places *, PyObject *, int64_t)
    void gs_note_threads(gs_places *)
    void gs_note_caller(gs_places *)
    void gs_places_free(gs_places *)
    void *calloc(size_t, size_t)
    void free(void *)


NO_MEMORY = "gosched: out of memory for a dump"


sees_others = bool(GS_SEES_OTHERS)
"""While the world stands still (interp.stop_world). If not, the caller's thread is all that may be looked at."""


cdef class Album:
    """Taken while the world stands still, developed afterwards."""

    def __cinit__(self):
        self.taken = calloc(1, sizeof(gs_places))
        if self.taken == NULL:
            raise MemoryError(NO_MEMORY)

    def __dealloc__(self):
        if self.taken != NULL:
            gs_places_free(<gs_places *>self.taken)
            free(self.taken)

    cpdef void take_awaits(self, object body, int64_t number) noexcept:
        """A coroutine with all that it awaits, under that number."""
        gs_note_awaits(<gs_places *>self.taken, <PyObject *>body, number)

    cpdef void take_stack(self, object stack, int64_t number) noexcept:
        """One that was set aside."""
        gs_note_stack(<gs_places *>self.taken, <PyObject *>stack, number)

    cpdef void take_threads(self) noexcept:
        """All threads, each under its ident."""
        gs_note_threads(<gs_places *>self.taken)

    cpdef void take_caller(self) noexcept:
        """This thread alone."""
        gs_note_caller(<gs_places *>self.taken)

    cpdef dict develop(self):
        """By number: a tuple of (code, offset), innermost first. Who stand alike have the very same tuple."""
        cdef gs_places *taken = <gs_places *>self.taken
        cdef Py_ssize_t first = 0, i, k
        cdef dict found = {}, known = {}
        cdef list frames
        if taken.lacks:
            raise MemoryError(NO_MEMORY)
        for i in range(taken.n):
            if taken.places[i].code == NULL:
                look = PyBytes_FromStringAndSize(<char *>&taken.places[first], (i - first) * sizeof(gs_place))
                if look not in known:
                    frames = []
                    for k in range(first, i):
                        frames.append((<object>taken.places[k].code, taken.places[k].at))
                    known[look] = tuple(frames)
                found[taken.places[i].at] = known[look]
                first = i + 1
        return found
