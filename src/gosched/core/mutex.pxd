cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m, LockQueue, now, ThreadWords
from .op cimport Op
from .park cimport begin_wait, ready
from .signals cimport Parked, Woken
from .timers cimport clock

cdef int ALIVE, CONTENDED, FREE, LOCKED, W_MUTEX
cdef int64_t STARVING_NS
cdef object DONE, YIELD_BEHIND
cdef int explored

cpdef explore_locks(int by)

cdef class MutexCore(LockQueue):
    cdef bint starving
    cdef Goroutine woken
    cdef Goroutine heir
    cdef object __weakref__
    cdef bint lock_if_free(self) except -1
    @cython.locals(word=int)
    cdef bint take_word(self) noexcept
    @cython.locals(locked=int)
    cdef void settle_word(self) noexcept
    @cython.locals(at=int64_t)
    cdef object lock_for(self, Goroutine g, LockOp op)
    @cython.locals(g=Goroutine, handed=bint)
    cdef bint unlock_slow(self) except -1
    @cython.locals(g=Goroutine)
    cdef Goroutine next_waiter(self)
    @cython.locals(at=int64_t)
    cdef int take_over(self, int64_t since) except -1
    @cython.locals(woken=bint, handed=bint, passes_on=bint)
    cdef int leave(self, Goroutine g) except -1

@cython.final
cdef class LockOp(Op):
    cdef MutexCore mutex
    cdef int64_t since

@cython.locals(op=LockOp)
cdef LockOp lock_op(MutexCore mutex)
@cython.locals(m=M)
cpdef bint is_ending() except -1
@cython.locals(m=M)
cdef int64_t time_here() except -1
