"""The operations that recorded cases name, each with the function that runs one case.

A function takes a case and answers the first difference in words, or None when all is as recorded.
"""

from collections.abc import Callable, Iterator, Sequence

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.admission import admit as admitted
from tests.conformance import admit, convert, expr, inject, match, order, overlap, pub, revisions, rollout, webhook
from tests.conformance.cases import Case

Run = Callable[[Case], str | None]

OPERATIONS: dict[str, Run] = {
    "admit": admit.run,
    "convert": convert.run,
    "expr": expr.run,
    "inject": inject.run,
    "match": match.run,
    "order": order.run,
    "overlap": overlap.run,
    "pub": pub.run,
    "revisions": revisions.run,
    "rollout": rollout.run,
    "webhook": webhook.run,
}

_TYPES = {
    "Pod": "core.Pod",
    "Namespace": "core.Namespace",
    "ConfigMap": "core.ConfigMap",
    "ControllerRevision": "apps.ControllerRevision",
}


def difference_in(case: Case) -> str | None:
    """What is not as recorded in a case, also one whose objects are recorded as refused; None when all is.

    A case of an operation without a runner is not as recorded: nothing shows that it is.
    """
    if case.operation not in OPERATIONS:
        return f"operation {case.operation} has no runner"
    if "panic" in case.expect and case.operation == "inject":
        return inject.crash(case)
    if {"error", "panic"} & case.expect.keys():
        is_refused = any(_problems(case)) or (
            "panic" in case.expect and case.operation == "admit" and admit.crashes(case)
        )
        return None if is_refused else "expected the input to be refused, all of it can be decoded"
    try:
        return OPERATIONS[case.operation](case)
    except Exception as fault:  # noqa: BLE001 - whatever it is, the other cases are still to be run
        return f"{type(fault).__name__}: {fault}"


def _problems(case: Case) -> Iterator[Finding]:
    given = (case.params.get("old"), *case.params.get("updates", ()))
    for manifest in [*case.objects, *(item for item in given if item is not None)]:
        if manifest["kind"] == "SidecarSet":
            yield from _problems_of_set(manifest, case.release)
        elif manifest["kind"] in _TYPES:
            yield from check(manifest, _TYPES[manifest["kind"]], release=case.release)


def _problems_of_set(manifest: Object, release: Release) -> Sequence[Finding]:
    try:
        admitted(manifest, release)
    except InputError as refused:
        return refused.findings
    return ()
