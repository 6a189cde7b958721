/* Where others stand: the code and the offset of each of their frames, innermost first, noted in plain memory.
 *
 * Nothing may move meanwhile. With a GIL the caller holds it and runs no Python, and the collector is off, which might. On a free-threaded 3.14 the world is
 * stopped: every other thread is detached, or waits to be let in, and has given back the locks of its critical sections. No other lock is taken here, and no
 * Python object is made: their frames are looked at as they lie, which needs to know how a frame of 3.14 looks inside (as in parked.h). Elsewhere
 * without a GIL nobody else is looked at.
 *
 * A stack that was set aside: greenlet ties its frames together past the entries on the C stack, whose memory is elsewhere then, when it leaves it.
 */
#ifndef GOSCHED_FRAMES_H
#define GOSCHED_FRAMES_H
#include <Python.h>
#include <string.h>
#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "internal/pycore_frame.h"
#include "internal/pycore_interpframe.h"
#define GS_SEES_INSIDE 1
#else
#define GS_SEES_INSIDE 0
#endif
#if GS_SEES_INSIDE || !defined(Py_GIL_DISABLED)
#define GS_SEES_OTHERS 1
#else
#define GS_SEES_OTHERS 0
#endif

/* A frame; or with code NULL, the end of what was noted about `at`: the number that the caller gave, or a thread's ident. */
typedef struct { PyObject *code; int64_t at; } gs_place;
typedef struct { gs_place *places; Py_ssize_t n, room; int lacks; } gs_places;

static void gs_note_place(gs_places *a, PyObject *code, int64_t at)
{
    if (a->n == a->room) {
        Py_ssize_t room = a->room != 0 ? 2 * a->room : 256;
        gs_place *more = (gs_place *)realloc(a->places, (size_t)room * sizeof *more);
        if (more == NULL) {
            a->lacks = 1;
            return;
        }
        a->places = more;
        a->room = room;
    }
    Py_XINCREF(code);
    a->places[a->n].code = code;
    a->places[a->n++].at = at;
}

static void gs_places_free(gs_places *a)
{
    for (Py_ssize_t i = 0; i < a->n; i++)
        Py_XDECREF(a->places[i].code);
    free(a->places);
}

#if GS_SEES_INSIDE
static void gs_note_chain(gs_places *a, _PyInterpreterFrame *f)
{
    for (; f != NULL; f = f->previous)
        if (f->owner < FRAME_OWNED_BY_INTERPRETER && PyCode_Check(PyStackRef_AsPyObjectBorrow(f->f_executable)) && !_PyFrame_IsIncomplete(f))
            gs_note_place(a, (PyObject *)_PyFrame_GetCode(f), PyUnstable_InterpreterFrame_GetLasti(f));
}
static void gs_note_thread(gs_places *a, PyThreadState *t) { gs_note_chain(a, t->current_frame); }
static void gs_note_callers(gs_places *a, PyObject *frame) { gs_note_chain(a, ((PyFrameObject *)frame)->f_frame); }

/* The frame of a generator, coroutine or async generator, and what it waits for: a new reference, or NULL. */
static PyObject *gs_note_body(gs_places *a, PyObject *body)
{
    PyGenObject *gen = (PyGenObject *)body;
    if (FRAME_STATE_FINISHED(gen->gi_frame_state))
        return NULL;
    gs_note_place(a, (PyObject *)_PyFrame_GetCode(&gen->gi_iframe), gen->gi_frame_state == FRAME_CREATED ? -1
        : PyUnstable_InterpreterFrame_GetLasti(&gen->gi_iframe));
    return gen->gi_frame_state == FRAME_SUSPENDED_YIELD_FROM ? Py_NewRef(PyStackRef_AsPyObjectBorrow(_PyFrame_StackPeek(&gen->gi_iframe))) : NULL;
}
#else
static void gs_note_frame(gs_places *a, PyFrameObject *frame)
{
    PyObject *code = (PyObject *)PyFrame_GetCode(frame);
    gs_note_place(a, code, PyFrame_GetLasti(frame));
    Py_DECREF(code);
}
static void gs_note_callers(gs_places *a, PyObject *frame)
{
    PyFrameObject *f = (PyFrameObject *)Py_NewRef(frame);
    while (f != NULL) {
        PyFrameObject *back = PyFrame_GetBack(f);
        gs_note_frame(a, f);
        Py_DECREF(f);
        f = back;
    }
}
static void gs_note_thread(gs_places *a, PyThreadState *t)
{
    PyObject *frame = (PyObject *)PyThreadState_GetFrame(t);
    if (frame != NULL)
        gs_note_callers(a, frame);
    Py_XDECREF(frame);
}
/* NULL also for None. */
static PyObject *gs_attribute(PyObject *o, const char *name)
{
    PyObject *value = PyObject_GetAttrString(o, name);
    if (value == NULL)
        PyErr_Clear();
    else if (value == Py_None)
        Py_CLEAR(value);
    return value;
}
static PyObject *gs_note_body(gs_places *a, PyObject *body)
{
    int kind = PyCoro_CheckExact(body) ? 0 : PyGen_CheckExact(body) ? 1 : 2;
    static const char *frames[] = {"cr_frame", "gi_frame", "ag_frame"}, *waits[] = {"cr_await", "gi_yieldfrom", "ag_await"};
    PyObject *frame = gs_attribute(body, frames[kind]);
    if (frame == NULL)
        return NULL;
    gs_note_frame(a, (PyFrameObject *)frame);
    Py_DECREF(frame);
    return gs_attribute(body, waits[kind]);
}
#endif

