"""`python -m tests.release lowest|newest` prints constraints for pip, for what the package needs.

`lowest` has the lowest versions that pyproject.toml allows. `--tools` adds the versions of constraints.txt for all
that the package does not need itself: the tools that test it stay the same.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def lowest() -> list[str]:
    """`typer==0.28` for `typer>=0.28,<0.29`; AssertionError for a dependency without a lowest version."""
    dependencies = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    found = [re.match(r"([\w.-]+)>=([\d.]+)", dependency) for dependency in dependencies]
    assert all(found), dependencies
    return [f"{each[1]}=={each[2]}" for each in found if each]


def tools() -> list[str]:
    """The lines of constraints.txt about what the package does not need."""
    lines = (PROJECT / "constraints.txt").read_text().splitlines()
    own = needed("sidecarctl")
    return [
        line for line in lines if line and not line.startswith("#") and _normal(line.partition("==")[0]) not in own
    ]


def needed(package: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The normal names of all that an installed package needs, directly or not."""
    try:
        found = {
            _normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in requires(package) or () if _counts(line)
        }
    except PackageNotFoundError:  # needed elsewhere, on Windows say
        return set()
    further = found - seen
    return found.union(*(needed(name, seen | found) for name in further))


def _counts(requirement: str) -> bool:
    return "extra ==" not in requirement


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    versions = lowest() if "lowest" in sys.argv else []
    print("\n".join([*versions, *(tools() if "--tools" in sys.argv else [])]))
