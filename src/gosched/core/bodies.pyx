# cython: freethreading_compatible=True
"""How user code is entered and left: one step of a coroutine or a call, inside its context, and what came of it; and where it was started from.
bodies.py is the same in Python. Nothing here is shared between threads, and nothing decides what runs next.
"""
from libc.stdint cimport uintptr_t
from .words cimport gs_drop

from .callers import outside_frame
from .states import RAISED, RETURNED, YIELDED

cdef extern from "Python.h":
    void Py_INCREF(PyObject *)
    object PyContext_CopyCurrent()
    int PyContext_Enter(object) except -1
    int PyContext_Exit(object) except -1
    bint PyCoro_CheckExact(object)
    bint PyGen_CheckExact(object)
    bint PyFunction_Check(object)
    bint PyMethod_Check(object)
    PyObject *PyMethod_GET_FUNCTION(object)
    PyObject *PyFunction_GET_CODE(object)

cdef extern from "bodies.h":
    object gs_send(PyObject *, PyObject *, int *)
    ctypedef struct PyFrameObject:
        pass
    PyFrameObject *PyEval_GetFrame()
    PyObject *gs_peek(PyFrameObject *)
    bint gs_try_peek()
    int gs_code_lasti(PyFrameObject *)
    PyObject *gs_frame_code(PyFrameObject *)
    PyObject *gs_take_context()
    int gs_context_has_values()
    int gs_code_flags(PyObject *)
    int gs_may_wait(PyObject *, Py_ssize_t, int)
    int CO_COROUTINE, CO_ITERABLE_COROUTINE


cpdef object resume(object body, object value, object context, ThreadWords m):
    """Resumes a coroutine inside its context; m.outcome tells whether the result was yielded, returned or raised.

    A goroutine without a context runs in the thread's empty one. If it sets a variable there, CPython makes a context, and m adopts it for the
    goroutine: most never need one.
    """
    cdef object result
    enter_context(context)
    result = gs_send(<PyObject *>body, <PyObject *>value, &m.outcome)
    leave_context(context, m)
    return result


cpdef object call(object fn, object args, object context, ThreadWords m):
    """Calls a plain function inside its context."""
    cdef object result
    enter_context(context)
    try:
        result = fn(*args)
        m.outcome = RETURNED
    except BaseException as error:
        result = from_user_code(error)
        m.outcome = RAISED
    leave_context(context, m)
    return result


cdef object from_user_code(object error):
    """Its traceback does not begin with the entry that Cython makes for us."""
    first = error.__traceback__
    if first is not None and first.tb_frame.f_code.co_filename.endswith("bodies.pyx"):
        error.__traceback__ = first.tb_next
    return error


cpdef object throw(object body, object error, object context, ThreadWords m):
    """Resumes a coroutine with an exception."""
    cdef object result
    enter_context(context)
    try:
        result = body.throw(error)
        m.outcome = YIELDED
    except StopIteration as stop:
        result = stop.value
        m.outcome = RETURNED
    except BaseException as raised:
        result = from_user_code(raised)
        m.outcome = RAISED
    leave_context(context, m)
    return result


cdef inline int enter_context(object context) except -1:
    if context is None:
        gs_drop(gs_take_context())
        return 0
    return PyContext_Enter(context)


cdef inline int leave_context(object context, ThreadWords m) except -1:
    if context is None:
        m.adopted = gs_take_context()
        return 0
    return PyContext_Exit(context)


cpdef object copy_context():
    """A copy of the current context, or None if it is empty."""
    return PyContext_CopyCurrent() if gs_context_has_values() else None


cpdef bint is_coroutine(object x) noexcept:
    return PyCoro_CheckExact(x) or (PyGen_CheckExact(x) and gs_code_flags(<PyObject *>x.gi_code) & CO_ITERABLE_COROUTINE)


cpdef bint is_coroutine_function(object x) noexcept:
    cdef PyObject *f = <PyObject *>x
    if PyMethod_Check(x):
        f = PyMethod_GET_FUNCTION(x)
    return PyFunction_Check(<object>f) and gs_code_flags(PyFunction_GET_CODE(<object>f)) & CO_COROUTINE


cpdef bint may_wait(object fn, tuple args, bint alone) noexcept:
    """Whether the coroutine of this async function can be made when the goroutine first runs: its arguments fit, so nothing is left to fail."""
    return PyFunction_Check(fn) and gs_may_wait(<PyObject *>fn, len(args), alone)


cpdef void look_at_caller(ThreadWords m) noexcept:
    """Remembers in m the Python frame that called, until a goroutine takes it over."""
    cdef PyFrameObject *frame = PyEval_GetFrame()
    gs_drop(m.code)
    m.code = NULL
    if frame == NULL:
        return
    m.lasti = gs_code_lasti(frame)
    m.code = held_code(frame, m) if can_peek else gs_frame_code(frame)


cdef PyObject *held_code(PyFrameObject *frame, ThreadWords m) noexcept:
    """A reference to a holder of the frame's code that m made itself: its count is this thread's."""
    cdef PyObject *code = gs_peek(frame)
    cdef int slot = (<uintptr_t>code >> 6) & 7
    cdef CodeHolder holder
    if m.holders[slot] == NULL or (<CodeHolder>m.holders[slot]).code != code:
        holder = CodeHolder.__new__(CodeHolder)
        holder.code = gs_frame_code(frame)
        gs_drop(m.holders[slot])
        m.holders[slot] = <PyObject *>holder
        Py_INCREF(m.holders[slot])
    Py_INCREF(m.holders[slot])
    return m.holders[slot]


cdef bint can_peek = gs_try_peek()


cpdef void look_outside(ThreadWords m):
    """The same for the nearest frame outside the package."""
    frame = outside_frame()
    gs_drop(m.code)
    m.code = NULL
    if frame is not None:
        m.lasti = frame.f_lasti
        m.code = <PyObject *>frame.f_code
        Py_INCREF(m.code)
