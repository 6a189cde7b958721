/* The frames of stacks that were set aside, for the collector of a free-threaded 3.14.
 *
 * A frame there does not count its references to functions, code, classes and modules. The collector looks for those on the stacks that threads run on
 * now; what only a stack that was set aside refers to would be freed. So each thread has a yard with what it has set aside, and a collector's object
 * visits all yards as if it were a container of them.
 *
 * Between the frames there are entries that lie on the C stack, one for each call from C into Python, and while a stack is aside its C memory is
 * elsewhere. So greenlet, when it leaves a stack, links its frames past them, and past frames that are not complete, such as the one that CPython puts
 * below an __init__; when it comes back it mends that. Here the chain is walked as it is at the moment of a collection: a thread is stopped for one
 * before greenlet has left the stack, or when it has come back, and then the entries are there and told by their owner; or while it is aside, and then
 * they are not in the chain. It ends with NULL in either case.
 *
 * What is visited here is counted nowhere, so the collector finds fewer references than it subtracts. That is harmless: an object whose difference is
 * not 0 is taken for reachable, one whose difference becomes 0 is found from here, and this object is reachable.
 *
 * gc.freeze() puts every object there is out of the collector's sight, this one as well: so it is thawed before each collection.
 *
 * Locks: the yards', then a yard's. Held without any call into the interpreter but `visit`, so nobody is stopped for a collection while it has one.
 */
#ifndef GOSCHED_PARKED_H
#define GOSCHED_PARKED_H
#include <Python.h>

#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "internal/pycore_gc.h"
#include "internal/pycore_interpframe.h"
#define GS_SHOWS_FRAMES 1

typedef struct gs_parked {
    struct gs_parked *prev, *next;
    _PyInterpreterFrame *top;
} gs_parked;
typedef struct gs_yard {
    PyMutex lock;
    gs_parked *first, *spare;
    struct gs_yard *prev, *next;
} gs_yard;

static PyMutex gs_yards_lock;
static gs_yard *gs_yards;
static __thread gs_yard *gs_my_yard;

/* NULL: no memory. */
static gs_yard *gs_yard_here(void)
{
    gs_yard *y = gs_my_yard;
    if (y == NULL && (y = (gs_yard *)calloc(1, sizeof *y)) != NULL) {
        PyMutex_Lock(&gs_yards_lock);
        y->next = gs_yards;
        if (gs_yards != NULL)
            gs_yards->prev = y;
        gs_yards = y;
        PyMutex_Unlock(&gs_yards_lock);
        gs_my_yard = y;
    }
    return y;
}

static void gs_parked_free(gs_parked *p)
{
    while (p != NULL) {
        gs_parked *next = p->next;
        free(p);
        p = next;
    }
}

/* An M ends, and its thread with it. Not so in the explorer, whose Ms share one: there others may have stacks aside. */
static void gs_yard_close(void)
{
    gs_yard *y = gs_my_yard;
    if (y == NULL || y->first != NULL)
        return;
    gs_my_yard = NULL;
    PyMutex_Lock(&gs_yards_lock);
    if (y->prev != NULL)
        y->prev->next = y->next;
    else
        gs_yards = y->next;
    if (y->next != NULL)
        y->next->prev = y->prev;
    PyMutex_Unlock(&gs_yards_lock);
    gs_parked_free(y->spare);
    free(y);
}

/* The frames of this stack, which is about to be left. NULL: no memory. */
static gs_parked *gs_frames_aside(void)
{
    gs_yard *y = gs_yard_here();
    gs_parked *p = y == NULL ? NULL : y->spare;
    if (y == NULL)
        return NULL;
    if (p != NULL)
        y->spare = p->next;
    else if ((p = (gs_parked *)calloc(1, sizeof *p)) == NULL)
        return NULL;
    p->top = PyThreadState_Get()->current_frame;
    while (p->top != NULL && _PyFrame_IsIncomplete(p->top)) /* greenlet leaves such a one as it is */
        p->top = p->top->previous;
    PyMutex_Lock(&y->lock);
    p->prev = NULL;
    p->next = y->first;
    if (p->next != NULL)
        p->next->prev = p;
    y->first = p;
    PyMutex_Unlock(&y->lock);
    return p;
}

/* On the same thread: the stack goes on. */
static void gs_frames_back(gs_parked *p)
{
    gs_yard *y = gs_my_yard;
    PyMutex_Lock(&y->lock);
    if (p->prev != NULL)
        p->prev->next = p->next;
    else
        y->first = p->next;
    if (p->next != NULL)
        p->next->prev = p->prev;
    PyMutex_Unlock(&y->lock);
    p->next = y->spare;
    y->spare = p;
}

/* Of what is not counted alone: the rest is known as referred to from outside. */
static int gs_visit_ref(_PyStackRef ref, visitproc visit, void *arg)
{
    if (PyStackRef_IsDeferred(ref) && !PyStackRef_IsNull(ref) && !PyStackRef_IsTaggedInt(ref)) /* where an exception came from is a number there */
        Py_VISIT(PyStackRef_AsPyObjectBorrow(ref));
    return 0;
}

static int gs_visit_frame(_PyInterpreterFrame *f, visitproc visit, void *arg)
{
    int stop = gs_visit_ref(f->f_executable, visit, arg);
    if (stop == 0)
        stop = gs_visit_ref(f->f_funcobj, visit, arg);
    for (_PyStackRef *ref = f->localsplus; stop == 0 && ref < f->stackpointer; ref++)
        stop = gs_visit_ref(*ref, visit, arg);
    return stop;
}

static int gs_visit_yards(PyObject *self, visitproc visit, void *arg)
{
    int stop = 0;
    PyMutex_Lock(&gs_yards_lock);
    for (gs_yard *y = gs_yards; y != NULL && stop == 0; y = y->next) {
        PyMutex_Lock(&y->lock);
        for (gs_parked *p = y->first; p != NULL && stop == 0; p = p->next)
            for (_PyInterpreterFrame *f = p->top; f != NULL && stop == 0; f = f->previous)
                if (f->owner != FRAME_OWNED_BY_INTERPRETER)
                    stop = gs_visit_frame(f, visit, arg);
        PyMutex_Unlock(&y->lock);
    }
    PyMutex_Unlock(&gs_yards_lock);
    return stop;
}
static void gs_show_frames(PyObject *type) { ((PyTypeObject *)type)->tp_traverse = gs_visit_yards; }
static void gs_thaw(PyObject *o) { _PyObject_CLEAR_GC_BITS(o, _PyGC_BITS_FROZEN); }
#else
#define GS_SHOWS_FRAMES 0
typedef struct { int none; } gs_parked;
static inline gs_parked *gs_frames_aside(void) { static gs_parked none; return &none; }
static inline void gs_frames_back(gs_parked *p) { (void)p; }
static inline void gs_yard_close(void) {}
static inline void gs_show_frames(PyObject *type) { (void)type; }
static inline void gs_thaw(PyObject *o) { (void)o; }
#endif
#endif
