"""Numbers of pods on the command line: as such, or as a share."""

from sidecarctl.engine.api.quantities import percentage
from sidecarctl.engine.facts.errors import usage_error


def count_or_share(option: str, text: str, joint: str = " ") -> int | str:
    """A number of pods, or a percentage as written; UsageError for anything else."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    if percentage(text) is None or not text[0].isdigit():
        raise usage_error(f"{option}{joint}{text} is neither a number nor a percentage", hint="10 or 10%")
    return text
