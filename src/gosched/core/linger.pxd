from libc.stdint cimport int64_t
from .m cimport M

cdef int64_t LINGER_NS
cdef int RELUCTANCE

cpdef int linger(M m) except -1
