cimport cython
from libc.stdint cimport int64_t
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine, Watcher
from .interrupt cimport Cancellation, enter_scope
from .m cimport M
from .bodies cimport copy_context, is_coroutine, is_coroutine_function, look_at_caller, look_outside, may_wait
from .native cimport current_m, own, ThreadWords
from .sched cimport Scheduler
from .telling cimport name_number, start_name, tell_create
from .wake cimport submit, submit_global

cdef int E_GO_CREATE, OUTSIDE
cdef int EXITING, ID_BATCH, OWN_THREAD, RUNNABLE

cpdef Goroutine spawn(M m, object fn, tuple args, object name, Watcher watcher, Cancellation ctx=*, ThreadWords origin=*)
cpdef Goroutine spawn_outside(Scheduler s, object fn, tuple args, object name, Watcher watcher, bint system, Cancellation ctx=*, ThreadWords origin=*)
@cython.locals(g=Goroutine, nested=bint, number=int64_t, place=ThreadWords)
cdef Goroutine launch(M m, object body, object args, object name, Watcher watcher, int phase, Cancellation ctx, ThreadWords origin)
@cython.locals(g=Goroutine, place=ThreadWords, number=int64_t)
cdef Goroutine launch_outside(Scheduler s, object body, object args, object name, Watcher watcher, bint system, Cancellation ctx, ThreadWords origin)
@cython.locals(m=M, place=ThreadWords)
cpdef ThreadWords caller_here(Scheduler s)
@cython.locals(g=Goroutine)
cdef Goroutine fresh(M m)
@cython.locals(g=Goroutine)
cdef Goroutine fresh_outside(Scheduler s)
cdef void fill(Goroutine g, object body, object args, object context, object name, Watcher watcher, bint system) noexcept
@cython.final
cdef class AsyncgenFinisher:
    cdef Scheduler sched
    cdef object pid

cpdef bint is_function(object fn, tuple args) except -1
