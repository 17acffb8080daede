"""How large and how deep a document may be before it is refused as hostile."""

from sidecarctl.facts.named_tuples import NamedTuple


class Limits(NamedTuple):
    """Bounds of one document: bytes of text, levels of nesting, values that aliases expand to."""

    size: int = 64 * 1024 * 1024
    depth: int = 200
    aliased: int = 1_000_000


DEFAULT_LIMITS = Limits()
