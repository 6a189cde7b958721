cimport cython
from .g cimport Goroutine
from .m cimport M
from .runq cimport put_global, put_tail, take_one_global

@cython.locals(g=Goroutine, n=int)
cpdef mix(M m, bint demotes, int local, int common)
