cimport cython
from libc.stdint cimport int64_t
from .album cimport Album
from .chan cimport Channel
from .g cimport Goroutine
from .interp cimport start_world, stop_world
from .interrupt cimport has_deadline
from .native cimport address, LockQueue, WaitQueue
from .reach cimport wakeable
from .sched cimport Scheduler
from .select cimport Selection

cdef int LOCKED, W_IO, W_WLOCK

@cython.locals(s=Scheduler, g=Goroutine, before=int, album=Album)
cpdef tuple look(list schedulers)
@cython.locals(g=Goroutine, i=int, at=int, hope=bint)
cdef list note_sleepers(list goroutines, list numbers)
@cython.locals(selection=Selection)
cdef list things(Goroutine g)
@cython.locals(channel=Channel, values=int64_t, room=int64_t)
cdef tuple thing(object on, int64_t holder)
@cython.locals(lock=LockQueue, queue=WaitQueue)
cdef int64_t holder(object on) except -1
@cython.locals(g=Goroutine, i=int)
cdef int note_places(Album album, list found) except -1
