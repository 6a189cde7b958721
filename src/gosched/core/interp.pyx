# cython: freethreading_compatible=True
"""What the runtime asks of the interpreter: to raise something soon, to say what it runs, to go on on another stack, to stop a thread or all. interp.py is
the same for the pure build.
"""
import gc

from cpython.object cimport PyObject
from gosched.errors import Goexit

from .callers import absorb

cdef extern from "Python.h":
    ctypedef struct PyFrameObject:
        pass
    ctypedef int (*Py_tracefunc)(PyObject *, PyFrameObject *, int, PyObject *) except -1
    PyFrameObject *PyEval_GetFrame()
    int PyThreadState_SetAsyncExc(unsigned long, PyObject *)
    unsigned long PyThread_get_thread_ident()

cdef extern from "interp.h":
    int gs_async_pending()
    ctypedef struct gs_aside:
        pass
    int gs_put_aside(gs_aside *) except -1
    void gs_yard_close()
    void gs_show_frames(PyObject *)
    void gs_thaw(PyObject *)
    int GS_SHOWS_FRAMES
    void gs_take_up(const gs_aside *)
    void gs_unname_newborns(unsigned long)
    int gs_stop_soon(unsigned long, Py_tracefunc)
    void gs_stop_no_more(Py_tracefunc)
    int gs_stop_world()
    void gs_start_world(int)


cpdef bint raise_soon(object error) noexcept:
    """On this thread, at its next bytecode: what a finaliser cannot raise itself. None: takes it back, if it was not raised yet."""
    if error is not None:
        raise_in(PyThread_get_thread_ident(), error)
    elif gs_async_pending():
        try:
            absorb()
        except Goexit:
            pass
    return True


cpdef void raise_in(unsigned long ident, object error) noexcept:
    """The same on another thread: between two bytecodes, or when it comes back from a call."""
    gs_unname_newborns(ident)
    PyThreadState_SetAsyncExc(ident, <PyObject *>error)


cpdef object innermost_frame():
    """Of the code that this thread runs, without running any."""
    cdef PyFrameObject *frame = PyEval_GetFrame()
    return None if frame == NULL else <object><PyObject *>frame


cpdef bint interrupts_core() noexcept:
    """Compiled code is never interrupted."""
    return False


shows_frames = bool(GS_SHOWS_FRAMES)


cdef class Yards:
    """To the collector, what refers to all that stands in frames of stacks that were set aside."""
    cdef object none


gs_show_frames(<PyObject *>Yards)
cdef Yards _yards = Yards()


def before_collection(phase, info):
    """gc.freeze() may have hidden the yards from the collector."""
    if phase == "start":
        gs_thaw(<PyObject *>_yards)


if shows_frames:
    gc.callbacks.append(before_collection)


cpdef object switch_stack(object stack):
    """Goes on there. Returns when somebody goes on here."""
    cdef gs_aside kept
    gs_put_aside(&kept)
    try:
        stack.switch()
    finally:
        gs_take_up(&kept)


cpdef object unwind_stack(object stack):
    """Ends it, and comes back."""
    cdef gs_aside kept
    gs_put_aside(&kept)
    try:
        stack.throw()
    finally:
        gs_take_up(&kept)


cpdef void no_more_stacks() noexcept:
    """This thread is done with them."""
    gs_yard_close()


cdef object _stopped = None


cdef int _stop(PyObject *none, PyFrameObject *frame, int event, PyObject *arg) except -1:
    _stopped()
    return 0


cpdef bint stop_soon(unsigned long ident, object stopped) noexcept:
    """By any thread, with the GIL held: that thread calls `stopped` at its next line, call or return, again and again. False: it cannot be done."""
    global _stopped
    _stopped = stopped
    return gs_stop_soon(ident, _stop)


cpdef void stop_no_more() noexcept:
    """By the thread that was to stop."""
    gs_stop_no_more(_stop)


cpdef int stop_world() noexcept:
    """Nothing else runs until start_world is told what this returns. Who calls meanwhile runs no Python, waits for no lock and drops no last reference."""
    return gs_stop_world()


cpdef void start_world(int before) noexcept:
    gs_start_world(before)
