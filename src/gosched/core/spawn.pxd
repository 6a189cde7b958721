cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine, Watcher
from .m cimport M
from .native cimport copy_context, current_m, is_coroutine, is_coroutine_function, look_at_caller, look_outside, own, ThreadWords
from .sched cimport Scheduler
from .wake cimport submit, submit_global

cdef int ID_BATCH, RUNNABLE

@cython.locals(g=Goroutine, nested=bint)
cpdef Goroutine spawn(M m, object fn, object args, object name, Watcher watcher)
@cython.locals(g=Goroutine, place=ThreadWords)
cpdef Goroutine spawn_outside(Scheduler s, object fn, object args, object name, Watcher watcher, bint system)
@cython.locals(g=Goroutine)
cdef Goroutine fresh(M m)
@cython.locals(g=Goroutine)
cdef Goroutine fresh_outside(Scheduler s)
cdef void fill(Goroutine g, object body, object args, object context, object name, Watcher watcher, bint system) noexcept
cpdef object check_body(object fn, object args)
