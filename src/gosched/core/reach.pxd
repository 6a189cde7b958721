cpdef list wakeable(list sleepers)
