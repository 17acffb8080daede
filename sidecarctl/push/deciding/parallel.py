"""How many requests may be under way at once: half as many when the server is busy, slowly more when it is not."""

_AT_ONCE = 1.0  # seconds in which refusals count as one: those of all requests that were under way


class Parallel:
    """At most `most`; times in seconds."""

    def __init__(self, most: int) -> None:
        self.limit = most
        self._most = most
        self._successes = 0
        self._lowered = float("-inf")

    def lower(self, now: float) -> bool:
        """The server is busy; whether the limit has changed."""
        self._successes = 0
        if now - self._lowered < _AT_ONCE or self.limit == 1:
            return False
        self._lowered = now
        self.limit //= 2
        return True

    def succeeded(self) -> None:
        """One request was carried out: after as many of these as may be under way, one more may."""
        self._successes += 1
        if self._successes >= self.limit and self.limit < self._most:
            self.limit += 1
            self._successes = 0
