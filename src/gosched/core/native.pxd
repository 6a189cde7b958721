# C types of the shared words; see native.h for the protocols and native.py for the same in Python.
cimport cython
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
    int32_t GS_ADD(int32_t *, int32_t)
    void GS_STORE(int32_t *, int32_t)
    void GS_PUBLISH(int32_t *, int32_t)
    int64_t add64 "GS_ADD"(int64_t *, int64_t)
    int64_t load64 "GS_LOAD"(int64_t *)
    void store64 "GS_STORE"(int64_t *, int64_t)
    int64_t swap64 "GS_SWAP"(int64_t *, int64_t)
    void *loadptr "GS_LOAD"(void **)
    void *swapptr "GS_SWAP"(void **, void *)
    void publishptr "GS_PUBLISH"(void **, void *)
    int gs_cas32(int32_t *, int32_t, int32_t)
    int gs_casptr(void **, void *, void *)
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
    void gs_fifo_free(gs_fifo *)
    uint32_t gs_fifo_len(gs_fifo *)
    int gs_fifo_reserve(gs_fifo *, uint32_t)
    int gs_fifo_put(gs_fifo *, void *)
    int gs_fifo_put_front(gs_fifo *, void *)
    void *gs_fifo_take(gs_fifo *)
    int gs_ring_init(gs_ring *, uint32_t)
    void gs_ring_free(gs_ring *)
    int gs_ring_push(gs_ring *, void *)
    void *gs_ring_pop(gs_ring *)
    uint32_t gs_ring_pop_half(gs_ring *, void **)
    uint32_t gs_ring_size(gs_ring *)
    int gs_ring_empty(gs_ring *)
    void *gs_ring_steal(gs_ring *, gs_ring *, uint32_t *)
    void *gs_ring_swap_next(gs_ring *, void *)
    void *gs_ring_take_next(gs_ring *)
    void gs_list_append(gs_list *, gs_link *)
    void gs_list_remove(gs_list *, gs_link *)

cdef extern from *:
    """
    static inline void gs_drop(PyObject *o) { Py_XDECREF(o); }
    static inline PyObject *gs_moved(void *p) { return (PyObject *)p; }
    """
    object moved "gs_moved"(void *)
    void gs_drop(PyObject *)

cdef inline object lend(void *g):
    """A counted reference to what the queue carried, or None."""
    return None if g == NULL else <object><PyObject *>g

cdef class Guarded:
    cdef gs_mutex mutex
    cdef inline void acquire(self) noexcept:
        gs_lock(&self.mutex)
    cdef inline void release(self) noexcept:
        gs_unlock(&self.mutex)

@cython.final
@cython.no_gc
cdef class CodeHolder:
    cdef PyObject *code

cdef class StateWord:
    cdef int32_t word
    cdef int32_t lasti
    cdef gs_link link
    cdef PyObject *code
    cdef inline int state_now(self) noexcept:
        return GS_LOAD(&self.word)
    cdef inline void set_state(self, int value) noexcept:
        GS_PUBLISH(&self.word, value)
    cdef inline void take_caller(self, ThreadWords m) noexcept:
        """Where this goroutine is started from, as look_at_caller saw it."""
        cdef PyObject *old = self.code
        self.code = m.code
        self.lasti = m.lasti
        m.code = NULL
        gs_drop(old)
    cdef object caller_code(self)
    cdef inline int caller_lasti(self) noexcept:
        return self.lasti
    cdef inline bint swap_state(self, int old, int new) noexcept:
        return gs_cas32(&self.word, old, new)

cdef class GoroutineList:
    cdef gs_spin spin
    cdef gs_list list
    cdef public object owner
    cdef inline void add(self, StateWord g) noexcept:
        gs_spin_lock(&self.spin)
        g.link.list = <void *>self
        gs_list_append(&self.list, &g.link)
        gs_spin_unlock(&self.spin)
    cdef inline void remove(self, StateWord g) noexcept:
        gs_spin_lock(&self.spin)
        gs_list_remove(&self.list, &g.link)
        gs_spin_unlock(&self.spin)
    cdef inline int64_t count(self) noexcept:
        return load64(&self.list.len)
    cpdef list snapshot(self)

cdef class Waiter:
    cdef gs_link link

cdef class WaitQueue(Guarded):
    cdef gs_list list
    cdef inline int64_t waiting(self) noexcept:
        return load64(&self.list.len)
    cdef void put_waiter(self, Waiter w) noexcept
    cdef object take_waiter(self)
    cdef object drop_waiter(self, Waiter w)

cdef class CountedQueue(WaitQueue):
    cdef int64_t total
    cdef inline int64_t add_count(self, int64_t delta) noexcept:
        return add64(&self.total, delta)
    cdef inline int64_t count(self) noexcept:
        return load64(&self.total)

cdef class RunQueue:
    cdef gs_ring ring
    cdef void *spare[64]
    cdef int spares
    cdef public uint32_t last_stolen
    cdef int open_ring(self, int capacity) except -1
    cdef inline bint push(self, StateWord g) noexcept:
        return gs_ring_push(&self.ring, <void *>g)
    cdef inline object pop(self):
        return lend(gs_ring_pop(&self.ring))
    cdef inline object swap_next(self, StateWord g):
        return lend(gs_ring_swap_next(&self.ring, <void *>g))
    cdef inline object take_next(self):
        return lend(gs_ring_take_next(&self.ring))
    cdef inline bint has_next(self) noexcept:
        return loadptr(&self.ring.next) != NULL
    cdef inline uint32_t ring_size(self) noexcept:
        return gs_ring_size(&self.ring)
    cdef inline bint queue_empty(self) noexcept:
        return gs_ring_empty(&self.ring)
    cdef object steal_from(self, RunQueue victim)
    cdef int spill_half(self, SchedulerWords s, StateWord g) except -1
    cdef int drain_to_front(self, SchedulerWords s) except -1
    cdef inline object spare_take(self):
        """A dead goroutine to use again: the reference that spare_put kept becomes the caller's."""
        if self.spares == 0:
            return None
        self.spares -= 1
        return moved(self.spare[self.spares])
    cdef bint spare_put(self, StateWord g) noexcept

