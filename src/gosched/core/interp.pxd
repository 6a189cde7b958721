cpdef bint raise_soon(object error) noexcept
cpdef void raise_in(unsigned long ident, object error) noexcept
cpdef object innermost_frame()
cpdef bint interrupts_core() noexcept
cpdef object switch_stack(object stack)
cpdef object unwind_stack(object stack)
cpdef void no_more_stacks() noexcept
cpdef bint stop_soon(unsigned long ident, object stopped) noexcept
cpdef void stop_no_more() noexcept
cpdef int stop_world() noexcept
cpdef void start_world(int before) noexcept
