/* Which of the goroutines that sleep can still be woken: the collector's own reckoning, for goroutines.
 *
 *   sleepers    goroutines that wait, and that only the other side of what they wait on could wake
 *   nodes       all that can be reached from them. Each knows how many of its references do not come from other nodes: `outside`
 *   alive       a node with a reference from outside; what an alive node refers to; a sleeper that stands in the queue of an alive channel, lock, …; what
 *               an alive sleeper refers to. Whoever is not alive in the end waits for ever.
 *
 * What is left out of the nodes counts as outside, so to leave out errs on the side of life: modules, classes, code, the globals of functions, all that
 * lives for ever, the scheduler itself. A goroutine is no node either: who has a Goroutine cannot wake it by that.
 *
 * While references are counted, an edge is followed only if it is a counted reference; while life spreads, every edge is followed. From 3.14 on the two
 * differ: a frame may borrow, and without a GIL it counts no references to what has a deferred count.
 *
 * The world stands still: no Python runs here, nothing is counted up or down. `natives` are the edges and queues that the collector does not know
 * (reach.pyx).
 */
#ifndef GOSCHED_REACH_H
#define GOSCHED_REACH_H
#include <Python.h>
#include <stdint.h>

#if PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "internal/pycore_frame.h"
#include "internal/pycore_interpframe.h"
#include "internal/pycore_gc.h"
#include "internal/pycore_dict.h"
#define GS_STACK_REFS 1
#else
#define GS_STACK_REFS 0
#endif

#if PY_VERSION_HEX >= 0x030F0000 || (defined(Py_GIL_DISABLED) && !GS_STACK_REFS)
#define GS_JUDGES 0
#else
#define GS_JUDGES 1
#endif

typedef struct {
    PyTypeObject *goroutine;
    PyTypeObject *kept[3];    /* nodes, whether the collector knows them or not: queues, channels, operations */
    PyTypeObject *waking[3];  /* what wakes the goroutines that it refers to: queues, channels; the last: timers, which end a wait */
    PyTypeObject *outside[4]; /* the scheduler's own */
    int (*edges)(PyObject *, visitproc, void *);
    int (*waiters)(PyObject *, visitproc, void *);
} gs_natives;
static gs_natives gs_native;

enum { GS_ALIVE = 1, GS_SLEEPER = 2, GS_GUARD_SEEN = 4 };
typedef struct { PyObject *o; Py_ssize_t outside; int flags; } gs_node;
typedef struct {
    gs_node *nodes;
    uint32_t *slots, *todo;
    uint32_t n, room, mask, left;
    int wakes;
} gs_reach;

static int gs_any_of(PyObject *o, PyTypeObject **types, int n)
{
    for (int i = 0; i < n; i++)
        if (PyObject_TypeCheck(o, types[i]))
            return 1;
    return 0;
}
#define GS_ANY_OF(o, types) gs_any_of(o, types, (int)(sizeof(types) / sizeof *(types)))

static int gs_lives_anyway(PyObject *o)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (_Py_IsImmortal(o))
        return 1;
#endif
#if defined(Py_GIL_DISABLED) && GS_STACK_REFS
    if (o->ob_gc_bits & _PyGC_BITS_DEFERRED)
        return 1;
    if (PyDict_Check(o) && _PyDict_UniqueId((PyDictObject *)o) != 0) /* each thread counts for itself */
        return 1;
#endif
    return PyType_Check(o) || PyModule_Check(o) || PyCode_Check(o) || GS_ANY_OF(o, gs_native.outside);
}

static uint32_t *gs_slot_of(gs_reach *r, PyObject *o)
{
    uint32_t at = (uint32_t)(((uint64_t)(uintptr_t)o * 0x9E3779B97F4A7C15u) >> 32) & r->mask;
    while (r->slots[at] != 0 && r->nodes[r->slots[at] - 1].o != o)
        at = (at + 1) & r->mask;
    return &r->slots[at];
}

static gs_node *gs_node_of(gs_reach *r, PyObject *o)
{
    uint32_t i = *gs_slot_of(r, o);
    return i == 0 ? NULL : &r->nodes[i - 1];
}

/* 0: no memory. */
static int gs_grow(gs_reach *r)
{
    uint32_t room = r->room ? 2 * r->room : 1024;
    gs_node *nodes = (gs_node *)realloc(r->nodes, room * sizeof *nodes);
    if (nodes == NULL)
        return 0;
    r->nodes = nodes;
    uint32_t *slots = (uint32_t *)calloc(2 * (size_t)room, sizeof *slots);
    if (slots == NULL)
        return 0;
    free(r->slots);
    r->slots = slots;
    r->mask = 2 * room - 1;
    r->room = room;
    for (uint32_t i = 0; i < r->n; i++)
        *gs_slot_of(r, nodes[i].o) = i + 1;
    return 1;
}

/* NULL: no memory. */
static gs_node *gs_add(gs_reach *r, PyObject *o, int flags)
{
    if (r->n == r->room && !gs_grow(r))
        return NULL;
    gs_node *node = &r->nodes[r->n];
    node->o = o;
    node->outside = Py_REFCNT(o);
    node->flags = flags;
    *gs_slot_of(r, o) = ++r->n;
    return node;
}