cdef class SchedulerWords(Guarded):
    cdef gs_fifo fifo
    cdef int32_t w_spinning
    cdef int32_t w_idle_ps
    cdef int32_t w_need_spinning
    cdef int32_t w_phase
    cdef int32_t w_resizing
    cdef int64_t w_last_poll
    cdef int64_t w_poll_until
    cdef inline int spinning(self) noexcept:
        return GS_LOAD(&self.w_spinning)
    cdef inline int add_spinning(self, int delta) noexcept:
        return GS_ADD(&self.w_spinning, delta)
    cdef inline bint claim_spinning(self) noexcept:
        return gs_cas32(&self.w_spinning, 0, 1)
    cdef inline int idle_ps(self) noexcept:
        return GS_LOAD(&self.w_idle_ps)
    cdef inline int add_idle_ps(self, int delta) noexcept:
        return GS_ADD(&self.w_idle_ps, delta)
    cdef inline bint need_spinning(self) noexcept:
        return GS_LOAD(&self.w_need_spinning)
    cdef inline void set_need_spinning(self, bint value) noexcept:
        GS_STORE(&self.w_need_spinning, value)
    cdef inline void fence(self) noexcept:
        GS_FENCE()
    cdef inline bint try_resizing(self) noexcept:
        return gs_cas32(&self.w_resizing, 0, 1)
    cdef inline void end_resizing(self) noexcept:
        GS_STORE(&self.w_resizing, 0)
    cdef inline int phase(self) noexcept:
        return GS_LOAD(&self.w_phase)
    cdef inline void set_phase(self, int value) noexcept:
        GS_STORE(&self.w_phase, value)
    cdef inline int64_t swap_last_poll(self, int64_t value) noexcept:
        return swap64(&self.w_last_poll, value)
    cdef inline int64_t last_poll(self) noexcept:
        return load64(&self.w_last_poll)
    cdef inline void set_poll_until(self, int64_t value) noexcept:
        store64(&self.w_poll_until, value)
    cdef inline int64_t poll_until(self) noexcept:
        return load64(&self.w_poll_until)
    cdef inline int global_size(self) noexcept:
        return <int>gs_fifo_len(&self.fifo)
    cdef int global_put(self, StateWord g) except -1
    cdef int global_put_front(self, StateWord g) except -1
    cdef object global_take(self)
    cdef void global_refill(self, RunQueue p, int n) noexcept

cdef class ThreadWords:
    cdef void *userp
    cdef void *token
    cdef PyObject *code
    cdef PyObject *adopted
    cdef PyObject *holders[8]
    cdef void *running
    cdef gs_note note
    cdef gs_fifo late
    cdef public int outcome
    cdef int lasti
    cdef inline void set_token(self, RunQueue p) noexcept:
        self.token = <void *>p
    cdef inline void publish_p(self) noexcept:
        publishptr(&self.userp, self.token)
    cdef inline bint take_back_p(self) noexcept:
        return swapptr(&self.userp, NULL) != NULL
    cdef inline bint retake_p(self, RunQueue p) noexcept:
        return gs_casptr(&self.userp, <void *>p, NULL)
    cdef inline void hold(self, StateWord g) noexcept:
        self.running = <void *>g
    cdef inline void let_go(self) noexcept:
        self.running = NULL
    cdef inline bint busy(self) noexcept:
        return self.running != NULL
    cdef inline object held(self):
        return lend(self.running)
    cdef inline void clear_note(self) noexcept:
        gs_note_clear(&self.note)
    cdef inline void wake_note(self) noexcept:
        gs_note_wake(&self.note)
    cpdef bint sleep_note(self, int64_t until) noexcept
    cdef int late_put(self, StateWord g) except -1
    cdef inline object late_take(self):
        return lend(gs_fifo_take(&self.late))
    cdef inline bint has_adopted(self) noexcept:
        return self.adopted != NULL
    cdef inline object take_adopted(self):
        """The context that a goroutine without one has made for itself."""
        cdef PyObject *context = self.adopted
        self.adopted = NULL
        return moved(context)
    cdef inline bint any_late(self) noexcept:
        return self.late.len != 0

cdef class Note:
    cdef gs_note note
    cpdef void clear(self) noexcept
    cpdef void wake(self) noexcept
    cpdef bint sleep(self, int64_t until) noexcept

cpdef object current_m()
cpdef void set_current_m(object m)
cdef int YIELDED, RETURNED, RAISED
cpdef object resume(object body, object value, object context, ThreadWords m)
cpdef object call(object fn, object args, object context, ThreadWords m)
cpdef object throw(object body, object error, object context, ThreadWords m)
cpdef object copy_context()
cpdef void own(StateWord g) noexcept
cpdef void disown(StateWord g) noexcept
cpdef bint shared(StateWord g) noexcept
cpdef void unlink(StateWord g) noexcept
cpdef object list_of(StateWord g)
cpdef bint is_coroutine(object x) noexcept
cpdef bint is_coroutine_function(object x) noexcept
cpdef bint may_wait(object fn, tuple args, bint alone) noexcept
cpdef void look_at_caller(ThreadWords m) noexcept
cpdef void look_outside(ThreadWords m)
cpdef int64_t now() noexcept
cpdef void nap(int64_t ns) noexcept
