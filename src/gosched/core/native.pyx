# cython: freethreading_compatible=True
"""The words that threads share, compiled. native.h has the protocols, native.py the same in Python for the explorer and for machines without a
compiler. Nothing here is policy: no method of this file decides what runs next.
"""
cimport cython

from .states import LOCKED as LOCK_BIT, PARKED as STATE_PARKED, PARKING as STATE_PARKING

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    void *PyThreadState_Get()
    void Py_INCREF(PyObject *)
    void Py_DECREF(PyObject *)
    bint PyMethod_Check(object)
    PyObject *PyMethod_GET_FUNCTION(object)
    PyObject *PyMethod_GET_SELF(object)

cdef extern from "pynative.h":
    int gs_refs_are(PyObject *, Py_ssize_t)
    void gs_immortal(PyObject *)
    PyObject *gs_current
    object gs_get_current()
    PyObject *gs_stop_with(PyObject *) noexcept
    int gs_open_stop() except -1
    void gs_share_anext(PyObject *, PyObject *)
    void gs_open_pools(Py_ssize_t)
    void gs_pool_type(PyObject *, int)
    PyObject *gs_take_spare(int)
    void gs_drop_spares()
    void gs_set_next(PyObject *, PyObject *(*)(PyObject *) except? NULL)
    void *malloc(size_t) nogil
    void free(void *) nogil

# A signal that arrives just before a thread goes to sleep is handled when it wakes: let that be soon.
cdef int64_t GLANCE = 500_000_000
assert STATE_PARKING == PARKING and STATE_PARKED == PARKED and LOCK_BIT == LOCKED
NO_MEMORY = "gosched: out of memory for a run queue"


cdef class Guarded:
    pass


cdef class Waiter:
    cdef bint win_wait(self) noexcept:
        return False

    cdef void hand(self, object value) noexcept:
        pass

    cdef object sent(self):
        return None


cdef Waiter _waiter = Waiter()
seat_offset = <char *>&_waiter.seat - <char *><PyObject *>_waiter


cdef class LockedWaiter(Waiter):
    pass


cdef class CodeHolder:
    def __dealloc__(self):
        gs_drop(self.code)


cdef class StateWord(Waiter):
    def __dealloc__(self):
        gs_drop(self.code)
        gs_drop(self.inbox)

    cdef bint win_wait(self) noexcept:
        return gs_cas32(&self.open, 1, 0)

    cdef void hand(self, object value) noexcept:
        cdef PyObject *old = self.inbox
        self.inbox = gs_owned(<PyObject *>value)
        gs_drop(old)

    cdef object sent(self):
        return self.take_inbox()

    cdef object caller_code(self):
        if self.code == NULL:
            return None
        if isinstance(<object>self.code, CodeHolder):
            return <object>(<CodeHolder>self.code).code
        return <object>self.code


cdef class GoroutineList:
    cpdef list snapshot(self):
        """Every goroutine in the list, as counted references. Memory is taken before the lock: no Python call under it."""
        cdef int64_t room = 0, n = 0, i
        cdef gs_link *link
        cdef PyObject **found = NULL
        while True:
            gs_spin_lock(&self.spin)
            if self.list.len <= room:
                break
            n = self.list.len
            gs_spin_unlock(&self.spin)
            free(found)
            room = n + n // 8 + 64
            found = <PyObject **>malloc(room * sizeof(PyObject *))
            if found == NULL:
                raise MemoryError(NO_MEMORY)
        n = 0
        link = self.list.first
        while link != NULL:
            # the link sits inside its goroutine: step back to the object
            found[n] = <PyObject *>(<char *>link - link_offset)
            Py_INCREF(found[n])
            n += 1
            link = link.next
        gs_spin_unlock(&self.spin)
        result = []
        for i in range(n):
            result.append(<object>found[i])
            Py_DECREF(found[i])
        free(found)
        return result


cdef Py_ssize_t link_offset
cdef StateWord _sample = StateWord()
link_offset = <char *>&_sample.link - <char *><PyObject *>_sample


