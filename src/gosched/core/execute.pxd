cimport cython
from .entry cimport enter_runtime, leave_runtime
from .findrun cimport find_runnable, idle
from .g cimport Goroutine, Watcher
from .guests cimport deliver, take_guest
from .interrupt cimport end_scope, ending, is_over
from .locked cimport give_up_p, lock_to, sleep_locked, take_up
from .m cimport M
from .interp cimport switch_stack
from .bodies cimport call, is_coroutine, is_coroutine_function, resume, throw
from .native cimport disown, shared, unlink
from .wake cimport stop_spinning, submit, submit_behind

from .op cimport Op
from .preempt cimport reprieve
from .runq cimport put_tail
from .telling cimport tell_block, tell_stop

cdef int E_GO_END, E_GO_START, E_GO_UNBLOCK
cdef int ALIVE, BEHIND, DEAD, EXIT, NOTIFIED, OWN_THREAD, PARKED, PARKING, RAISED, RETURNED, RUNNABLE, RUNNING
cdef int SPENDING, STAY, STAYED, SYSCALL, YIELDED

@cython.locals(g=Goroutine)
cpdef int step(M m) except -1
@cython.locals(g=Goroutine)
cdef Goroutine take_pending(M m)
@cython.locals(g=Goroutine)
cdef int step_locked(M m) except -1
cdef int run_bound(M m, Goroutine g) except -1
cdef int go_on(M m, Goroutine g) except -1
@cython.locals(verdict=int)
cpdef int schedule(M m) except -1
cpdef int execute(M m, Goroutine g) except -1
cpdef int carry_on(M m, Goroutine g) except -1
cdef object turn(M m, Goroutine g)
cdef void adopt_context(M m, Goroutine g) noexcept
cdef object begin(M m, Goroutine g)
cdef object end(M m, Goroutine g)
cdef object strike(M m, Goroutine g)
cpdef int settle(M m, Goroutine g) except -1
@cython.locals(state=int)
cdef int tell_yield(M m, Goroutine g) except -1
cdef int report(M m, Goroutine g, object result) except -1
cdef int bury(M m, Goroutine g) except -1
