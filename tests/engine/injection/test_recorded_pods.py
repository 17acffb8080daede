"""The pods of the recorded cases: injected twice, and removed again."""

import json

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.removal import uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.inject import context_of
from tests.effort import unmeasured
from tests.engine.injection.manifests import injected, reasons

LOSSES = {Reason.NOT_REVERSIBLE, Reason.CONTAINER_REPLACED}
CASES = [case for case in cases_in(FOLDER / "inject") if "error" not in case.expect]


def injections(case: Case) -> list[tuple[Object, PodInjection, InjectionContext]]:
    """The pods of a case that are not rejected, each with what comes of it by the program's own defaults."""
    recorded = context_of(case)
    world = InjectionContext(
        [rule.sidecarset for rule in recorded.rules.values()],
        namespaces=recorded.namespaces,
        revisions=recorded.revisions,
        options=InjectionOptions(feature_gates=recorded.options.feature_gates),
    )
    found = []
    for pod in [manifest for manifest in case.objects if manifest["kind"] == "Pod"]:
        try:
            found.append((pod, injected(pod, world), world))
        except ImpossibleError:
            continue
    return found


@unmeasured
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_second_injection_changes_nothing_or_was_said_to(case: Case) -> None:
    for _, once, world in injections(case):
        if Reason.NOT_IDEMPOTENT not in reasons(once):
            assert injected(once.pod, world).pod is once.pod


@unmeasured
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_removal_restores_or_a_finding_said_it_would_not(case: Case) -> None:
    for pod, once, world in injections(case):
        if once.pod is pod or LOSSES & set(reasons(once)):
            continue
        back = uninject(once.pod, world, RemovalRequest())
        assert json.dumps(back.pod) == json.dumps(pod) or LOSSES & {finding.reason for finding in back.findings}
