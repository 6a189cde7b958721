# cython: freethreading_compatible=True
"""What happens, written down, compiled. trail.h has the protocol, events.py the meaning, trail.py the same in Python."""
cimport cython
from _thread import allocate_lock
from cpython.bytes cimport PyBytes_FromStringAndSize

from .events import ARGS, E_BY, E_LOST, OUTSIDE as WHO_OUTSIDE

cdef extern from "trail.h" nogil:
    int BY "GS_BY", LOST "GS_LOST"
    int32_t loadlen "GS_LOAD"(int32_t *)
    gs_piece *loadpiece "GS_LOAD"(gs_piece **)
    int64_t peek64 "GS_PEEK"(int64_t *)
    int64_t load64 "GS_LOAD"(int64_t *)
    void set64 "GS_SET"(int64_t *, int64_t)
    void gs_trail_drop(gs_trail *, int64_t)
    void gs_trail_free(gs_trail *)
    void gs_note_clear(gs_note *)
    void gs_note_wake(gs_note *)
    int gs_note_sleep(gs_note *, int64_t)

cdef int OUTSIDE = WHO_OUTSIDE
assert BY == E_BY and LOST == E_LOST

# How many args each kind has.
cdef bytes COUNTS = bytes(len(args) for args in ARGS)


cpdef tuple skim(bytes data, int64_t time, int who, Py_ssize_t least):
    """Goes past whole events, until at least so many bytes are behind it: how many that are, the time and the writer there, and how many events.
    `time` and `who` are those before the first. Trails write what it reads: it is believed."""
    cdef const unsigned char *bytes_ = data
    cdef const unsigned char *counts = COUNTS
    cdef Py_ssize_t at = 0
    cdef int64_t events = 0, n
    cdef int i, kind, shift
    while at < least:
        kind = bytes_[at]
        at += 1
        for i in range(-1, counts[kind]):
            n = shift = 0
            while bytes_[at] >= 0x80:
                n |= <int64_t>(bytes_[at] & 0x7F) << shift
                shift += 7
                at += 1
            n |= <int64_t>bytes_[at] << shift
            at += 1
            if i < 0:
                time += n
            elif kind == BY:
                who = <int>n
        events += kind != BY
    return at, time, who, events


@cython.final
cdef class Trails:
    """Of one scheduler. `one`: a single one for all writers, as in virtual time; `queues`: there they tell where goroutines are queued, too."""

    def __init__(self, int64_t limit, bint stacks=False, bint one=False, bint queues=False):
        self.paper.limit = limit
        self.stacks = stacks
        self.one = one
        self.queues = queues
        self.all = []
        self.strings = []
        self.numbers = {}
        self.tasks = 0
        self.lock = allocate_lock()
        self.open().words.shared = True

    cpdef Trail open(self):
        """A trail for an M that begins; the first of all is shared."""
        cdef Trail trail
        with self.lock:
            if self.one and self.all:
                return self.all[0]
            trail = Trail.__new__(Trail)
            trail.of = self
            trail.id = len(self.all)
            trail.words.paper = &self.paper
            self.all.append(trail)
        return trail

    cpdef int64_t number(self, str text) except -1:
        """Of a string that events name."""
        found = self.numbers.get(text)
        if found is None:
            with self.lock:
                found = self.numbers.get(text)
                if found is None:
                    found = len(self.strings)
                    self.strings.append(text)
                    self.numbers[text] = found
        return found

    cpdef int64_t new_task(self) except -1:
        """The number of a task of the user's, from 1 on."""
        with self.lock:
            self.tasks += 1
            return self.tasks

    cpdef void set_clock(self, int64_t now) noexcept:
        """In virtual time it is now `now`."""
        set64(&self.paper.clock, now)

    cpdef bint sleep(self, int64_t until) noexcept:
        """By the reader: until a piece is full, or it is `until`, or woken. False: it is `until`."""
        cdef int rung
        with nogil:
            rung = gs_note_sleep(&self.paper.bell, until)
            gs_note_clear(&self.paper.bell)
        return rung

    cpdef void tell_outside(self, int kind, int64_t a) noexcept:
        """By a thread that is no M."""
        (<Trail>self.all[0]).tell1(OUTSIDE, kind, a)

    cpdef void wake(self) noexcept:
        gs_note_wake(&self.paper.bell)

    cpdef int64_t held(self) noexcept:
        """Bytes."""
        return load64(&self.paper.held)


@cython.final
@cython.no_gc_clear
cdef class Trail:
    cpdef list pieces(self, int64_t serial, int64_t offset):
        """By the reader: what was told from that place on, as (serial, time of its first event, who, offset, bytes, whether more may come).
        The piece with that serial is among them, if it is still there."""
        cdef gs_piece *piece = loadpiece(&self.words.first)
        cdef gs_piece *next
        cdef int64_t begin
        cdef int32_t n
        found = []
        while piece != NULL:
            next = loadpiece(&piece.next)
            n = loadlen(&piece.len)
            if piece.serial >= serial:
                begin = offset if piece.serial == serial else 0
                if begin < n or next == NULL or piece.serial == serial:
                    data = PyBytes_FromStringAndSize(<char *>piece.data + begin, n - begin)
                    found.append((piece.serial, piece.begun, piece.who, begin, data, next == NULL))
            piece = next
        return found

    cpdef list marks(self):
        """By the reader: the pieces that there are, as (serial, time of its first event)."""
        cdef gs_piece *piece = loadpiece(&self.words.first)
        found = []
        while piece != NULL:
            found.append((piece.serial, piece.begun))
            piece = loadpiece(&piece.next)
        return found

    cpdef int64_t untold(self) noexcept:
        """How many events were lost since the last one that was not."""
        return peek64(&self.words.lost)

    cpdef void drop(self, int64_t serial) noexcept:
        """By the reader: all before that piece."""
        gs_trail_drop(&self.words, serial)

    def __dealloc__(self):
        if self.of is not None:
            gs_trail_free(&self.words)
