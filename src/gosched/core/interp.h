/* What the runtime asks of the interpreter beyond its API. All on the caller's own thread, but for gs_stop_soon. */
#ifndef GOSCHED_INTERP_H
#define GOSCHED_INTERP_H
#include <Python.h>
#include <frameobject.h>
#include "parked.h"

static inline int gs_async_pending(void) { return PyThreadState_Get()->async_exc != NULL; }

/* What a thread is in the middle of, and another stack on it is not: inside a trace function or the callback of an event, and on a free-threaded build
 * inside critical sections, whose locks it must give back, as it does whenever it leaves the interpreter: nobody else could wait for them here. */
typedef struct { int tracing; uintptr_t sections; gs_parked *frames; } gs_aside;

/* -1: no memory. */
static inline int gs_put_aside(gs_aside *kept)
{
    PyThreadState *t = PyThreadState_Get();
    kept->frames = gs_frames_aside();
    if (kept->frames == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    kept->tracing = t->tracing;
    kept->sections = 0;
    t->tracing = 0;
#if defined(Py_GIL_DISABLED)
    if (t->critical_section != 0) {
        PyEval_SaveThread();
        kept->sections = t->critical_section;
        t->critical_section = 0;
        PyEval_RestoreThread(t);
    }
#endif
    return 0;
}

static inline void gs_take_up(const gs_aside *kept)
{
    PyThreadState *t = PyThreadState_Get();
    gs_frames_back(kept->frames);
    t->tracing = kept->tracing;
#if PY_VERSION_HEX < 0x030C0000
    PyThreadState_EnterTracing(t); /* whether an evaluation is traced is written into each: what changed meanwhile is not in this one */
    PyThreadState_LeaveTracing(t);
#endif
#if defined(Py_GIL_DISABLED)
    if (kept->sections != 0) {
        PyEval_SaveThread();
        t->critical_section = kept->sections;
        PyEval_RestoreThread(t);
    }
#endif
}

/* Between the two only the caller runs. With a GIL it is enough to keep it: who calls runs no bytecode meanwhile. The collector is off: before 3.12 any
 * allocation may start it, and it runs finalisers. Returns whether it was on. */
#if defined(Py_GIL_DISABLED)
extern PyAPI_FUNC(void) _PyEval_StopTheWorld(PyInterpreterState *);
extern PyAPI_FUNC(void) _PyEval_StartTheWorld(PyInterpreterState *);
#endif
static int gs_stop_world(void)
{
#if defined(Py_GIL_DISABLED)
    _PyEval_StopTheWorld(PyInterpreterState_Get());
#endif
    return PyGC_Disable();
}
static void gs_start_world(int collects)
{
    if (collects)
        PyGC_Enable();
#if defined(Py_GIL_DISABLED)
    _PyEval_StartTheWorld(PyInterpreterState_Get());
#endif
}

/* In 3.11 a thread that was started and has not begun bears the id of who started it, until it writes its own, and stands before it in the list: an
 * exception or a trace for the one would go to the other. The oldest is meant. */
#if PY_VERSION_HEX < 0x030C0000
static PyThreadState *gs_thread_of(unsigned long ident)
{
    PyThreadState *found = NULL;
    for (PyThreadState *t = PyInterpreterState_ThreadHead(PyInterpreterState_Get()); t != NULL; t = PyThreadState_Next(t))
        if (t->thread_id == ident)
            found = t;
    return found;
}
static void gs_unname_newborns(unsigned long ident)
{
    PyThreadState *meant = gs_thread_of(ident);
    for (PyThreadState *t = PyInterpreterState_ThreadHead(PyInterpreterState_Get()); t != NULL; t = PyThreadState_Next(t)) {
        unsigned long its = ident;
        if (t != meant) /* race: it begins in this moment, without the GIL, and its own id must stand */
            __atomic_compare_exchange_n(&t->thread_id, &its, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}
#else
static void gs_unname_newborns(unsigned long ident) {}
#endif

/* 3.11 has no sys.monitoring, but tracing of one thread costs the others nothing, and may be switched on by any thread that has the GIL: the next line,
 * call or backward jump of thread t comes to `stop`. Not if a debugger or a coverage tool traces it. */
#if PY_VERSION_HEX < 0x030C0000
static int gs_stop_soon(unsigned long ident, Py_tracefunc stop)
{
    PyThreadState *t = gs_thread_of(ident);
    if (t == NULL || (t->c_tracefunc != NULL && t->c_tracefunc != stop))
        return 0;
    t->c_tracefunc = stop;
    PyThreadState_EnterTracing(t);
    PyThreadState_LeaveTracing(t);
    return 1;
}
static void gs_stop_no_more(Py_tracefunc stop)
{
    PyThreadState *t = PyThreadState_Get();
    if (t->c_tracefunc == stop)
        t->c_tracefunc = NULL;
}
#else
static int gs_stop_soon(unsigned long ident, Py_tracefunc stop) { return 0; }
static void gs_stop_no_more(Py_tracefunc stop) {}
#endif
#endif