cdef inline int64_t number_here() noexcept:
    """Of the goroutine that runs on this thread: its id, the realm of its scheduler added. 0: none."""
    if gs_current == NULL or (<ThreadWords>gs_current).running == NULL:
        return 0
    return (<ThreadWords>gs_current).realm + (<ThreadWords>gs_current).goid


cdef class WaitQueue(Guarded):
    cdef void note_holder(self) noexcept:
        """The goroutine that runs here has it. No thread stops between this and what has made it so: no Python runs there."""
        self.holder = number_here()


cdef class CountedQueue(WaitQueue):
    pass


cdef class LockQueue(WaitQueue):
    cdef bint lock_free(self) noexcept:
        if not gs_cas32(&self.w_lock, 0, LOCKED):
            return False
        self.holder = number_here()
        return True


cdef class ChannelWords(Guarded):
    cdef int open_buffer(self, int64_t limit) except -1:
        self.limit = limit
        if limit:
            self.slots = [None] * limit
        return 0


cdef class TimerArray(Guarded):
    def __dealloc__(self):
        while self.heap.len:
            Py_DECREF(<PyObject *>gs_heap_pop(&self.heap))
        while self.grave.len:
            Py_DECREF(<PyObject *>gs_fifo_take(&self.grave))
        gs_fifo_free(&self.grave)
        free(self.heap.entries)

    cdef int push_entry(self, int64_t when, object timer) except -1:
        """Behind the last; the array keeps a reference. Lock held."""
        if not gs_heap_push(&self.heap, when, <void *>timer):
            gs_unlock(&self.mutex)
            raise MemoryError(NO_MEMORY)
        Py_INCREF(<PyObject *>timer)
        return 0


cdef class RunQueue:
    @property
    def schedtick(self):
        return load64(&self.eye.schedtick)

    @property
    def usertick(self):
        return load64(&self.eye.usertick)

    def __dealloc__(self):
        gs_ring_free(&self.ring)
        while self.spares:
            self.spares -= 1
            Py_DECREF(<PyObject *>self.spare[self.spares])

    cdef int open_ring(self, int capacity) except -1:
        if capacity < 2 or capacity & (capacity - 1):
            raise ValueError(f"ring capacity must be a power of two, 2 or more, not {capacity}")
        if not gs_ring_init(&self.ring, capacity):
            raise MemoryError(NO_MEMORY)
        return 0

    cdef object steal_from(self, RunQueue victim, uint32_t share):
        self.last_stolen = 0
        return lend(gs_ring_steal(&self.ring, &victim.ring, share, &self.last_stolen))

    cdef int spill_half(self, SchedulerWords s, StateWord g) except -1:
        """Half of a full ring and g to the tail of the global queue; 0 if there is room in the ring after all."""
        cdef uint32_t half = self.ring.cap // 2, n = 0, i
        cdef void **batch = <void **>malloc(half * sizeof(void *))
        cdef bint fits
        gs_lock(&s.mutex)
        fits = batch != NULL and gs_fifo_reserve(&s.fifo, half + 1)
        if fits:
            n = gs_ring_pop_half(&self.ring, batch)
            for i in range(n):
                gs_fifo_put(&s.fifo, batch[i])
            if n:
                gs_fifo_put(&s.fifo, <void *>g)
        gs_unlock(&s.mutex)
        free(batch)
        if not fits:
            raise MemoryError(NO_MEMORY)
        return n != 0

    cdef int drain_to_front(self, SchedulerWords s) except -1:
        """All of a queue that nobody owns any more, in its order, to the head of the global queue. Scheduler's lock held."""
        cdef void **batch = <void **>malloc((self.ring.cap + 1) * sizeof(void *))
        cdef void *g
        cdef uint32_t n = 0
        if batch == NULL or not gs_fifo_reserve(&s.fifo, self.ring.cap + 1):
            free(batch)
            gs_unlock(&s.mutex)
            raise MemoryError(NO_MEMORY)
        g = gs_ring_take_next(&self.ring)
        if g == NULL:
            g = gs_ring_pop(&self.ring)
        while g != NULL:
            batch[n] = g
            n += 1
            g = gs_ring_pop(&self.ring)
        while n:
            n -= 1
            gs_fifo_put_front(&s.fifo, batch[n])
        free(batch)
        return 0

    cdef bint spare_put(self, StateWord g) noexcept:
        """Keep a dead goroutine for reuse, if nobody else can see it: the runtime's reference moves here."""
        if self.spares == 64 or not gs_refs_are(<PyObject *>g, 2):
            return False
        self.spare[self.spares] = <void *>g
        self.spares += 1
        return True


