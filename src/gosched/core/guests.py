"""Goroutines on the way to the one thread that can go on with them.

A goroutine that is bound to a thread (locked.py) and becomes runnable is put among the guests of that thread, its home. If a P is idle, by who has
woken it: a home that sleeps gets that P (bring). If none is, and the home has none, it is queued as any other; whoever takes it from a queue and is
not its home delivers it, gives a home that sleeps its own P, and goes to sleep itself. (Go's startlockedm goes this way always. But nobody else could
run it: to wake a thief for it, as for others, would only make the way longer.) A home that has a P looks at its guests in turn with its P's queue,
and once more before it sleeps: if a P is idle, it stays awake for them. The interleavings:

    the home is about to sleep  both under the scheduler's lock: the guest is there before the home looks, or the home is found asleep and gets a P
    the home polls              it is woken from there, and finds its guests when it has a P
    the home gives up its P     its guests, if they came meanwhile, go back to the global queue, and whoever takes one brings it with a P
    the home is in user code    perhaps without a P: the guests wait until it comes back. A hog or a blocking call delays what is bound to its thread

Lock: guests, `waits`, `polling` and the idle list are guarded by the scheduler's lock. `home.p` is the home's own: bring reads it under the lock, and
either answer is safe. Seen there, the home looks at its guests under it before it sleeps; not seen, though it is about to get one: g is queued.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import tell_global
from .events import E_PROC_STOP
from .states import FOR_ANY, FOR_ONE
from .wake import rouse

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def bring(m: M, g: Goroutine) -> bool:
    """m has woken g, whose home is another M. False: there is no P for it to wake with, and g has to be queued."""
    home: M = g.home  # type: ignore[assignment]
    m.sched.acquire()
    if home.p is None and m.sched.idle_ps() == 0:
        m.sched.release()
        return False
    slept = call_home(home, g)
    if slept:
        home.inherits = False
        home.nextp = m.sched.take_idle_p()
    polls = home.polling
    m.sched.release()
    if slept:
        rouse(home)
    elif polls:
        m.sched.host.poll_wake()  # race: the home has looked at its guests, and waits there
    return True


def deliver(m: M, g: Goroutine) -> bool:
    """m has taken g, whose home is another M, from a queue. True: the home slept, m gave it its P."""
    home: M = g.home  # type: ignore[assignment]
    m.sched.acquire()
    slept = call_home(home, g)
    polls = home.polling
    m.sched.release()
    if slept:
        home.inherits = m.inherits
        if m.trail is not None:
            m.trail.tell(m.who, E_PROC_STOP)
        home.nextp = m.p
        m.p = None  # type: ignore[assignment]
        rouse(home)
    elif polls:
        m.sched.host.poll_wake()  # race: the home has looked at its guests, and waits there
    return slept


def call_home(home: M, g: Goroutine) -> bool:
    """Lock held. True: the home slept, and is the caller's to wake, with a P. Else it is awake, and g among its guests."""
    slept = home.waits == FOR_ANY or (home.waits == FOR_ONE and home.holds(g))
    if slept:
        home.waits = 0
        home.sched.idle_locked -= 1
    else:
        slept = home.sched.drop_idle_m(home)
    if not home.holds(g) or not slept:
        home.guest_put(g)  # race: the home is about to sleep, or asleep with another one: it looks at its guests under this lock
    return slept


def take_guest(m: M) -> Goroutine | None:
    m.sched.acquire()
    g: Goroutine | None = m.guest_take()
    m.sched.release()
    return g


def send_guests_back(m: M) -> bool:
    """Lock held. m has no P to run them with: whoever takes one from the global queue brings it back, with a P. True: there were some."""
    any_sent = m.any_guests()
    while m.any_guests():
        g: Goroutine = m.guest_take()
        m.sched.global_put(g)
        if m.sched.journal:
            tell_global(m.sched, g)
    return any_sent