/* What a coroutine awaits may be a wrapper of the interpreter's own around one that has frames: an async generator's step, what `__await__` of a coroutine
 * returns. They do not say what is inside, but to the collector. */
static int gs_has_frames(PyObject *o) { return PyCoro_CheckExact(o) || PyGen_CheckExact(o) || PyAsyncGen_CheckExact(o); }
static int gs_wraps(PyObject *o)
{
    static const char *names[] = {"async_generator_asend", "async_generator_athrow", "coroutine_wrapper", "anext_awaitable"};
    if (!PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && Py_TYPE(o)->tp_traverse != NULL)
        for (int i = 0; i < 4; i++)
            if (strcmp(Py_TYPE(o)->tp_name, names[i]) == 0)
                return 1;
    return 0;
}
static int gs_pick(PyObject *o, void *found)
{
    if (*(PyObject **)found == NULL && (gs_has_frames(o) || gs_wraps(o)))
        *(PyObject **)found = o;
    return 0;
}

/* A new reference for the given one, or NULL. */
static PyObject *gs_unwrap(PyObject *o)
{
    while (o != NULL && !gs_has_frames(o)) {
        PyObject *inside = NULL;
        if (gs_wraps(o))
            Py_TYPE(o)->tp_traverse(o, gs_pick, &inside);
        Py_XINCREF(inside);
        Py_DECREF(o);
        o = inside;
    }
    return o;
}

/* The whole chain of awaits. It is found from its outer end. */
static void gs_note_awaits(gs_places *a, PyObject *body, int64_t number)
{
    Py_ssize_t first = a->n, last;
    PyObject *at = gs_unwrap(Py_NewRef(body));
    while (at != NULL) {
        PyObject *inner = gs_note_body(a, at);
        Py_DECREF(at);
        at = gs_unwrap(inner);
    }
    for (last = a->n - 1; first < last; first++, last--) {
        gs_place swapped = a->places[first];
        a->places[first] = a->places[last];
        a->places[last] = swapped;
    }
    gs_note_place(a, NULL, number);
}

/* A stack that was set aside. greenlet's attribute is found in its type's table: to ask for it by name may take the lock of types. */
static void gs_note_stack(gs_places *a, PyObject *stack, int64_t number)
{
    PyGetSetDef *d = Py_TYPE(stack)->tp_getset;
    while (d != NULL && d->name != NULL && strcmp(d->name, "gr_frame") != 0)
        d++;
    if (d != NULL && d->name != NULL) {
        PyObject *frame = d->get(stack, d->closure);
        if (frame == NULL)
            PyErr_Clear();
        else if (PyFrame_Check(frame))
            gs_note_callers(a, frame);
        Py_XDECREF(frame);
    }
    gs_note_place(a, NULL, number);
}

static void gs_note_caller(gs_places *a)
{
    gs_note_thread(a, PyThreadState_Get());
    gs_note_place(a, NULL, (int64_t)PyThreadState_Get()->thread_id);
}

static void gs_note_threads(gs_places *a)
{
    for (PyThreadState *t = PyInterpreterState_ThreadHead(PyInterpreterState_Get()); t != NULL; t = PyThreadState_Next(t)) {
        gs_note_thread(a, t);
        gs_note_place(a, NULL, (int64_t)t->thread_id);
    }
}
#endif
