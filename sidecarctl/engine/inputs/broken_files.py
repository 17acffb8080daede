"""Files that cannot be read in two versions: what a change breaks, and what was broken before it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from sidecarctl.engine.facts.findings import Finding, Place, Severity, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import whole_path
from sidecarctl.engine.files.inputs import Input


def broken_by_change(
    failures: Iterable[Finding], earlier: Iterable[Finding], old: Sequence[Input], new: Sequence[Input]
) -> tuple[list[Finding], list[Finding]]:
    """The errors that a change makes, and as notes those in files that it leaves as they were."""
    before = {(item.reason, item.place and item.place.line) for item in earlier}
    pairs = dict(_pairs(new, old))
    broken: list[Finding] = []
    kept: list[Finding] = []
    for item in failures:
        source = pairs.get(item.place.file) if item.place else None
        known = (item.reason, item.place and item.place.line) in before
        if known and source and item.reason is not Reason.NOT_RENDERED and _is_unchanged(*source):
            message = f"broken before and after the change, and left out: {item.message}"
            kept.append(item._replace(severity=Severity.NOTE, message=message))
        else:
            broken.append(item)
    return broken, kept


def not_said(of_base: Iterable[Finding], kept: Iterable[Finding]) -> list[Finding]:
    """The notes on what was broken before a change, without those that are broken after it too."""
    said = {_cause(item) for item in kept}
    return [item for item in of_base if _cause(item) not in said]


def _cause(finding: Finding) -> tuple[object, str]:
    return finding.reason, finding.message.partition(": ")[2]


def emptied_files(
    old: Sequence[Input], new: Sequence[Input], old_holding: Collection[str], new_holding: Collection[str]
) -> Iterator[Finding]:
    """An error for each file that had objects and has none, though it has content: a loss must not hide in it.

    The files with objects are `holding`, with those that cannot be read.
    """
    for now, was in (pair for _, pair in _pairs(new, old)):
        if was.name in old_holding and now.name not in new_holding and _has_content(now.path):
            message = f"has no Kubernetes object, although {was.name} had some"
            hint = "delete the file to remove them"
            yield error(Reason.NO_MANIFEST, message, hint=hint)._replace(place=Place(now.name))


def _pairs(new: Iterable[Input], old: Sequence[Input]) -> Iterator[tuple[str, tuple[Input, Input]]]:
    """Each file of the newer version that the older one has too, with both; not the files that belong to both."""
    by_path = {whole_path(item.name): item for item in old}
    below = {str(item.within): item for item in old if not item.is_named}
    for item in new:
        was = by_path.get(whole_path(item.name)) or (None if item.is_named else below.get(str(item.within)))
        if was is not None and was.name != item.name:
            yield item.name, (item, was)


def _is_unchanged(now: Input, was: Input) -> bool:
    return _text(now.path) == _text(was.path)


def _has_content(path: Path) -> bool:
    """Whether there is more than comments: what is commented out was taken out on purpose."""
    return any(line.strip() and not line.lstrip().startswith((b"#", b"---")) for line in _text(path).splitlines())


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
