"""When one more request may be sent: as many at once as the server takes, and in turn with other writers."""

from collections.abc import Callable

_OTHERS_MATTER = 60.0  # seconds after the last patch of someone else


_LOOK = 1.0  # seconds of a pause between two writers, in which nothing may change


_AT_ONCE = 1.0  # refusals within these seconds count as one: those of all requests in flight


class Parallel:
    """At most `most`; times in seconds."""

    def __init__(self, most: int) -> None:
        self.limit = most
        self._most = most
        self._successes = 0
        self._lowered = float("-inf")

    def lower(self, now: float) -> bool:
        """The server is busy; returns whether the limit has changed."""
        self._successes = 0
        if now - self._lowered < _AT_ONCE or self.limit == 1:
            return False
        self._lowered = now
        self.limit //= 2
        return True

    def succeeded(self) -> None:
        """One request succeeded: after as many successes as the limit, the limit grows by one."""
        self._successes += 1
        if self._successes >= self.limit and self.limit < self._most:
            self.limit += 1
            self._successes = 0


class Turns:
    """Whose turn it is while someone else patches too: a patch needs a pause in which neither side changes anything.

    Who patched last looks for longer, so that two pushes take turns; chance keeps those apart that began together.
    `is_shared`: the pods have other SidecarSets. Then a push takes turns from the start, since another one may start
    at the same time, until it has sent a patch, looked again, and seen nobody else.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._saw_others_at = float("-inf")
        self._was_last = False
        self._has_looked = False
        self.is_shared = False
        self.ends_at: float | None = None
        """When the pause is over; None before it begins."""

    def see_others(self, now: float) -> None:
        """Someone else has patched a pod."""
        self._saw_others_at, self._was_last = now, False

    def sent(self) -> None:
        """A patch is sent."""
        self._was_last, self.ends_at = True, None

    def restart(self) -> None:
        """A pod has changed: the pause begins again."""
        self.ends_at = None

    def sees_others(self, now: float) -> bool:
        """Whether someone else has recently updated pods of the SidecarSets."""
        return now - self._saw_others_at < _OTHERS_MATTER

    def is_ours(self, now: float, *, is_patching: bool) -> bool:
        """Whether one more pod may be patched; `is_patching`: one of the push is being updated."""
        if not self.sees_others(now) and (self._has_looked or not self.is_shared):
            return True
        if is_patching:
            self.ends_at = None
            return False
        if self.ends_at is None:
            self.ends_at = now + _LOOK * (1 + self._was_last + self._chance())
        if now < self.ends_at:
            return False
        self._has_looked |= self._was_last
        return True
