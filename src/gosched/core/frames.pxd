cimport cython
from libc.stdint cimport int64_t, uint64_t
from .album cimport Album
from .g cimport Goroutine
from .interp cimport start_world, stop_world
from .m cimport M
from .sched cimport Scheduler

cdef int DEAD, MOMENT_BITS, PARKED, PARKING
cdef uint64_t LOW_32

@cython.locals(album=Album, threads=Album, before=int, now=int64_t)
cpdef list photograph(Scheduler s, list goroutines, bint alone)
@cython.locals(unused=Album, before=int, now=int64_t)
cpdef list roll_call(Scheduler s, list goroutines)
@cython.locals(state=int, phase=int, since=int64_t)
cdef tuple line(Goroutine g, object fact, int64_t now, object blocked)
@cython.locals(i=int, g=Goroutine, state=int)
cdef int note_goroutines(Album album, list goroutines, list facts, bint look) except -1
@cython.locals(i=int, g=Goroutine, m=M, before=list)
cdef int note_threads(Album threads, list ms, list held, bint look) except -1
@cython.locals(state=int, phase=int, since=int64_t)
cdef object shot(Goroutine g, object fact, object frames, int64_t now, object blocked)
@cython.locals(ticks=uint64_t)
cpdef double seconds(int64_t now, int64_t since) except -1
