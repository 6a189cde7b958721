cimport cython
from .g cimport Goroutine
from .m cimport M
from .native cimport Awaitable, ChannelWords, current_m, ends_with_value, pooled, spare_op, ThreadWords, Waiter
from .op cimport Op
from .park cimport arrived, ready, words_of
from .signals cimport Closed, Nothing, Parked
from .timers cimport Timer

cdef int RECEIVES, SENDS, W_RECV, W_SEND

@cython.final
cdef class Case(Waiter):
    cdef readonly Channel channel
    cdef readonly int kind
    cdef readonly int index
    cdef public object value
    cdef readonly bint closed
    cdef Goroutine g
    cdef Waiter won_over

cdef class Channel(ChannelWords):
    cdef Timer timer
    cdef public bint nil
    cdef object __weakref__
    cdef object send_by(self, ThreadWords who, object value)
    cdef object recv_by(self, ThreadWords who)
    cdef object send_if_ready(self, object value)
    cdef object recv_if_ready(self)
    cdef int leave(self, Goroutine g) except -1
    @cython.locals(first=bint)
    cdef bint close_now(self) except -1
    @cython.locals(w=Waiter, won=bint)
    cdef bint wake_closed(self) except -1
    cdef object send_or_keep(self, object value)
    cdef object recv_or_keep(self)
    @cython.locals(w=Waiter)
    cdef object give(self, object value)
    @cython.locals(w=Waiter, closed=bint)
    cdef object take(self)
    cdef bint drain(self) except -1
    @cython.locals(w=Waiter)
    cdef Waiter next_receiver(self)
    @cython.locals(w=Waiter)
    cdef Waiter next_sender(self)

@cython.final
cdef class SendOp(Op):
    pass

@cython.final
cdef class RecvOp(Op):
    @cython.locals(m=M, g=Goroutine, channel=Channel)
    cdef object ask(self)
    @cython.locals(m=M, g=Goroutine)
    cdef object fetch(self)

cdef object send_by(Channel channel, ThreadWords who, object value)
cdef int leave(Channel channel, Goroutine g) except -1
@cython.locals(op=SendOp)
cdef SendOp send_op(Channel channel, object value)
@cython.locals(op=RecvOp)
cdef RecvOp recv_op(Channel channel, bint iterates)
@cython.locals(case=Case)
cpdef Case new_case(Channel channel, int kind, int index, object value)
@cython.locals(case=Case)
cpdef int wake_waiter(Waiter w) except -1
