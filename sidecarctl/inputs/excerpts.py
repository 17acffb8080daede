"""The lines of files that findings are about, for reports that show them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from io import TextIOWrapper

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.references import Place
from sidecarctl.files.inputs import Input

_AROUND = 2
_LONGEST = 400
_MOST_LINES = 5_000


def excerpts(sources: Iterable[Input], places: Iterable[Place]) -> dict[str, dict[int, str]]:
    """By file and number the lines at the places, with the two before and after each; long ones are cut.

    Empty for a file that cannot be read, or is not among the sources.
    """
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        if place.line:
            wanted[place.file].update(range(max(place.line - _AROUND, 1), place.line + _AROUND + 1))
    return {
        source.name: _lines(source, sorted(wanted[source.name])[:_MOST_LINES])
        for source in sources
        if source.name in wanted
    }


def _lines(source: Input, numbers: Sequence[int]) -> dict[int, str]:
    wanted, found = set(numbers), {}
    try:
        source.refuse_unreadable()
        with source.path.open("rb") as file, TextIOWrapper(file, "utf-8-sig", errors="replace") as text:
            for number, line in enumerate(text, 1):
                if number in wanted:
                    found[number] = _cut(line.rstrip("\r\n"))
                if number > numbers[-1]:
                    break
    except (SidecarctlError, OSError):
        return {}
    return found


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
