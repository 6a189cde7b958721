/* The frames of stacks that were set aside, for the collector of a free-threaded 3.14.
 *
 * A frame there does not count its references to functions, code, classes and modules. The collector looks for those on the stacks that threads run on
 * now; what only a stack that was set aside refers to would be freed. So each thread has a yard with what it has set aside, and a collector's object
 * visits all yards as if it were a container of them.
 *
 * Between the frames there are entries that lie on the C stack, one for each call from C into Python. While a stack is aside its C memory is elsewhere:
 * so the chain is cut there, into runs, when it is set aside.
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

typedef struct { _PyInterpreterFrame *top; int n; } gs_run;
typedef struct gs_parked {
    struct gs_parked *prev, *next;
    gs_run *runs;
    int n, room;
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
        free(p->runs);
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
    int cut = 1;
    if (y == NULL)
        return NULL;
    if (p != NULL)
        y->spare = p->next;
    else if ((p = (gs_parked *)calloc(1, sizeof *p)) == NULL)
        return NULL;
    p->n = 0;
    for (_PyInterpreterFrame *f = PyThreadState_Get()->current_frame; f != NULL; f = f->previous) {
        if (f->owner == FRAME_OWNED_BY_INTERPRETER) {
            cut = 1;
            continue;
        }
        if (cut) {
            if (p->n == p->room) {
                gs_run *more = (gs_run *)realloc(p->runs, (size_t)(p->room + 2) * sizeof *more);
                if (more == NULL) {
                    p->next = y->spare;
                    y->spare = p;
                    return NULL;
                }
                p->runs = more;
                p->room += 2;
            }
            p->runs[p->n].top = f;
            p->runs[p->n++].n = 0;
            cut = 0;
        }
        p->runs[p->n - 1].n++;
    }
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
            for (int i = 0; i < p->n && stop == 0; i++) {
                _PyInterpreterFrame *f = p->runs[i].top;
                for (int k = p->runs[i].n; k > 0 && stop == 0; k--) {
                    stop = gs_visit_frame(f, visit, arg);
                    f = f->previous;
                }
            }
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