cdef class SchedulerWords(Guarded):
    cpdef void join_watch(self, ThreadWords m):
        """By m's own thread."""
        gs_pulse_join(&self.watch, &m.pulse, <void *>PyThreadState_Get())

    cpdef void stamp(self, int64_t now) noexcept:
        gs_watch_stamp(&self.watch, now)

    cpdef void set_watch(self, int64_t slice_ns, int64_t late_ns, int64_t cap_ns, int64_t trace_ns) noexcept:
        """How long a slice is, after how long a goroutine is asked to end its own, the longest sleep between two looks, the time between two lines."""
        self.watch.slice_ns = slice_ns
        self.watch.late_ns = late_ns
        self.watch.cap_ns = cap_ns
        self.watch.trace_ns = trace_ns

    cpdef int keep_watch(self) noexcept:
        """Looks, without the GIL, until there is something to act on: OVER, NEWS, TRACE, POLL_NOW or AGAIN."""
        cdef int found
        with nogil:
            found = gs_keep_watch(&self.watch, &self.w_idle_ps, &self.w_last_poll, &self.w_net_waiters)
        return found

    cpdef bint look_once(self, int64_t now) noexcept:
        """Virtual time: whether there is anything to act on."""
        gs_watch_stamp(&self.watch, now)
        return gs_look(&self.watch, now)

    cpdef int64_t next_look(self) noexcept:
        return gs_watch_pause(&self.watch)

    def __dealloc__(self):
        gs_fifo_free(&self.fifo)

    cdef int global_put(self, StateWord g) except -1:
        if not gs_fifo_put(&self.fifo, <void *>g):
            gs_unlock(&self.mutex)
            raise MemoryError(NO_MEMORY)
        return 0

    cdef int global_put_front(self, StateWord g) except -1:
        if not gs_fifo_put_front(&self.fifo, <void *>g):
            gs_unlock(&self.mutex)
            raise MemoryError(NO_MEMORY)
        return 0

    cdef object global_take(self):
        return lend(gs_fifo_take(&self.fifo))

    cdef void global_refill(self, RunQueue p, int n) noexcept:
        """Move up to n from the head into p's ring; lock held, p's owner only."""
        cdef void *g
        while n > 0 and self.fifo.len:
            g = gs_fifo_take(&self.fifo)
            if not gs_ring_push(&p.ring, g):
                gs_fifo_put_front(&self.fifo, g)
                return
            n -= 1


cdef class ThreadWords:
    def __dealloc__(self):
        cdef int i
        gs_fifo_free(&self.late)
        gs_fifo_free(&self.guests)
        for i in range(8):
            gs_drop(self.holders[i])
        gs_drop(self.code)
        gs_drop(self.adopted)

    cpdef bint sleep_note(self, int64_t until) noexcept:
        cdef bint woken
        GS_STORE(&self.napping, 1)
        with nogil:
            woken = gs_note_sleep(&self.note, until)
            GS_STORE(&self.napping, 0)
        return woken

    cpdef bint watch_note(self, int64_t ns) noexcept:
        """For at most ns, without the kernel."""
        cdef bint woken
        with nogil:
            woken = gs_note_watch(&self.note, ns)
        return woken

    cpdef bint doze(self, int64_t until) except -1:
        """As sleep_note, on a thread that is not the runtime's: signals are handled meanwhile, and what a handler raises ends the sleep."""
        cdef bint woken = False
        cdef int64_t left = GLANCE
        while not woken and left > 0:
            if until >= 0:
                left = min(GLANCE, until - gs_now())
            if left > 0:
                with nogil:
                    woken = gs_note_doze(&self.note, left)
                PyErr_CheckSignals()
        return woken

    cdef int guest_put(self, StateWord g) except -1:
        if not gs_fifo_put(&self.guests, <void *>g):
            raise MemoryError(NO_MEMORY)
        return 0

    cdef int late_put(self, StateWord g) except -1:
        if not gs_fifo_put(&self.late, <void *>g):
            raise MemoryError(NO_MEMORY)
        return 0


