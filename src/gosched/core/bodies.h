/* gosched: what bodies.pyx needs of CPython and Cython cannot say: a step of a coroutine, frames, contexts. Plain helpers, no policy. */
#ifndef GOSCHED_BODIES_H
#define GOSCHED_BODIES_H
#include <Python.h>

/* PyIter_Send whose result is an object in every case: what was yielded, returned or raised. */
static PyObject *gs_send(PyObject *body, PyObject *value, int *outcome)
{
    PyObject *result = NULL;
    *outcome = (int)PyIter_Send(body, value, &result);
    if (*outcome != PYGEN_ERROR)
        return result;
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *traceback;
    PyErr_Fetch(&type, &result, &traceback);
    PyErr_NormalizeException(&type, &result, &traceback);
    if (traceback)
        PyException_SetTraceback(result, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return result;
#endif
}

/* A free-threaded build: a code object's reference count is shared by all Ps that start goroutines from it, so each M keeps one reference to
 * the few it met last (CodeHolder) and compares without counting. That needs a look into the frame, which no public function offers; the look is
 * tried on a real frame when the module is loaded, and not used if it shows anything else than PyFrame_GetCode does. */
#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
typedef struct { PyObject base; PyObject *back; uintptr_t *frame; } gs_frame_head;
static PyObject *gs_peek(PyFrameObject *frame)
{
    return (PyObject *)(((gs_frame_head *)frame)->frame[0] & ~(uintptr_t)3);
}
static int gs_try_peek(void)
{
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame == NULL)
        return 0;
    PyObject *code = (PyObject *)PyFrame_GetCode(frame);
    Py_DECREF(code);
    return gs_peek(frame) == code;
}
#else
static PyObject *gs_peek(PyFrameObject *frame) { return NULL; }
static int gs_try_peek(void) { return 0; }
#endif
static int gs_code_lasti(PyFrameObject *frame) { return PyFrame_GetLasti(frame); }
static PyObject *gs_frame_code(PyFrameObject *frame) { return (PyObject *)PyFrame_GetCode(frame); }
/* This thread's context, taken off it. Values that context variables have cached for it are void then. */
static PyObject *gs_take_context(void)
{
    PyThreadState *thread = PyThreadState_Get();
    PyObject *context = thread->context;
    if (context != NULL) {
        thread->context = NULL;
        thread->context_ver++;
    }
    return context;
}
static int gs_context_has_values(void)
{
    PyObject *context = PyThreadState_Get()->context;
    return context != NULL && PyObject_Size(context) > 0;
}
/* An async function that can be called later: n arguments fit it for sure, and keeping it until then counts no reference
 * for which several Ps would compete. */
static int gs_may_wait(PyObject *fn, Py_ssize_t n, int alone)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(fn);
#if defined(Py_GIL_DISABLED)
    if (!alone && !_Py_IsOwnedByCurrentThread(fn))
        return 0;
#endif
    return code->co_argcount == n && code->co_kwonlyargcount == 0 && !(code->co_flags & (CO_VARARGS | CO_VARKEYWORDS));
}
static int gs_code_flags(PyObject *code) { return ((PyCodeObject *)code)->co_flags; }
#endif
