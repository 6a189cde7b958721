# C types of the shared words; see native.h for the protocols and native.py for the same in Python.
cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from cpython.object cimport PyObject
from .words cimport *

cdef enum:
    PARKING = 2  # states.py; native.pyx checks that they still are
    PARKED = 3
    LOCKED = 1

cdef inline object lend(void *g):
    """A counted reference to what the queue carried, or None."""
    return None if g == NULL else <object><PyObject *>g

cdef class Guarded:
    cdef gs_mutex mutex
    cdef inline void acquire(self) noexcept:
        gs_lock(&self.mutex)
    cdef inline void release(self) noexcept:
        gs_unlock(&self.mutex)

cdef class Waiter:
    cdef gs_link seat
    cdef bint win_wait(self) noexcept
    cdef void hand(self, object value) noexcept
    cdef object sent(self)

cdef Py_ssize_t seat_offset

cdef inline void list_put(gs_list *l, Waiter w) noexcept:
    w.seat.list = <void *>l
    gs_list_append(l, &w.seat)

cdef inline void list_put_front(gs_list *l, Waiter w) noexcept:
    w.seat.list = <void *>l
    gs_list_prepend(l, &w.seat)

cdef inline object list_take(gs_list *l, gs_link *link):
    """The waiter whose seat link is, taken out; None for no link."""
    if link == NULL:
        return None
    gs_list_remove(l, link)
    link.list = NULL
    return lend(<char *>link - seat_offset)

cdef inline bint list_drop(gs_list *l, Waiter w) noexcept:
    if w.seat.list != <void *>l:
        return False
    gs_list_remove(l, &w.seat)
    w.seat.list = NULL
    return True

cdef class LockedWaiter(Waiter):
    cdef gs_mutex mutex
    cdef inline void acquire(self) noexcept:
        gs_lock(&self.mutex)
    cdef inline void release(self) noexcept:
        gs_unlock(&self.mutex)

@cython.final
@cython.no_gc
cdef class CodeHolder:
    cdef PyObject *code

@cython.no_gc
cdef class StateWord(Waiter):
    cdef int32_t word
    cdef int32_t lasti
    cdef int32_t open
    cdef bint fetches
    cdef PyObject *inbox
    cdef void *on
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
    cdef unsigned char reason
    cdef int32_t since
    cdef unsigned char guarded
    cdef inline void wait_on(self, object on) noexcept:
        """Borrowed: what a goroutine waits on lives as long as it does. Read only while its wait is open and nothing runs (reach.pyx)."""
        self.on = <void *>on
    cdef inline object waits_on(self):
        return lend(self.on)
    cdef inline bint sleeps(self) noexcept:
        """It waits, and nobody has won its wait."""
        return GS_LOAD(&self.word) == PARKED and GS_LOAD(&self.open)
    cdef inline void open_wait(self) noexcept:
        GS_PUBLISH(&self.open, 1)
    cdef inline bint win(self) noexcept:
        return gs_cas32(&self.open, 1, 0)
    cdef inline void set_inbox(self, object value) noexcept:
        self.inbox = gs_owned(<PyObject *>value)
    cdef inline object take_inbox(self):
        """What is in it moves to the caller; None if it is empty."""
        cdef PyObject *value = self.inbox
        if value == NULL:
            return None
        self.inbox = NULL
        return moved(value)
    cdef inline object take_answer(self):
        """What to resume with: None if who waits fetches it."""
        return None if self.fetches else self.take_inbox()
    cdef inline void fetch_later(self) noexcept:
        self.fetches = True
    cdef inline object fetch(self):
        self.fetches = False
        return self.take_inbox()
    cdef inline bint listed(self) noexcept:
        return self.link.list != NULL
    cdef inline bint belongs_to(self, ThreadWords m) noexcept:
        return <void *>(<GoroutineList>self.link.list).owner == m.owner
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