cdef class Note:
    cpdef void clear(self) noexcept:
        gs_note_clear(&self.note)

    cpdef void wake(self) noexcept:
        gs_note_wake(&self.note)

    cpdef bint sleep(self, int64_t until) noexcept:
        cdef bint woken
        with nogil:
            woken = gs_note_sleep(&self.note, until)
        return woken


cpdef object current_m():
    return gs_get_current()


cpdef void set_current_m(object m):
    """Makes m this thread's M; the caller keeps m alive as long as it is set."""
    global gs_current
    gs_current = NULL if m is None else <PyObject *>m


cpdef void own(StateWord g) noexcept:
    Py_INCREF(<PyObject *>g)


cpdef void disown(StateWord g) noexcept:
    Py_DECREF(<PyObject *>g)


cpdef bint shared(StateWord g) noexcept:
    return not gs_refs_are(<PyObject *>g, 2)


cpdef void unlink(StateWord g) noexcept:
    """Takes g out of the list of all goroutines that it is in."""
    (<GoroutineList>g.link.list).remove(g)


cpdef object list_of(StateWord g):
    return None if g.link.list == NULL else <object><PyObject *>g.link.list


cpdef int64_t now() noexcept:
    return gs_now()


cpdef void nap(int64_t ns) noexcept:
    with nogil:
        gs_nap(ns)


cpdef object method_function(object method):
    """The function of a bound method; None for anything else."""
    return <object>PyMethod_GET_FUNCTION(method) if PyMethod_Check(method) else None


cpdef object method_self(object method):
    return <object>PyMethod_GET_SELF(method)


cpdef int64_t address(object x) noexcept:
    """What puts objects into one order for all threads."""
    return <int64_t><void *>x


cpdef object immortal(object x):
    """x, which all threads may use from now on without counting. It must take no part in garbage collection."""
    gs_immortal(<PyObject *>x)
    return x


cdef class Awaitable:
    def __dealloc__(self):
        gs_drop(self.parts[0])
        gs_drop(self.parts[1])

    cdef object advance(self):
        return None


cdef Awaitable _awaitable = Awaitable()
gs_open_pools(<char *>&_awaitable.parts - <char *><PyObject *>_awaitable)


cpdef int pooled(type kind, int number) except -1:
    """Objects of this kind, without fields of its own, are made and dropped at every operation: each thread keeps some for reuse."""
    gs_pool_type(<PyObject *>kind, number)
    return 0


cpdef object spare_op(int kind):
    """One to be filled, or None."""
    cdef PyObject *op = gs_take_spare(kind)
    return None if op == NULL else moved(op)


cpdef void drop_spares() noexcept:
    """This thread is done."""
    gs_drop_spares()


cdef object _waits = None


cdef PyObject *_next(PyObject *op) except? NULL:
    cdef object answer = (<Awaitable>op).advance()
    if answer is _waits:
        return gs_owned(<PyObject *>None)
    return gs_stop_with(<PyObject *>answer)


cpdef int ends_with_value(type kind, object waits) except -1:
    """Awaitables of this kind end with what `advance` returns; at `waits` they yield. Without the detours of a raise: no traceback, no arguments."""
    global _waits
    _waits = waits
    gs_open_stop()
    gs_set_next(<PyObject *>kind, _next)
    return 0


cpdef int share_anext(type child, type parent) except -1:
    """The __anext__ that a class in Python inherits is called directly."""
    gs_share_anext(<PyObject *>child, <PyObject *>parent)
    return 0
