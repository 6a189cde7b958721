cimport cython
from libc.stdint cimport int64_t
from .native cimport list_of, StateWord, ThreadWords, Waiter

cdef int DEAD, PARKED, PARKING, PREEMPTED, RUNNABLE, RUNNING, SYSCALL

cdef class Watcher:
    cdef int note_start(self) except -1
    cdef int note_end(self, Goroutine g, int outcome, object value) except -1

cpdef str state_word(int state, int phase, bint blocks)

@cython.final
cdef class Goroutine(StateWord):
    cdef unsigned char phase
    cdef unsigned char system
    cdef unsigned char told
    cdef unsigned char struck
    cdef readonly int locks
    cdef readonly int64_t id
    cdef int64_t creator
    cdef int64_t want
    cdef int64_t waker
    cdef object body
    cdef object args
    cdef object context
    cdef object given_name
    cdef Watcher watcher
    cdef ThreadWords home
    cdef Waiter scope
    cdef void reset(self) noexcept
    cpdef bint is_dead(self)
