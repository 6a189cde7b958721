cimport cython
from .chan cimport Channel
from .g cimport Goroutine
from .interrupt cimport ending
from .m cimport M
from .plain cimport caller, goroutine_m, park_here
from .signals cimport Closed, Ended, Parked

cdef object send_here(Channel ch, M m, object value)
cdef object recv_here(Channel ch, M m)
cdef bint has_own_recv(Channel ch)
@cython.locals(g=Goroutine)
cdef object wait_here(Channel ch, M m)
