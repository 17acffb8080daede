"""One way in which a word can be completed."""

from sidecarctl.facts.named_tuples import NamedTuple


class Candidate(NamedTuple):
    """The whole word, and what it means."""

    value: str
    meaning: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the word can go on behind it, so that no blank follows."""
        return self.value.endswith(("/", "="))
