cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine, Watcher
from .m cimport M
from .native cimport copy_context, current_m, is_coroutine, is_coroutine_function, look_at_caller, look_outside, may_wait, own, ThreadWords
from .sched cimport Scheduler
from .wake cimport submit, submit_global

cdef int EXITING, ID_BATCH, OWN_THREAD, RUNNABLE

cpdef Goroutine spawn(M m, object fn, tuple args, object name, Watcher watcher)
cpdef Goroutine spawn_outside(Scheduler s, object fn, tuple args, object name, Watcher watcher, bint system)
@cython.locals(g=Goroutine, nested=bint)
cdef Goroutine launch(M m, object body, object args, object name, Watcher watcher, int phase=*)
@cython.locals(g=Goroutine, place=ThreadWords)
cdef Goroutine launch_outside(Scheduler s, object body, object args, object name, Watcher watcher, bint system)
@cython.locals(g=Goroutine)
cdef Goroutine fresh(M m)
@cython.locals(g=Goroutine)
cdef Goroutine fresh_outside(Scheduler s)
cdef void fill(Goroutine g, object body, object args, object context, object name, Watcher watcher, bint system) noexcept
@cython.final
cdef class AsyncgenFinisher:
    cdef Scheduler sched

cpdef bint is_function(object fn, tuple args) except -1
