cimport cython
from libc.stdint cimport int64_t
from .native cimport current_m, GoroutineList, SchedulerWords
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .trail cimport Trail, Trails

cdef int E_PROCS, OUTSIDE
cdef int FAIRNESS, GLOBAL_BATCH, HALF, ID_BATCH, LOOK_NS, MAX_THREADS, P_DEAD, P_IDLE, P_RUNNING, RING, SLICE_NS, SPIN_FACTOR, STEAL_PASSES

@cython.final
cdef class Scheduler(SchedulerWords):
    cdef public object host
    cdef readonly int64_t realm
    cdef readonly int64_t seed
    cdef public bint virtual
    cdef public bint hands_over
    cdef public bint shaky
    cdef public bint lingers
    cdef readonly int ring
    cdef public int batch
    cdef public int fairness
    cdef public int passes
    cdef public int spin_factor
    cdef public bint runnext
    cdef public bint inherits
    cdef public bint steals
    cdef public bint central
    cdef public bint lifo
    cdef public int share
    cdef readonly bint journal
    cdef public object place
    cdef public object first
    cdef public object order
    cdef readonly bint bent
    cdef public int max_threads
    cdef public int nproc
    cdef readonly list allp
    cdef readonly list allm
    cdef P idle_p
    cdef M idle_m
    cdef readonly int threads
    cdef readonly int idle_threads
    cdef readonly int idle_locked
    cdef int next_m
    cdef readonly int64_t past_parks
    cdef readonly int64_t past_preemptions
    cdef readonly int64_t past_calls
    cdef int64_t next_goid
    cdef readonly GoroutineList outside
    cdef readonly Trails trails
    cdef readonly Trail trail
    @cython.locals(p=P, old=int)
    cpdef grow(self, int n)
    @cython.locals(p=P)
    cdef void put_idle_p(self, P p) noexcept
    @cython.locals(p=P)
    cdef P take_idle_p(self)
    @cython.locals(before=P, at=P)
    cdef bint take_this_p(self, P p) noexcept
    cdef void put_idle_m(self, M m) noexcept
    @cython.locals(m=M)
    cdef M take_idle_m(self)
    @cython.locals(before=M, at=M)
    cdef bint drop_idle_m(self, M m) noexcept
    cpdef write_down(self, Trails trails)
    cpdef bend(self)
    cdef int64_t take_ids(self) noexcept
    @cython.locals(p=P, n=int64_t)
    cpdef int64_t live_count(self)
    @cython.locals(p=P)
    cpdef list goroutines(self)
