"""Recorded cases of `convert`: each set in the other API version."""

from sidecarctl.engine.sidecarset.other_version import converted
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped


def run(case: Case) -> str | None:
    got = [stripped(converted(manifest)) for manifest in case.objects]
    return first_difference([stripped(recorded) for recorded in case.expect["converted"]], got)
