"""Errors and findings about a set's field that come up at a pod: they name the set."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.references import ObjectReference


@contextmanager
def about(subject: ObjectReference) -> Iterator[None]:
    """Lets the errors that rise inside say which object their paths are in."""
    try:
        yield
    except ImpossibleError as problem:
        raise ImpossibleError(*naming(subject, problem.findings)) from problem


def naming(subject: ObjectReference, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings that say which object their paths are in, where they do not yet."""
    return tuple(finding if finding.subject else finding._replace(subject=subject) for finding in findings)
