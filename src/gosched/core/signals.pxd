cdef class Parked:
    pass
cdef class Again:
    pass
cdef class Nothing:
    pass
cdef class Woken:
    pass
cdef class Closed:
    pass
cdef class TimedOut:
    pass
cdef class Ended:
    pass
cdef class Interrupted:
    cdef readonly object error
