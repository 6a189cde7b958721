/* gosched: is a thread attached to the interpreter? Read without the GIL, of a thread state that is known to live. */
#ifndef GOSCHED_ATTACHED_H
#define GOSCHED_ATTACHED_H
#include <Python.h>
#if defined(Py_GIL_DISABLED)
#define GS_WITH_GIL 0
#else
#define GS_WITH_GIL 1
#endif
static inline int gs_attached(void *thread)
{
    PyThreadState *t = (PyThreadState *)thread;
#if PY_VERSION_HEX >= 0x030D0000
    return __atomic_load_n(&t->state, __ATOMIC_RELAXED) != 0;
#elif PY_VERSION_HEX >= 0x030C0000
    return t->_status.active;
#else
    return _PyThreadState_UncheckedGet() == t;
#endif
}
#endif
