"""What a push came to, for its reports."""

from sidecarctl.facts.named_tuples import NamedTuple


class PushFacts(NamedTuple):
    """The numbers of pods: `done` are those of `patched` that are ready since; `waiting` those that are not yet.

    `result`: `Completed`, `Paused`, `Stopped`, `Interrupted`, or `Checked` for a dry run.
    """

    result: str
    patched: int = 0
    done: int = 0
    waiting: int = 0
    as_planned: int = 0
    skipped: int = 0
    failed: int = 0
    not_reached: int = 0
    how_to_go_on: str = ""

    @property
    def summary(self) -> str:
        """The numbers in a line, without those that are nothing."""
        if self.result == "Checked":
            pods = f"{self.not_reached} pod{'s' * (self.not_reached != 1)} to patch"
            return f"Checked: {pods}; nothing was changed"
        numbers = {
            "patched": self.patched,
            "already as planned": self.as_planned,
            "skipped": self.skipped,
            "failed": self.failed,
            "not ready yet": self.waiting,
            "not reached": self.not_reached,
        }
        said = ", ".join(f"{number} {word}" for word, number in numbers.items() if number or word == "patched")
        return f"{self.result}: {said}"
