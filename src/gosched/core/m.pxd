cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .native cimport ThreadWords
from .p cimport P
from .sched cimport Scheduler

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
    cdef bint inherits
    cdef readonly int verdict
    cdef readonly int64_t poll_until
    cdef readonly int64_t goid
    cdef readonly int64_t plain_parks
    cdef public bint asked
    cdef public bint doomed
    cdef readonly int64_t preemptions
    cdef readonly int64_t blocking_calls
    cdef readonly int64_t blocked_in
    cdef readonly int64_t blocked_since
    cdef readonly int64_t locks
    cdef readonly Goroutine bound
    cdef readonly int64_t ident
    cdef readonly list leashes
    cdef bint asleep
    cdef public object state
