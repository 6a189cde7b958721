"""How each line that closes a race is neutralised.

A line of core that carries `# race:` is replaced by `pass`, unless it stands here with what is put in its place. A condition has no `pass`, so
every `if` must stand here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gosched.lab.purecore import CORE

REPLACEMENTS = {
    # native: a compare-and-swap becomes a plain store
    "if self._advance(head, 1):": 'if point() or setattr(self, "_head", (head + 1) & MASK) or True:',
    "if not victim._advance(head, n):": 'if point() or setattr(victim, "_head", (head + n) & MASK):',
    "if not self._advance(head, half):": 'if point() or setattr(self, "_head", (head + half) & MASK):',
    "if self._next is not g:": "if False:",
    "if tail == self._tail:": "if True:",
    "if self._userp is not p:": "if False:",
    # the way to sleep
    "g = take_global(m)": "g = None",
    "if not m.spinning and m.sched.need_spinning():": "if False:",
    "if m.sched.global_size() != 0:": "if False:",
    "p = m.sched.take_idle_p()": "p = None",
    "if m.sched.phase() == EXITING:": "if False:",
    "return s.idle_ps() != 0": "return False",
    "if s.need_spinning():": "if False:",
    "had, self._userp = self._userp, None": "had = self._userp",
    # parking
    "while True:": "for _ in range(1):",
    "if g.swap_state(PARKING, NOTIFIED):": "if g.state_now() == PARKING:",
    "if self.queue.count() == 0:": "if True:",
    # waiting
    "if not self._open:": "if False:",
    "if m.sched.phase() != ALIVE and g.win() and g.swap_state(PARKED, RUNNABLE):": "if False:",
    "if w is None or w.win_wait():": "if w is None or w.win_wait() or True:",
    "while g is not None and not g.win():": "while g is not None and not (g.win() or True):",
    "if g is None or g.win():": "if g is None or g.win() or True:",
    "if not g.win():": "if not (g.win() or True):",
    "if g.win():": "if g.win() or True:",
    "won = self.armed and self.g.win()": "won = self.g.win()",
    "if self.queue.count() == 0 and self.take_out(g):": "if False:",
    "if self.swap_lock_word(word, word | LOCKED):": "if self.set_lock_word(word | LOCKED) or True:",
    "elif self.swap_lock_word(word, word | CONTENDED):": "elif self.set_lock_word(word | CONTENDED) or True:",
    "if late:": "if False:",
    # contexts
    "if parent.error is not None:": "if False:",
    "if self.heirs is None:": "if True:",
    "if self.channel is None:": "if True:",
    "if self.error is not None:": "if False:",
    "if bare and not self.left:": "if bare:",
    "here = not self.left": "here = True",
    "if g.scope is not None and g.state_now() == PARKING and is_over(g):": "if False:",
    "if g.scope is not None and is_over(g):": "if False:",
    # timers
    "if self.seq == seq:": "if True:",
    "pending = self.when != 0 or (self.seq != 0 and self.in_flight == self.seq)": "pending = self.when != 0",
    "if when != 0 and t.heap is None and not t.lazy:": "if True:",
    "if when != self.when_at(0):": "if False:",
    # sysmon, suspension, threads that leave
    "if self.idle_ps() >= self._procs and not self._ends:": "if True:",
    "mine = m.sched.drop_idle_m(m)": "mine = m.sched.drop_idle_m(m) or True",
    "if g.state_now() != RUNNING:": "if False:",
    "sent = send_guests_back(m)": "sent = False",
    # deadlocks
    "vain = until < 0 and polls_in_vain(m.sched)": "vain = False",
    # descriptors
    "if self.verdict(mode) == NET_OK and self.ready & mode == 0:": "if True:",
    "w = self.next_waiter(mode) if self.busy & mode == 0 else None": "w = None",
    "modes = (READ if self.read_when == when else 0) | (WRITE if self.write_when == when else 0)": "modes = READ | WRITE",
    "same = read == self.read_when and write == self.write_when": "same = True",
    "if w.win_wait():": "if w.win_wait() or True:",
    "if last != 0 and s.move_last_poll(last, s.host.now()):": "if last != 0 and (s.swap_last_poll(s.host.now()) or True):",
    # who has locked a thread
    "if g.locks == 0:": "if m.locks == 0:",
    "if g.locks != 0:": "if m.locks != 0:",
    # gomaxprocs
    "while not s.try_resizing():": "while False:",
    "if p.status == P_DEAD:": "if True:",
    "if p.id < m.sched.nproc:": "if False:",
    # counted too late instead of not at all
    "s.threads += 1": "pass",
}
LINE = re.compile(r"^(\s*)(.*?)\s+# race: (.*)$")


@dataclass(frozen=True)
class RaceLine:
    module: str
    number: int
    code: str
    why: str

    @property
    def name(self) -> str:
        return f"{self.module}:{self.number}"

    def replacement(self) -> str:
        if self.code in REPLACEMENTS:
            return REPLACEMENTS[self.code]
        assert not self.code.endswith(":"), f"{self.name}: say in mutations.py what takes the place of {self.code!r}"
        return "pass"

    def neutralise(self, module: str, text: str) -> str:
        """A transform for core_copy."""
        if module != self.module:
            return text
        lines = text.split("\n")
        old = lines[self.number - 1]
        lines[self.number - 1] = old[: len(old) - len(old.lstrip())] + self.replacement()
        return "\n".join(lines)


def race_lines() -> list[RaceLine]:
    found = []
    for path in sorted(Path(CORE).glob("*.py")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            match = LINE.match(line)
            if match:
                found.append(RaceLine(path.stem, number, match[2], match[3]))
    return found
