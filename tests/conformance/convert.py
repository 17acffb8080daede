"""Recorded cases of `convert`: each set in the other API version."""

from sidecarctl.facts.errors import InputError
from sidecarctl.sidecarset.conversion import converted
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped


def run(case: Case) -> str | None:
    try:
        got = [stripped(converted(manifest)) for manifest in case.objects]
    except InputError as refused:
        return None if "error" in case.expect else str(refused)
    return first_difference([stripped(recorded) for recorded in case.expect["converted"]], got)
