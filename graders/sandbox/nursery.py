"""Jails made ahead: forked and sealed before anybody asks, used once, ended and replaced in the background.

Making a jail costs about as much as all that most exercises do in it, and so does ending one. Neither
belongs into the time that a learner waits.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from typing import Any, Final

from graders import wire
from graders.sandbox.jail import End, Ended, Exceeded, Flooded, Jail
from graders.sandbox.level import Level
from graders.sandbox.policy import Policy
from graders.sandbox.syscalls import SandboxError
from graders.sandbox.warm import Capacity, Role, Template

_SEAL_SECONDS: Final = 10
_LULL_SECONDS: Final = (
    0.02  # after a verdict, while others wait ready: about what storing and showing it takes
)
RENEW_AFTER_JAILS: Final = 4000  # two for each grading
_USUAL: Final = Policy().kernel_limits()


class Nursery:
    """Keeps `ready` jails of the usual policy waiting for each side of a grading.

    renew_after: jails that one template makes before another takes its place, so that address layout and hash
    seed do not live for ever. Its methods may be called by any thread.
    """

    def __init__(
        self, ready: int, level: Level, capacity: Capacity, *, renew_after: int = RENEW_AFTER_JAILS
    ) -> None:
        self._wanted = ready
        self._level = level
        self._capacity = capacity
        self._renew_after = renew_after
        self._template = Template(level, capacity)
        self._leaving: list[Template] = []  # replaced, and still with jails that are in use
        self._successor: threading.Thread | None = None
        self._ready: dict[Role, deque[Jail]] = {"learner": deque(), "checker": deque()}
        self._retired: deque[Jail] = deque()
        self._taken = 0.0  # when the last jail was asked for, on the monotonic clock
        self._change = threading.Condition()
        self._closing = False
        self._refill()
        self._keeper = threading.Thread(target=self._keep, name="jail-keeper", daemon=True)
        self._keeper.start()

    def take(self, role: Role, policy: Policy) -> Jail:
        """A sealed jail that nobody has used. Raises: SandboxError; the next call may succeed."""
        self._taken = time.monotonic()
        limits = policy.kernel_limits()
        jail: Jail | None = None
        if limits == _USUAL:
            with self._change:
                waiting = self._ready[role]
                while waiting and jail is None:
                    jail = waiting.popleft()
                    if jail.wait(0):  # ended while it waited: the system was short of memory, say
                        self._retired.append(jail)
                        jail = None
        if jail is None:
            jail = self._template.fork(role, limits)
        jail.bound(policy)
        self._await_sealed(jail)
        return jail

    def _await_sealed(self, jail: Jail) -> None:
        """Wait until it has all its layers on. Raises: SandboxError, and the jail is retired."""
        try:
            answer = jail.receive(time.monotonic() + _SEAL_SECONDS)
        except (Ended, Exceeded, Flooded, TimeoutError, wire.WireError) as error:
            answer = {"unsealed": str(error) or type(error).__name__}
        if answer != {"sealed": True}:
            self.retire(jail)
            raise SandboxError(f"a jail did not seal itself: {answer.get('unsealed', answer)}")

    def retire(self, jail: Jail) -> None:
        """End a jail. It does nothing any more, and is cleared away later."""
        jail.halt()
        with self._change:
            self._retired.append(jail)
            self._change.notify()

    def end_of(self, jail: Jail) -> End:
        """Kill a jail if it still runs, wait for its end, and say how it came. Raises: SandboxError."""
        jail.kill()
        try:
            return jail.template.reap(jail)
        finally:
            jail.close()

    def renew(self) -> None:
        """Start a new template in place of one that died. Raises: SandboxError if that is impossible."""
        with self._change:
            if self._closing:
                raise SandboxError("the grader has been closed")
            old = self._replace(Template(self._level, self._capacity))
        old.close()

    def _replace(self, new: Template) -> Template:
        """Put a new template in the old one's place, and end the jails that wait. Returns the old one."""
        old, self._template = self._template, new
        for waiting in self._ready.values():
            self._retired.extend(waiting)
            waiting.clear()
        self._change.notify()
        return old

    def _succeed(self) -> None:
        """Start a successor while the template still serves; then let it go once its last jail has ended."""
        with contextlib.suppress(SandboxError):  # the old one serves on, and the next round tries again
            new = Template(self._level, self._capacity)
            with self._change:
                if self._closing or self._template.given_up:
                    new.close()  # whoever found it dead has a new one by now, or there is nothing to serve
                else:
                    self._leaving.append(self._replace(new))
        self._successor = None

    def attempt(
        self, name: str, needs: dict[str, Any], policy: Policy, without: frozenset[str]
    ) -> tuple[bool, str]:
        """Try one of graders/inside/attempts.py in a jail that lacks some layers, and runs nothing else.

        Returns: whether it was stopped, and what it got instead. Raises: SandboxError.
        """
        jail = self._template.fork("attempt", policy.kernel_limits(), without=without)
        jail.bound(Policy(memory_mib=1 << 20, processes=1 << 20))  # what shall stop it is within
        self._await_sealed(jail)
        try:
            deadline = time.monotonic() + _SEAL_SECONDS
            jail.send({"attempt": name, "needs": needs}, deadline)
            answer = jail.receive(deadline)
            return answer["held"], answer["told"]
        except (Ended, Exceeded, Flooded, TimeoutError, wire.WireError) as error:
            said = jail.output().stderr.strip() or type(error).__name__
            raise SandboxError(f"the attempt {name!r} could not be made: {said}") from error
        finally:
            self.retire(jail)

    def floor(self, count: int) -> list[float]:
        """See Template.floor."""
        return self._template.floor(count)

    def close(self) -> None:
        """End everything."""
        with self._change:
            self._closing = True
            self._change.notify()
        self._keeper.join()
        if successor := self._successor:
            successor.join()
        for template in (self._template, *self._leaving):
            template.close()
        for waiting in self._ready.values():
            for jail in waiting:
                jail.close()
        for jail in self._retired:
            jail.close()

    def _keep(self) -> None:
        """Clear away what has ended, then make new ones. A take alone does not wake us: the learner whose
        verdict is being made comes first, and so does whoever is about to store it.
        """
        while True:
            with self._change:
                while not self._retired and not self._closing:
                    self._change.wait()
                if self._closing:
                    return
                spare = all(self._ready.values())
            if spare:
                time.sleep(_LULL_SECONDS)
            with self._change:
                ended = list(self._retired)
                self._retired.clear()
            for jail in ended:
                _clear_away(jail)
            self._let_go()
            # If the template has died, whoever takes the next jail finds out and has it renewed.
            with contextlib.suppress(SandboxError):
                self._refill()

    def _let_go(self) -> None:
        """Close replaced templates that have no jail left, and have one replaced that has made its share."""
        for template in [one for one in self._leaving if one.live == 0]:
            self._leaving.remove(template)
            template.close()
        if self._template.forked >= self._renew_after and self._successor is None:
            self._successor = threading.Thread(target=self._succeed, name="successor", daemon=True)
            self._successor.start()

    def _refill(self) -> None:
        for role, waiting in self._ready.items():
            while len(waiting) < self._wanted and not self._closing:
                # A rehearsal costs more than it saves while gradings follow each other without a pause.
                idle = time.monotonic() - self._taken > _LULL_SECONDS
                jail = self._template.fork(role, _USUAL, rehearsed=idle)
                with self._change:
                    # The template may have been replaced while it forked.
                    (waiting if jail.template is self._template else self._retired).append(jail)


def _clear_away(jail: Jail) -> None:
    jail.kill()
    try:
        jail.template.reap(jail)
    except SandboxError:
        pass  # its template has died, and the jail with it
    finally:
        jail.close()
