cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .native cimport ThreadWords
from .p cimport P
from .sched cimport Scheduler
from .trail cimport Trail

cdef int E_M_START, FIRST_M

@cython.final
cdef class M(ThreadWords):
    cdef readonly int id
    cdef readonly Scheduler sched
    cdef readonly P p
    cdef P nextp
    cdef P oldp
    cdef M link
    cdef public bint spinning
    cdef public bint in_runtime
    cdef bint resting
    cdef bint inherits
    cdef bint shaky
    cdef readonly int verdict
    cdef readonly int64_t poll_until
    cdef readonly int64_t plain_parks
    cdef public bint asked
    cdef public bint doomed
    cdef readonly int64_t preemptions
    cdef readonly int64_t blocking_calls
    cdef readonly int64_t blocked_in
    cdef readonly int64_t blocked_since
    cdef readonly int reluctance
    cdef readonly int skips
    cdef readonly int64_t locks
    cdef bint spoilt
    cdef readonly int64_t ident
    cdef readonly list leashes
    cdef public object stack
    cdef public object root
    cdef public object fresh
    cdef readonly list pool
    cdef readonly int64_t aside
    cdef int waits
    cdef bint polling
    cdef Goroutine pending
    cdef bint guests_first
    cdef public object state
    cdef readonly int who
    cdef dict names
    cdef readonly Trail trail
