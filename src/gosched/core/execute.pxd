cimport cython
from .entry cimport enter_runtime, leave_runtime
from .findrun cimport find_runnable, idle
from .g cimport Goroutine, Watcher
from .locked cimport give_up_p, lock_to, sleep_locked, start_locked
from .m cimport M
from .native cimport call, disown, is_coroutine, is_coroutine_function, resume, shared, throw, unlink
from .wake cimport stop_spinning, submit, submit_behind

from .op cimport Op
from .preempt cimport reprieve
from .runq cimport put_tail

cdef int ALIVE, BEHIND, DEAD, EXIT, NOTIFIED, OWN_THREAD, PARKED, PARKING, RAISED, RETURNED, RUNNABLE, RUNNING, YIELDED

@cython.locals(g=Goroutine)
cpdef int step(M m) except -1
cdef int step_locked(M m) except -1
@cython.locals(verdict=int)
cpdef int schedule(M m) except -1
cpdef int execute(M m, Goroutine g) except -1
cdef object turn(M m, Goroutine g)
cdef void adopt_context(M m, Goroutine g) noexcept
cdef object begin(M m, Goroutine g)
cdef object end(M m, Goroutine g)
cdef int settle(M m, Goroutine g) except -1
cdef int report(M m, Goroutine g, object result) except -1
cdef int bury(M m, Goroutine g) except -1
