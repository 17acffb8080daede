"""Recorded cases of `match`: which pods each set matches, by namespace and selector alone."""

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import Matcher
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference


def run(case: Case) -> str | None:
    namespaces = {
        manifest["metadata"]["name"]: manifest["metadata"].get("labels") or {}
        for manifest in case.objects
        if manifest["kind"] == "Namespace"
    }
    admitted = [admit(manifest, case.release) for manifest in case.objects if manifest["kind"] == "SidecarSet"]
    matchers = {sidecarset.name: Matcher(sidecarset, namespaces) for sidecarset in admitted}
    pods = [manifest["metadata"] for manifest in case.objects if manifest["kind"] == "Pod"]
    got = [
        {
            "name": pod["name"],
            "namespace": pod.get("namespace", ""),
            "matches": {name: _answer(matcher, pod) for name, matcher in matchers.items()},
        }
        for pod in pods
    ]
    return first_difference(case.expect, {"pods": got})


def _answer(matcher: Matcher, metadata: Object) -> Value:
    try:
        return matcher.mismatch(metadata.get("namespace", ""), metadata.get("labels")) is None
    except ImpossibleError:
        return "error"