cdef class WaitQueue(Guarded):
    cdef gs_list list
    cdef gs_list won
    cdef int64_t holder
    cdef void note_holder(self) noexcept
    cdef inline void drop_holder(self) noexcept:
        self.holder = 0
    cdef inline int64_t waiting(self) noexcept:
        return load64(&self.list.len)
    cdef inline void put_waiter(self, Waiter w) noexcept:
        list_put(&self.list, w)
    cdef inline void put_waiter_front(self, Waiter w) noexcept:
        list_put_front(&self.list, w)
    cdef inline object first_waiter(self):
        return None if self.list.first == NULL else lend(<char *>self.list.first - seat_offset)
    cdef inline object take_waiter(self):
        return list_take(&self.list, self.list.first)
    cdef inline bint drop_waiter(self, Waiter w) noexcept:
        return list_drop(&self.list, w)
    cdef inline void put_won(self, Waiter w) noexcept:
        list_put(&self.won, w)
    cdef inline object take_won(self):
        return list_take(&self.won, self.won.first)

cdef class LockQueue(WaitQueue):
    cdef int32_t w_lock
    cdef inline int lock_word(self) noexcept:
        return GS_LOAD(&self.w_lock)
    cdef inline void set_lock_word(self, int value) noexcept:
        GS_STORE(&self.w_lock, value)
    cdef inline bint swap_lock_word(self, int old, int new) noexcept:
        return gs_cas32(&self.w_lock, old, new)
    cdef bint lock_free(self) noexcept

cdef class ChannelWords(Guarded):
    cdef int32_t w_closed
    cdef gs_list receivers
    cdef gs_list senders
    cdef list slots
    cdef PyObject *out
    cdef int64_t head
    cdef int64_t count
    cdef readonly int64_t limit
    cdef int open_buffer(self, int64_t limit) except -1
    cdef inline bint is_closed(self) noexcept:
        return GS_LOAD(&self.w_closed)
    cdef inline void set_closed(self) noexcept:
        GS_STORE(&self.w_closed, 1)
    cdef inline int64_t buffered(self) noexcept:
        return load64(&self.count)
    cdef inline void buffer_put(self, object value) noexcept:
        """There is room. The slot's None was never counted for it."""
        cdef int64_t at = self.head + self.count
        if at >= self.limit:
            at -= self.limit
        gs_set_slot(<PyObject *>self.slots, at, gs_owned(<PyObject *>value))
        store64(&self.count, self.count + 1)
    cdef inline object buffer_take(self):
        """There is a value. It moves to the caller."""
        cdef PyObject *value = gs_slot(<PyObject *>self.slots, self.head)
        gs_set_slot(<PyObject *>self.slots, self.head, <PyObject *>None)
        self.head += 1
        if self.head == self.limit:
            self.head = 0
        store64(&self.count, self.count - 1)
        return moved(<void *>value)
    cdef inline void put_out(self, object value) noexcept:
        self.out = gs_owned(<PyObject *>value)
    cdef inline object take_out(self):
        cdef PyObject *value = self.out
        self.out = NULL
        return None if value == NULL else moved(value)
    cdef inline int64_t receivers_waiting(self) noexcept:
        return load64(&self.receivers.len)
    cdef inline int64_t senders_waiting(self) noexcept:
        return load64(&self.senders.len)
    cdef inline void seat_receiver(self, ThreadWords who) noexcept:
        list_put(&self.receivers, <Waiter>who.running)
    cdef inline void seat_sender(self, ThreadWords who, object value) noexcept:
        (<StateWord>who.running).inbox = gs_owned(<PyObject *>value)
        list_put(&self.senders, <Waiter>who.running)
    cdef inline void put_receiver(self, Waiter w) noexcept:
        list_put(&self.receivers, w)
    cdef inline void put_sender(self, Waiter w) noexcept:
        list_put(&self.senders, w)
    cdef inline object take_receiver(self):
        return list_take(&self.receivers, self.receivers.first)
    cdef inline object take_sender(self):
        return list_take(&self.senders, self.senders.first)
    cdef inline object take_last_receiver(self):
        return list_take(&self.receivers, self.receivers.last)
    cdef inline object take_last_sender(self):
        return list_take(&self.senders, self.senders.last)
    cdef inline bint drop_receiver(self, Waiter w) noexcept:
        return list_drop(&self.receivers, w)
    cdef inline bint drop_sender(self, Waiter w) noexcept:
        return list_drop(&self.senders, w)

