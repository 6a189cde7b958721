cimport cython
from libc.stdint cimport int64_t
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine, Watcher
from .interrupt cimport Cancellation, enter_scope
from .m cimport M
from .native cimport copy_context, current_m, is_coroutine, is_coroutine_function, look_at_caller, look_outside, may_wait, own, ThreadWords
from .sched cimport Scheduler
from .telling cimport name_number, start_name, tell_create
from .wake cimport submit, submit_global

cdef int E_GO_CREATE, OUTSIDE
cdef int EXITING, ID_BATCH, OWN_THREAD, RUNNABLE

cpdef Goroutine spawn(M m, object fn, tuple args, object name, Watcher watcher, Cancellation ctx=*)
cpdef Goroutine spawn_outside(Scheduler s, object fn, tuple args, object name, Watcher watcher, bint system, Cancellation ctx=*)
@cython.locals(g=Goroutine, nested=bint, number=int64_t)
cdef Goroutine launch(M m, object body, object args, object name, Watcher watcher, int phase, Cancellation ctx)
@cython.locals(g=Goroutine, place=ThreadWords, number=int64_t)
cdef Goroutine launch_outside(Scheduler s, object body, object args, object name, Watcher watcher, bint system, Cancellation ctx)
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
