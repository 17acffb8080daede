"""Errors and findings about a set's field that come up at a pod: they name the set."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.references import ObjectReference


@contextmanager
def about(subject: ObjectReference) -> Iterator[None]:
    """Adds the object to errors raised inside the block."""
    try:
        yield
    except ImpossibleError as problem:
        raise ImpossibleError(*naming(subject, problem.findings)) from problem


def naming(subject: ObjectReference, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with the object that their paths are in; a finding that has one keeps it."""
    return tuple(finding if finding.subject else finding._replace(subject=subject) for finding in findings)
