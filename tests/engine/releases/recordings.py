"""What older releases made of the recorded cases: a folder for each, its lines relative to other releases.

A line of RELEASE/OP.jsonl (also compressed) is a case whose result is not master's: {"case", "expect"}, or {"case",
"as": RELEASE} with changes made to the result there, in the order of `_changed`.
"""

import gzip
import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named
from sidecarctl.engine.releases.release import MASTER, Release

FOLDER = Path(__file__).parent / "recorded"
_UPGRADABLE_EVENT = "Normal NotUpgradablePods"


class Recordings:
    """The folders of one tree, each read when it is first asked for."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._read: dict[str, dict[str, Object]] = {}

    @cached_property
    def releases(self) -> dict[str, str]:
        """The names of the folders by the names of their releases."""
        names = {_release_of(path.name): path.name for path in sorted(self._folder.iterdir()) if path.is_dir()}
        return {release: name for release, name in names.items() if release}

    def expected(self, case: str, release: Release, master: Object) -> Object:
        """What a case, such as `inject/p0034`, gives under a release; `master` is what master gives."""
        folder = self.releases.get(release.name)
        return self._in(folder, case, master) if folder and release is not MASTER else master

    def _in(self, folder: str, case: str, master: Object) -> Object:
        line = self._lines(folder).get(case)
        if line is None:
            return master
        if "expect" in line:
            given: Object = line["expect"]
            return given
        origin = line["as"]
        return _changed(master if origin == "master" else self._in(origin, case, master), line)

    def _lines(self, folder: str) -> dict[str, Object]:
        if folder not in self._read:
            files = sorted((self._folder / folder).glob("*.jsonl*"))
            self._read[folder] = {line["case"]: line for file in files for line in _lines_of(file)}
        return self._read[folder]


def _release_of(name: str) -> str:
    try:
        return release_named(name).name
    except UnknownReleaseError:
        return ""


def _lines_of(file: Path) -> list[Object]:
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def _changed(expect: Object, line: Object) -> Object:
    """The result of another release with a line's changes; `expect` itself stays as it is."""
    text = json.dumps(expect)
    for old, new in line.get("rename", ()):
        text = text.replace(old, new)
    result: Object = json.loads(text)
    for key, change in _CHANGES.items():
        if key in line:
            result = change(result, line[key])
    return result


def _without_conditions(expect: Object, _: Value) -> Object:
    return expect | {"rounds": [_without_condition(item) for item in expect["rounds"]]}


def _without_condition(recorded: Object) -> Object:
    kept = {key: member for key, member in recorded.items() if key not in {"conditions", "events"}}
    events = [event for event in recorded.get("events", ()) if not event.startswith(_UPGRADABLE_EVENT)]
    return kept | ({"events": events} if events else {})


def _first_rounds(expect: Object, number: int) -> Object:
    return expect | {"rounds": expect["rounds"][:number]}


def _patched(expect: Value, patches: list[list[Value]]) -> Value:
    for path, *values in patches:
        if not path:
            expect = values[0]
            continue
        parent = expect
        for step in path[:-1]:
            parent = parent[step]
        if values:
            parent[path[-1]] = values[0]
        else:
            del parent[path[-1]]
    return expect


_CHANGES: dict[str, Callable[[Object, Value], Object]] = {
    "dropConditions": _without_conditions,
    "firstRounds": _first_rounds,
    "patch": _patched,
}
