cimport cython
from libc.stdint cimport int64_t, uint64_t
from .native cimport GoroutineList, RunQueue, TimerArray
from .m cimport M

cdef int P_DEAD
cdef uint64_t LOW_32

@cython.final
cdef class P(RunQueue):
    cdef readonly int id
    cdef readonly int status
    cdef readonly M m
    cdef P link
    cdef int64_t next_id
    cdef int64_t last_id
    cdef uint64_t random_state
    cdef readonly GoroutineList live
    cdef readonly int64_t steals
    cdef readonly int64_t stolen
    cdef public int64_t handoffs
    cdef public int64_t retakes
    cdef readonly int64_t blocks
    cdef readonly int64_t forced
    cdef readonly TimerArray timers
    cdef list steps
    cdef int steps_for
    @cython.locals(x=uint64_t)
    cpdef uint64_t random(self)
    cdef int random_step(self, int n) except -1
