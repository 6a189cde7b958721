# cython: freethreading_compatible=True
"""Which goroutines that sleep can still be woken, compiled: reach.h has the reckoning, reach.py the same for the pure build."""
from cpython.object cimport PyObject

from .g cimport Goroutine
from .native cimport (
    Awaitable, ChannelWords, gs_link, GoroutineList, LockedWaiter, RunQueue, SchedulerWords, seat_offset, StateWord, ThreadWords, WaitQueue,
)

from . import native
from .g import Goroutine as GoroutineType

cdef extern from "Python.h":
    ctypedef int (*visitproc)(PyObject *, void *)
    ctypedef struct PyTypeObject:
        pass
    bint PyObject_TypeCheck(PyObject *, PyTypeObject *)

cdef extern from "reach.h":
    ctypedef struct gs_natives:
        PyTypeObject *goroutine
        PyTypeObject **kept
        PyTypeObject **waking
        PyTypeObject **outside
        int (*edges)(PyObject *, visitproc, void *) noexcept
        int (*waiters)(PyObject *, visitproc, void *) noexcept
    gs_natives gs_native
    ctypedef struct gs_node:
        int flags
    ctypedef struct gs_reach:
        gs_node *nodes
    int GS_JUDGES, GS_ALIVE, GS_SLEEPER, GS_GUARD_SEEN
    gs_node *gs_node_of(gs_reach *, PyObject *)
    gs_node *gs_add(gs_reach *, PyObject *, int)
    int gs_count_all(gs_reach *)
    void gs_spread_all(gs_reach *)
    void gs_revive(gs_reach *, gs_node *)
    void gs_reach_free(gs_reach *)
    void *memset(void *, int, size_t)

judges = bool(GS_JUDGES)
"""Whether the layout of this interpreter is known: if not, everybody is taken for wakeable."""


cdef int edges(PyObject *o, visitproc visit, void *arg) noexcept:
    """References that the collector does not see."""
    cdef int i, stop = 0
    if PyObject_TypeCheck(o, gs_native.kept[0]):
        for i in range(2):
            if stop == 0 and (<Awaitable>o).parts[i] != NULL:
                stop = visit((<Awaitable>o).parts[i], arg)
    elif PyObject_TypeCheck(o, gs_native.goroutine) and (<StateWord>o).inbox != NULL:
        stop = visit((<StateWord>o).inbox, arg)
    return stop


cdef int waiters(PyObject *o, visitproc visit, void *arg) noexcept:
    """Those that o would wake. They are counted nowhere."""
    if PyObject_TypeCheck(o, gs_native.kept[1]):
        return line_up((<WaitQueue>o).list.first, visit, arg)
    if PyObject_TypeCheck(o, gs_native.kept[2]):
        return line_up((<ChannelWords>o).receivers.first, visit, arg) or line_up((<ChannelWords>o).senders.first, visit, arg)
    return 0


cdef int line_up(gs_link *link, visitproc visit, void *arg) noexcept:
    cdef int stop = 0
    while stop == 0 and link != NULL:
        stop = visit(<PyObject *>(<char *>link - seat_offset), arg)
        link = link.next
    return stop


gs_native.goroutine = <PyTypeObject *>GoroutineType
gs_native.kept[0] = <PyTypeObject *>native.Awaitable
gs_native.kept[1] = gs_native.waking[0] = <PyTypeObject *>native.WaitQueue
gs_native.kept[2] = gs_native.waking[1] = <PyTypeObject *>native.ChannelWords
gs_native.waking[2] = <PyTypeObject *>native.LockedWaiter
gs_native.outside[0] = <PyTypeObject *>native.ThreadWords
gs_native.outside[1] = <PyTypeObject *>native.RunQueue
gs_native.outside[2] = <PyTypeObject *>native.SchedulerWords
gs_native.outside[3] = <PyTypeObject *>native.GoroutineList
gs_native.edges = edges
gs_native.waiters = waiters


cpdef list wakeable(list sleepers):
    """The world stands still, and each of them sleeps without a stack: True for those that something alive can wake."""
    cdef gs_reach r
    cdef Goroutine g
    cdef gs_node *node
    cdef bint known = True
    if not judges:
        return [True] * len(sleepers)
    memset(&r, 0, sizeof(r))
    for g in sleepers:
        known = known and gs_add(&r, <PyObject *>g, GS_SLEEPER) != NULL
    if not known or not gs_count_all(&r):
        gs_reach_free(&r)
        raise MemoryError("gosched: out of memory for a look at what goroutines wait on")
    for g in sleepers:
        node = gs_node_of(&r, <PyObject *>g)
        if g.guarded and not node.flags & GS_GUARD_SEEN or g.on != <void *>None and gs_node_of(&r, <PyObject *>g.on) == NULL:
            gs_revive(&r, node)  # what could wake it is not among what was found: all is possible
    gs_spread_all(&r)
    alive = []
    for g in sleepers:
        alive.append(bool(gs_node_of(&r, <PyObject *>g).flags & GS_ALIVE))
    gs_reach_free(&r)
    return alive
