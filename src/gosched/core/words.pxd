# What native.h and watch.h offer, and counted references that move: see native.h for the protocols. Declarations alone; there is no module of this name.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from cpython.object cimport PyObject

cdef extern from "native.h" nogil:
    ctypedef struct gs_mutex:
        int32_t word
    ctypedef struct gs_note:
        int32_t word
    ctypedef struct gs_fifo:
        uint32_t len
    ctypedef struct gs_ring:
        uint32_t cap
        void *next
    ctypedef struct gs_link:
        gs_link *prev
        gs_link *next
        void *list
    ctypedef struct gs_list:
        gs_link *first
        gs_link *last
        int64_t len
    void GS_FENCE()
    int32_t GS_LOAD(int32_t *)
    int32_t GS_PEEK(int32_t *)
    void GS_BUMP(int64_t *)
    void GS_SET(int32_t *, int32_t)
    int32_t GS_ADD(int32_t *, int32_t)
    void GS_STORE(int32_t *, int32_t)
    void GS_PUBLISH(int32_t *, int32_t)
    int64_t add64 "GS_ADD"(int64_t *, int64_t)
    int64_t load64 "GS_LOAD"(int64_t *)
    void store64 "GS_STORE"(int64_t *, int64_t)
    int64_t swap64 "GS_SWAP"(int64_t *, int64_t)
    void *loadptr "GS_LOAD"(void **)
    void *peekptr "GS_PEEK"(void **)
    void *swapptr "GS_SWAP"(void **, void *)
    void publishptr "GS_PUBLISH"(void **, void *)
    int gs_cas32(int32_t *, int32_t, int32_t)
    int gs_casptr(void **, void *, void *)
    int cas64 "gs_cas64"(int64_t *, int64_t, int64_t)
    int64_t gs_now()
    void gs_nap(int64_t)
    ctypedef struct gs_spin:
        int32_t word
    void gs_spin_lock(gs_spin *)
    void gs_spin_unlock(gs_spin *)
    void gs_lock(gs_mutex *)
    void gs_unlock(gs_mutex *)
    void gs_note_clear(gs_note *)
    void gs_note_wake(gs_note *)
    int gs_note_sleep(gs_note *, int64_t)
    int gs_note_watch(gs_note *, int64_t)
    void gs_fifo_free(gs_fifo *)
    uint32_t gs_fifo_len(gs_fifo *)
    int gs_fifo_reserve(gs_fifo *, uint32_t)
    int gs_fifo_put(gs_fifo *, void *)
    int gs_fifo_put_front(gs_fifo *, void *)
    void *gs_fifo_take(gs_fifo *)
    void *gs_fifo_at(gs_fifo *, uint32_t)
    int gs_ring_init(gs_ring *, uint32_t)
    void gs_ring_free(gs_ring *)
    int gs_ring_push(gs_ring *, void *)
    void *gs_ring_at(gs_ring *, uint32_t)
    void *gs_ring_pop(gs_ring *)
    uint32_t gs_ring_pop_half(gs_ring *, void **)
    uint32_t gs_ring_size(gs_ring *)
    int gs_ring_empty(gs_ring *)
    void *gs_ring_steal(gs_ring *, gs_ring *, uint32_t, uint32_t *)
    void *gs_ring_swap_next(gs_ring *, void *)
    void *gs_ring_take_next(gs_ring *)
    void gs_list_append(gs_list *, gs_link *)
    void gs_list_prepend(gs_list *, gs_link *)
    void gs_list_remove(gs_list *, gs_link *)
    int gs_note_doze(gs_note *, int64_t)
    ctypedef struct gs_entry:
        int64_t when
        int64_t number
        void *timer
    ctypedef struct gs_heap:
        gs_entry *entries
        uint32_t len
    uint32_t loadlen "GS_LOAD"(uint32_t *)
    int gs_heap_push(gs_heap *, int64_t, void *)
    void *gs_heap_pop(gs_heap *)
    int gs_heap_before(gs_heap *, uint32_t, uint32_t)
    void gs_heap_swap(gs_heap *, uint32_t, uint32_t)

cdef extern from "watch.h" nogil:
    ctypedef struct gs_pulse:
        void *userp
        int32_t marked
    ctypedef struct gs_eye:
        int64_t usertick
        int64_t schedtick
        int32_t over
        gs_pulse *driver
        int32_t stage
        int32_t news
        int32_t detached
        int64_t since
        int64_t tick
    ctypedef struct gs_watch:
        gs_mutex lock
        int32_t asleep
        int32_t procs
        int32_t ends
        int32_t calm
        int32_t moment
        int64_t slice_ns
        int64_t late_ns
        int64_t cap_ns
        int64_t trace_ns
    void publishdriver "GS_STORE"(gs_pulse **, gs_pulse *)
    int32_t swap32 "GS_SWAP"(int32_t *, int32_t)
    void gs_watch_eye(gs_watch *, gs_eye *, void *)
    void gs_pulse_join(gs_watch *, gs_pulse *, void *)
    void gs_pulse_leave(gs_watch *, gs_pulse *)
    void gs_watch_rouse(gs_watch *)
    void gs_watch_stamp(gs_watch *, int64_t)
    void gs_watch_wake(gs_watch *)
    void gs_watch_remind(gs_watch *, int)
    int gs_keep_watch(gs_watch *, int32_t *, int64_t *, int64_t *)
    int gs_look(gs_watch *, int64_t)
    int64_t gs_watch_pause(gs_watch *)

cdef extern from *:
    """
    static inline void gs_drop(PyObject *o) { Py_XDECREF(o); }
    static inline PyObject *gs_moved(void *p) { return (PyObject *)p; }
    static inline PyObject *gs_owned(PyObject *o) { Py_INCREF(o); return o; }
    static inline PyObject *gs_slot(PyObject *list, Py_ssize_t i) { return PyList_GET_ITEM(list, i); }
    static inline void gs_set_slot(PyObject *list, Py_ssize_t i, PyObject *o) { PyList_SET_ITEM(list, i, o); }
    """
    object moved "gs_moved"(void *)
    PyObject *gs_owned(PyObject *)
    PyObject *gs_slot(PyObject *, Py_ssize_t)
    void gs_set_slot(PyObject *, Py_ssize_t, PyObject *)
    void gs_drop(PyObject *)
