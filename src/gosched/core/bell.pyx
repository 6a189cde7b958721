# cython: freethreading_compatible=True
"""The bell of run(), compiled: bell.py is its twin. A lock of free-threaded CPython spins when it is waited for with a limit, and takes a core from the
goroutines that it waits for; this one sleeps in the kernel."""
from .words cimport gs_note_clear, gs_note_doze, gs_note_wake
from cpython.exc cimport PyErr_CheckSignals


cdef class Bell:
    """Rung by anybody, in a signal handler and in a finaliser, too; heard by one."""

    cpdef void ring(self) noexcept:
        gs_note_wake(&self.note)

    cpdef bint listen(self, double seconds) except -1:
        """Whether it was rung within so many seconds. A signal ends the wait early; what its handler raises is raised."""
        cdef bint rung
        cdef int64_t ns = <int64_t>(seconds * 1e9)
        with nogil:
            rung = gs_note_doze(&self.note, ns)
        PyErr_CheckSignals()
        if rung:
            gs_note_clear(&self.note)  # race: rung again since: the caller looks at everything after this
        return rung
