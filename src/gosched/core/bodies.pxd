from cpython.object cimport PyObject
from .native cimport CodeHolder, ThreadWords

cdef int YIELDED, RETURNED, RAISED
cpdef object resume(object body, object value, object context, ThreadWords m)
cpdef object call(object fn, object args, object context, ThreadWords m)
cpdef object throw(object body, object error, object context, ThreadWords m)
cpdef object copy_context()
cpdef bint is_coroutine(object x) noexcept
cpdef bint is_coroutine_function(object x) noexcept
cpdef bint may_wait(object fn, tuple args, bint alone) noexcept
cpdef void look_at_caller(ThreadWords m) noexcept
cpdef void look_outside(ThreadWords m)
