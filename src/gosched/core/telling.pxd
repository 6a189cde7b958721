cimport cython
from libc.stdint cimport int64_t
from .album cimport Album
from .g cimport Goroutine
from .m cimport M
from .bodies cimport is_coroutine
from .native cimport current_m
from .trail cimport Trail, Trails

cdef int E_GO_BLOCK, E_GO_CREATE, E_GO_STOP, E_STACK, NO_P, YIELDS, ASKED, PREEMPTED

cpdef str start_name(object body, object name)
cpdef int64_t name_number(M m, object body, object name) except -1
cpdef int tell_create(M m, Goroutine g, int64_t number) except -1
cpdef int tell_block(M m, Goroutine g) except -1
@cython.locals(why=int)
cpdef int tell_stop(M m, Goroutine g) except -1
@cython.locals(album=Album)
cdef int tell_place(M m, Goroutine g) except -1
cdef int tell_frames(M m) except -1
cdef int tell_stack(M m, list places) except -1
@cython.locals(m=M)
cpdef bint tell_user(int kind, tuple args) except -1
@cython.locals(m=M)
cpdef bint is_told() except -1
cdef int64_t number_here(M m, str text) except -1
cpdef int64_t user_number(str text) except -1
@cython.locals(m=M)
cpdef int64_t user_task() except -1