cdef class TimerArray(Guarded):
    cdef gs_heap heap
    cdef gs_fifo grave
    cdef int64_t w_first
    cdef int64_t w_modified
    cdef int64_t w_zombies
    cdef inline int size(self) noexcept:
        return <int>loadlen(&self.heap.len)
    cdef inline int64_t when_at(self, int i) noexcept:
        return self.heap.entries[i].when
    cdef inline void set_when(self, int i, int64_t when) noexcept:
        self.heap.entries[i].when = when
    cdef inline object timer_at(self, int i):
        return lend(self.heap.entries[i].timer)
    cdef inline bint before(self, int i, int j) noexcept:
        return gs_heap_before(&self.heap, i, j)
    cdef inline void swap(self, int i, int j) noexcept:
        gs_heap_swap(&self.heap, i, j)
    cdef int push_entry(self, int64_t when, object timer) except -1
    cdef inline object pop_entry(self):
        """The last; the array's reference moves to the caller."""
        return moved(gs_heap_pop(&self.heap))
    cdef inline void bury_last(self) noexcept:
        gs_fifo_put(&self.grave, gs_heap_pop(&self.heap))
    cdef inline object take_buried(self):
        cdef void *timer = gs_fifo_take(&self.grave)
        return None if timer == NULL else moved(timer)
    cdef inline bint any_buried(self) noexcept:
        return gs_fifo_len(&self.grave) != 0
    cdef inline int64_t first(self) noexcept:
        return load64(&self.w_first)
    cdef inline void set_first(self, int64_t when) noexcept:
        store64(&self.w_first, when)
    cdef inline int64_t modified(self) noexcept:
        return load64(&self.w_modified)
    cdef inline void set_modified(self, int64_t when) noexcept:
        store64(&self.w_modified, when)
    cdef inline bint swap_modified(self, int64_t old, int64_t when) noexcept:
        return cas64(&self.w_modified, old, when)
    cdef inline int64_t wake_time(self) noexcept:
        cdef int64_t modified = load64(&self.w_modified), first = load64(&self.w_first)
        return first if modified == 0 or (first != 0 and first < modified) else modified
    cdef inline int64_t zombies(self) noexcept:
        return load64(&self.w_zombies)
    cdef inline void add_zombies(self, int64_t delta) noexcept:
        add64(&self.w_zombies, delta)

cdef class CountedQueue(WaitQueue):
    cdef int64_t total
    cdef inline int64_t add_count(self, int64_t delta) noexcept:
        return add64(&self.total, delta)
    cdef inline int64_t count(self) noexcept:
        return load64(&self.total)

cdef class RunQueue:
    cdef gs_ring ring
    cdef gs_eye eye
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
    cdef inline object ring_at(self, int i):
        """While nothing runs, as for the next two. None: there are not so many."""
        return lend(gs_ring_at(&self.ring, i))
    cdef inline object next_now(self):
        return lend(loadptr(&self.ring.next))
    cdef inline uint32_t ring_size(self) noexcept:
        return gs_ring_size(&self.ring)
    cdef inline bint queue_empty(self) noexcept:
        return gs_ring_empty(&self.ring)
    cdef object steal_from(self, RunQueue victim, uint32_t share)
    cdef int spill_half(self, SchedulerWords s, StateWord g) except -1
    cdef int drain_to_front(self, SchedulerWords s) except -1
    cdef inline object spare_take(self):
        """A dead goroutine to use again: the reference that spare_put kept becomes the caller's."""
        if self.spares == 0:
            return None
        self.spares -= 1
        return moved(self.spare[self.spares])
    cdef bint spare_put(self, StateWord g) noexcept
    cdef inline int64_t slices(self) noexcept:
        return self.eye.schedtick
    cdef inline int64_t turns(self) noexcept:
        return self.eye.usertick
    cdef inline void begin_slice(self) noexcept:
        GS_BUMP(&self.eye.schedtick)
        GS_SET(&self.eye.over, 0)
    cdef inline void begin_turn(self) noexcept:
        GS_BUMP(&self.eye.usertick)
    cdef inline bint slice_over(self) noexcept:
        return GS_PEEK(&self.eye.over)
    cdef inline void expire(self) noexcept:
        GS_STORE(&self.eye.over, 1)
    cdef inline void renew(self) noexcept:
        GS_SET(&self.eye.over, 0)
    cdef inline void drive(self, ThreadWords m) noexcept:
        publishdriver(&self.eye.driver, &m.pulse)
    cdef inline int take_stage(self) noexcept:
        """How it stands, if that is news since the last time that somebody asked; else 0."""
        return self.eye.stage if swap32(&self.eye.news, 0) else 0
    cdef inline bint seen_detached(self) noexcept:
        return self.eye.detached >= 2
    cdef inline bint same_turn(self) noexcept:
        return load64(&self.eye.usertick) == self.eye.tick
    cdef inline void look_anew(self) noexcept:
        """It is left alone: the next look begins from the start."""
        self.eye.tick = -1  # by sysmon, whose note it is
    cdef inline int64_t stands_since(self) noexcept:
        return self.eye.since