#if GS_STACK_REFS
static int gs_visit_counted(_PyStackRef ref, visitproc visit, void *arg)
{
#if defined(Py_GIL_DISABLED)
    if (PyStackRef_IsNull(ref) || PyStackRef_IsDeferred(ref))
        return 0;
#else
    if (PyStackRef_IsNull(ref) || !PyStackRef_RefcountOnObject(ref))
        return 0;
#endif
    return visit(PyStackRef_AsPyObjectBorrow(ref), arg);
}

/* Of a generator, coroutine or async generator that is not running: of one that is, all is taken for outside. No more than the collector visits:
 * gi_origin_or_finalizer is not filled in for all of them. */
static int gs_visit_suspended(PyGenObject *gen, visitproc visit, void *arg)
{
    _PyInterpreterFrame *f = &gen->gi_iframe;
    int stop = 0;
    if (gen->gi_frame_state == FRAME_EXECUTING)
        return 0;
    if (gen->gi_frame_state < FRAME_EXECUTING) {
        Py_VISIT(f->f_locals);
        stop = gs_visit_counted(f->f_funcobj, visit, arg);
        for (_PyStackRef *ref = f->localsplus; stop == 0 && ref < f->stackpointer; ref++)
            stop = gs_visit_counted(*ref, visit, arg);
    }
    Py_VISIT(gen->gi_exc_state.exc_value);
    return stop;
}
#endif

static int gs_visit_edges(PyObject *o, visitproc visit, void *arg, int counted)
{
    int stop = gs_native.edges(o, visit, arg);
    if (stop != 0)
        return stop;
    if (counted && PyFunction_Check(o)) {
        PyFunctionObject *f = (PyFunctionObject *)o;
        Py_VISIT(f->func_closure);
        Py_VISIT(f->func_defaults);
        Py_VISIT(f->func_kwdefaults);
        Py_VISIT(f->func_dict);
        return 0;
    }
#if GS_STACK_REFS
    if (counted && (PyGen_Check(o) || PyCoro_CheckExact(o) || PyAsyncGen_CheckExact(o)))
        return gs_visit_suspended((PyGenObject *)o, visit, arg);
    if (counted && PyFrame_Check(o))
        return 0;
#endif
    return PyObject_IS_GC(o) && Py_TYPE(o)->tp_traverse != NULL ? Py_TYPE(o)->tp_traverse(o, visit, arg) : 0;
}

/* A node refers to o. */
static int gs_count(PyObject *o, void *arg)
{
    gs_reach *r = (gs_reach *)arg;
    gs_node *node;
    if (PyObject_TypeCheck(o, gs_native.goroutine)) {
        node = r->wakes ? gs_node_of(r, o) : NULL;
        if (node != NULL)
            node->flags |= GS_GUARD_SEEN;
        return 0;
    }
    node = gs_node_of(r, o);
    if (node == NULL) {
        if ((!PyObject_IS_GC(o) && !GS_ANY_OF(o, gs_native.kept)) || gs_lives_anyway(o))
            return 0;
        node = gs_add(r, o, 0);
        if (node == NULL)
            return -1;
    }
    node->outside--;
    return 0;
}

static void gs_revive(gs_reach *r, gs_node *node)
{
    if (!(node->flags & GS_ALIVE)) {
        node->flags |= GS_ALIVE;
        r->todo[r->left++] = (uint32_t)(node - r->nodes);
    }
}

/* What is alive refers to o. */
static int gs_spread(PyObject *o, void *arg)
{
    gs_reach *r = (gs_reach *)arg;
    gs_node *node = gs_node_of(r, o);
    if (node != NULL && (r->wakes || !(node->flags & GS_SLEEPER)))
        gs_revive(r, node);
    return 0;
}

/* w waits in the queue of what is alive: a goroutine, or what stands for one. */
static int gs_wake(PyObject *w, void *arg)
{
    if (PyObject_TypeCheck(w, gs_native.goroutine))
        return gs_spread(w, arg);
    return gs_visit_edges(w, gs_spread, arg, 0);
}

/* Before: every sleeper was added. 0: no memory. */
static int gs_count_all(gs_reach *r)
{
    if (r->n == 0)
        return 1;
    for (uint32_t i = 0; i < r->n; i++) {
        r->wakes = PyObject_TypeCheck(r->nodes[i].o, gs_native.waking[2]);
        if (gs_visit_edges(r->nodes[i].o, gs_count, r, 1) != 0)
            return 0;
    }
    r->todo = (uint32_t *)malloc(r->n * sizeof *r->todo);
    return r->todo != NULL;
}

static void gs_spread_all(gs_reach *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (!(r->nodes[i].flags & GS_SLEEPER) && r->nodes[i].outside > 0)
            gs_revive(r, &r->nodes[i]);
    while (r->left != 0) {
        PyObject *o = r->nodes[r->todo[--r->left]].o;
        r->wakes = GS_ANY_OF(o, gs_native.waking);
        gs_visit_edges(o, gs_spread, r, 0);
        if (r->wakes)
            gs_native.waiters(o, gs_wake, r);
    }
}

static void gs_reach_free(gs_reach *r)
{
    free(r->nodes);
    free(r->slots);
    free(r->todo);
}
#endif
