"""Recorded cases of `overlap`: whether Kruise takes it that two selectors may match one pod."""

from sidecarctl.engine.validation.conflicts.witnesses import compiled, may_overlap
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference


def run(case: Case) -> str | None:
    got = {"overlaps": [may_overlap(compiled(item), compiled(other)) for item, other in case.params["pairs"]]}
    return first_difference(case.expect, got)