cdef class SchedulerWords(Guarded):
    cdef gs_fifo fifo
    cdef int32_t w_spinning
    cdef int32_t w_idle_ps
    cdef int32_t w_need_spinning
    cdef int32_t w_phase
    cdef int32_t w_resizing
    cdef int64_t w_last_poll
    cdef int64_t w_net_waiters
    cdef int32_t w_net_claimed
    cdef int64_t w_poll_until
    cdef gs_watch watch
    cdef inline void watch_p(self, RunQueue p) noexcept:
        gs_watch_eye(&self.watch, &p.eye, <void *>p)
    cdef inline void rouse_watch(self) noexcept:
        """By who has just taken an idle P."""
        gs_watch_rouse(&self.watch)
    cdef inline int moment(self) noexcept:
        """The coarse clock: a load instead of a system call."""
        return GS_PEEK(&self.watch.moment)
    cpdef void stamp(self, int64_t now) noexcept
    cdef inline void watch_procs(self, int n) noexcept:
        GS_STORE(&self.watch.procs, n)
    cdef inline void watch_quickly(self) noexcept:
        self.watch.calm = 0
    cdef inline void remind(self, bint first) noexcept:
        gs_watch_remind(&self.watch, first)
    cdef inline void end_watch(self) noexcept:
        GS_STORE(&self.watch.ends, 1)
        gs_watch_wake(&self.watch)
    cpdef void set_watch(self, int64_t slice_ns, int64_t late_ns, int64_t cap_ns, int64_t trace_ns) noexcept
    cdef inline void free_locks(self) noexcept:
        self.mutex.word = 0
        self.watch.lock.word = 0
    cdef inline void leave_watch(self, ThreadWords m) noexcept:
        gs_pulse_leave(&self.watch, &m.pulse)
    cpdef void join_watch(self, ThreadWords m)
    cpdef int keep_watch(self) noexcept
    cpdef bint look_once(self, int64_t now) noexcept
    cpdef int64_t next_look(self) noexcept
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
    cdef inline bint move_last_poll(self, int64_t old, int64_t new) noexcept:
        return cas64(&self.w_last_poll, old, new)
    cdef inline void add_net_waiters(self, int64_t n) noexcept:
        add64(&self.w_net_waiters, n)
    cdef inline int64_t net_waiters(self) noexcept:
        return load64(&self.w_net_waiters)
    cdef inline bint claim_net(self) noexcept:
        """To look at the netpoller: one at a time."""
        return gs_cas32(&self.w_net_claimed, 0, 1)
    cdef inline void unclaim_net(self) noexcept:
        GS_STORE(&self.w_net_claimed, 0)
    cdef inline void set_poll_until(self, int64_t value) noexcept:
        store64(&self.w_poll_until, value)
    cdef inline int64_t poll_until(self) noexcept:
        return load64(&self.w_poll_until)
    cdef inline int global_size(self) noexcept:
        return <int>gs_fifo_len(&self.fifo)
    cdef inline object global_at(self, int i):
        return lend(gs_fifo_at(&self.fifo, i))
    cdef int global_put(self, StateWord g) except -1
    cdef int global_put_front(self, StateWord g) except -1
    cdef object global_take(self)
    cdef void global_refill(self, RunQueue p, int n) noexcept

