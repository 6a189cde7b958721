/* gosched: what native.pyx needs of CPython and Cython cannot say: reference counts as they are, the pools of operations, the current M. Plain helpers, no policy. */
#ifndef GOSCHED_PYNATIVE_H
#define GOSCHED_PYNATIVE_H
#include <Python.h>
/* A variable of each thread that is read at every operation: where the loader leaves room for it, at a fixed offset instead of through a call. */
#if defined(__GLIBC__)
#define GS_THREAD __thread __attribute__((tls_model("initial-exec")))
#else
#define GS_THREAD __thread
#endif
#if defined(Py_GIL_DISABLED)
/* Only the owner's count is exact, and only if nobody else ever counted. */
static int gs_refs_are(PyObject *o, Py_ssize_t n)
{
    return _Py_IsOwnedByCurrentThread(o) && __atomic_load_n(&o->ob_ref_local, __ATOMIC_RELAXED) == (uint32_t)n
        && __atomic_load_n(&o->ob_ref_shared, __ATOMIC_RELAXED) == 0;
}
#else
static int gs_refs_are(PyObject *o, Py_ssize_t n) { return Py_REFCNT(o) == n; }
#endif

/* An object that lives as long as the process, and that no thread counts references to. */
static void gs_immortal(PyObject *o)
{
    Py_INCREF(o);
#if defined(Py_GIL_DISABLED)
    o->ob_tid = _Py_UNOWNED_TID;
    o->ob_ref_local = _Py_IMMORTAL_REFCNT_LOCAL;
    o->ob_ref_shared = 0;
#elif PY_VERSION_HEX >= 0x030E0000
    o->ob_refcnt = _Py_IMMORTAL_INITIAL_REFCNT;
#elif PY_VERSION_HEX >= 0x030C0000
    o->ob_refcnt = _Py_IMMORTAL_REFCNT;
#endif
}
/* Ends an awaitable with a value: StopIteration as the interpreter will take it apart, and nothing that it will not look at. For the
 * __next__ of a type: `await` calls it directly, and asks for the exception at once. */
static PyTypeObject gs_stop_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "gosched.core.native.Stop",
    .tp_basicsize = sizeof(PyStopIterationObject),
    .tp_flags = Py_TPFLAGS_DEFAULT, /* and the collector's, inherited */
};
static GS_THREAD PyObject *gs_spare_stop;
/* One that the interpreter took apart is the next one. One that was raised in earnest, and has a past, goes the way of all objects. */
static void gs_drop_stop(PyObject *o)
{
    PyStopIterationObject *stop = (PyStopIterationObject *)o;
    if (gs_spare_stop == NULL && stop->dict == NULL && stop->notes == NULL && stop->traceback == NULL && stop->context == NULL && stop->cause == NULL) {
        Py_CLEAR(stop->value);
        gs_spare_stop = o;
    }
    else
        ((PyTypeObject *)PyExc_StopIteration)->tp_dealloc(o);
}
static int gs_open_stop(void)
{
    gs_stop_type.tp_base = (PyTypeObject *)PyExc_StopIteration;
    gs_stop_type.tp_dealloc = gs_drop_stop;
    return PyType_Ready(&gs_stop_type);
}
static PyObject *gs_stop_with(PyObject *value)
{
    PyTypeObject *type = &gs_stop_type;
    PyStopIterationObject *stop = (PyStopIterationObject *)gs_spare_stop;
    if (value == Py_None)
        return NULL;
    if (stop != NULL) {
        gs_spare_stop = NULL;
        _Py_NewReference((PyObject *)stop);
    }
    else {
        stop = PyObject_GC_New(PyStopIterationObject, type);
        if (stop == NULL)
            return NULL;
        memset((char *)stop + sizeof(PyObject), 0, sizeof *stop - sizeof(PyObject));
        stop->args = PyTuple_New(0);
    }
    stop->value = Py_NewRef(value);
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException((PyObject *)stop);
#else
    PyErr_Restore(Py_NewRef((PyObject *)type), (PyObject *)stop, NULL);
#endif
    return NULL;
}
static void gs_free_stop(void)
{
    PyObject *stop = gs_spare_stop;
    gs_spare_stop = NULL;
    if (stop != NULL)
        ((PyTypeObject *)PyExc_StopIteration)->tp_dealloc(stop);
}
/* Awaitables of the two hottest kinds, kept per thread for reuse. What they refer to lies at gs_op_parts, two references. */
enum { GS_KINDS = 2, GS_SPARES = 16 };
static Py_ssize_t gs_op_parts;
static PyTypeObject *gs_op_type[GS_KINDS];
static destructor gs_op_dealloc[GS_KINDS];
static GS_THREAD struct { PyObject *op[GS_SPARES]; int n; } gs_pool[GS_KINDS];
static void gs_open_pools(Py_ssize_t parts) { gs_op_parts = parts; }
static void gs_drop_op(PyObject *o)
{
    int kind = Py_TYPE(o) == gs_op_type[1];
    PyObject **parts = (PyObject **)((char *)o + gs_op_parts);
    Py_CLEAR(parts[0]); /* may run anything */
    Py_CLEAR(parts[1]);
    if (gs_pool[kind].n < GS_SPARES)
        gs_pool[kind].op[gs_pool[kind].n++] = o;
    else
        gs_op_dealloc[kind](o);
}
static void gs_pool_type(PyObject *type, int kind)
{
    gs_op_type[kind] = (PyTypeObject *)type;
    gs_op_dealloc[kind] = gs_op_type[kind]->tp_dealloc;
    gs_op_type[kind]->tp_dealloc = gs_drop_op;
}
static PyObject *gs_take_spare(int kind)
{
    PyObject *o;
    if (gs_pool[kind].n == 0)
        return NULL;
    o = gs_pool[kind].op[--gs_pool[kind].n];
    _Py_NewReference(o);
    return o;
}
static void gs_drop_spares(void)
{
    for (int kind = 0; kind < GS_KINDS; kind++)
        while (gs_pool[kind].n)
            gs_op_dealloc[kind](gs_pool[kind].op[--gs_pool[kind].n]);
    gs_free_stop();
}
/* A class in Python that inherits a compiled __anext__ would look it up by name at every turn of an `async for`. */
static void gs_share_anext(PyObject *child, PyObject *parent)
{
    ((PyTypeObject *)child)->tp_as_async->am_anext = ((PyTypeObject *)parent)->tp_as_async->am_anext;
}
static void gs_set_next(PyObject *type, iternextfunc next) { ((PyTypeObject *)type)->tp_iternext = next; }
static GS_THREAD PyObject *gs_current;
static PyObject *gs_get_current(void) { return Py_NewRef(gs_current ? gs_current : Py_None); }
#endif