cdef class ThreadWords:
    cdef void *owner
    cdef gs_pulse pulse
    cdef void *token
    cdef PyObject *code
    cdef PyObject *adopted
    cdef PyObject *holders[8]
    cdef void *running
    cdef gs_note note
    cdef int32_t napping
    cdef gs_fifo late
    cdef gs_fifo guests
    cdef public int outcome
    cdef int lasti
    cdef readonly int64_t goid
    cdef int64_t realm
    cdef inline void set_owner(self, object owner) noexcept:
        """The scheduler, to be compared without counting a reference that all threads share."""
        self.owner = <void *>owner
    cdef inline void set_token(self, RunQueue p) noexcept:
        self.token = <void *>p
    cdef inline void publish_p(self) noexcept:
        publishptr(&self.pulse.userp, self.token)
    cdef inline bint take_back_p(self) noexcept:
        return swapptr(&self.pulse.userp, NULL) != NULL
    cdef inline bint retake_p(self, RunQueue p) noexcept:
        return gs_casptr(&self.pulse.userp, <void *>p, NULL)
    cdef inline bint lost_p(self) noexcept:
        """In user code: the P that was published is gone."""
        return peekptr(&self.pulse.userp) == NULL
    cdef inline void mark(self, bint blocks) noexcept:
        """In blocking()."""
        GS_STORE(&self.pulse.marked, blocks)
    cdef inline bint marked(self) noexcept:
        return GS_LOAD(&self.pulse.marked)
    cdef inline void hold(self, StateWord g) noexcept:
        self.running = <void *>g
    cdef inline void begin_wait(self, int reason, object on) noexcept:
        """The goroutine that runs here can be woken, as soon as a waker can find it: park.begin_wait without counting a reference."""
        (<StateWord>self.running).reason = reason
        (<StateWord>self.running).on = <void *>on
        GS_PUBLISH(&(<StateWord>self.running).word, PARKING)
        GS_PUBLISH(&(<StateWord>self.running).open, 1)
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
    cpdef bint watch_note(self, int64_t ns) noexcept
    cpdef bint sleep_note(self, int64_t until) noexcept
    cdef inline bint naps(self) noexcept:
        """In sleep_note, where no Python runs."""
        return GS_LOAD(&self.napping)
    cpdef bint doze(self, int64_t until) except -1
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
    cdef inline bint holds(self, StateWord g) noexcept:
        return self.running == <void *>g
    cdef int guest_put(self, StateWord g) except -1
    cdef inline object guest_take(self):
        return lend(gs_fifo_take(&self.guests))
    cdef inline bint any_guests(self) noexcept:
        return gs_fifo_len(&self.guests) != 0
    cdef inline bint any_late(self) noexcept:
        return self.late.len != 0

cdef class Note:
    cdef gs_note note
    cpdef void clear(self) noexcept
    cpdef void wake(self) noexcept
    cpdef bint sleep(self, int64_t until) noexcept

cpdef object current_m()
cpdef void set_current_m(object m)
cpdef void own(StateWord g) noexcept
cpdef void disown(StateWord g) noexcept
cpdef bint shared(StateWord g) noexcept
cpdef void unlink(StateWord g) noexcept
cpdef object list_of(StateWord g)
cpdef int64_t now() noexcept
cpdef void nap(int64_t ns) noexcept
cpdef int64_t address(object x) noexcept
cpdef object method_function(object method)
cpdef object method_self(object method)
cpdef object immortal(object x)

@cython.no_gc
cdef class Awaitable:
    cdef bint waiting
    cdef bint iterates
    cdef PyObject *parts[2]
    cdef object advance(self)
    cdef inline void fill(self, object subject, object value) noexcept:
        self.waiting = False
        self.parts[0] = gs_owned(<PyObject *>subject)
        self.parts[1] = gs_owned(<PyObject *>value)
    cdef inline object subject(self):
        return <object>self.parts[0]
    cdef inline object value(self):
        return <object>self.parts[1]

cpdef object spare_op(int kind)
cpdef void drop_spares() noexcept

cpdef int pooled(type kind, int number) except -1
cpdef int ends_with_value(type kind, object waits) except -1
cpdef int share_anext(type child, type parent) except -1
