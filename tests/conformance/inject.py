"""Recorded cases of `inject`: each pod as Kruise left it, annotations to the byte, or that it is rejected."""

import json
from collections.abc import Callable
from dataclasses import replace
from zlib import crc32

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.report import Outcome
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import read_revision
from sidecarctl.engine.sidecarset.sets import namespace_of
from sidecarctl.engine.sidecarset.webhook_scope import EVERYTHING, WebhookScope, unreadable_configuration
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.features.inject.batches import Transformation
from tests.conformance.cases import NOW, Case
from tests.conformance.difference import first_difference
from tests.conformance.pod_comparison import comparable, known_part, with_own_texts
from tests.conformance.yaml_text import flow_yaml, quoted_yaml

InjectOne = Callable[[Object, InjectionContext], tuple[Object, bool]]
"""A pod and a context to the pod as it comes out, and Kruise's word for whether it changed."""


def run(case: Case) -> str | None:
    return compare(case, injected) or compare(case, injected_in_text)


def crash(case: Case) -> str | None:
    """A case at whose pods the webhook crashes: each of them must be refused."""
    pods = [manifest for manifest in case.objects if manifest["kind"] == "Pod"]
    recorded = [{"name": pod["metadata"]["name"], "namespace": "", "panic": True} for pod in pods]
    return compare(replace(case, expect={"pods": recorded}), injected)


def compare(case: Case, inject_one: InjectOne) -> str | None:
    """The first difference between a case and the result for its pods, for some way of injecting."""
    pods = [manifest for manifest in case.objects if manifest["kind"] == "Pod"]
    try:
        context = context_of(case)
    except InputError as refused:
        return None if "error" in case.expect else f"expected pods, got the input refused: {refused}"
    if any(check(pod, "core.Pod", release=case.release) for pod in pods):
        return None if "error" in case.expect else "expected pods, got one that cannot be decoded"
    if "error" in case.expect:
        return "expected the input to be refused, got pods"
    for pod, recorded in zip(pods, case.expect["pods"], strict=True):
        if difference := _pod_difference(pod, recorded, context, inject_one):
            return f"{recorded['namespace']}/{recorded['name']}: {difference}"
    return None


def context_of(case: Case) -> InjectionContext:
    """The manifests of a case; the recordings were made without an API server before the webhook."""
    by_kind: dict[str, list[Object]] = {}
    for manifest in case.objects:
        by_kind.setdefault(manifest["kind"], []).append(manifest)
    options = InjectionOptions(
        feature_gates=frozenset(case.params.get("gates", ())),
        timestamp=NOW,
        keeps_times=False,
        fills_requests=False,
    )
    namespaces = {
        item["metadata"]["name"]: item["metadata"].get("labels") or {} for item in by_kind.get("Namespace", ())
    }
    configuration = next(iter(by_kind.get("ConfigMap", ())), None)
    return InjectionContext(
        [admit(manifest, case.release) for manifest in by_kind.get("SidecarSet", ())],
        namespaces=namespaces,
        revisions=[read_revision(manifest) for manifest in by_kind.get("ControllerRevision", ())],
        options=options,
        webhook=WebhookScope(EVERYTHING, refuses=unreadable_configuration(configuration)),
    )


def injected(pod: Object, context: InjectionContext) -> tuple[Object, bool]:
    """A pod injected in the core, as objects."""
    injection = inject(pod, select(pod, context), context)
    return injection.pod, injection.changed


def injected_in_text(pod: Object, context: InjectionContext) -> tuple[Object, bool]:
    """A pod written as text, injected in the text, and read back; styles take turns from pod to pod."""
    text = STYLES[crc32(json.dumps(pod).encode()) % len(STYLES)](pod)
    transformation = Transformation(Inject(Templates(World(), namespace_of("", context.release)), context))
    part = transformation.chunk(Chunk(text.encode(), 1), "pod", 0)
    [report] = part.objects
    if report.change.outcome is Outcome.FAILED:
        raise ImpossibleError(*report.change.findings)
    [document] = Reader().documents(Chunk(part.data, 1))
    assert isinstance(document.value, dict)
    return document.value, inject(pod, select(pod, context), context).changed


STYLES: list[Callable[[Object], str]] = [
    block_text,
    lambda pod: "# a pod\n---\n" + quoted_yaml(pod),
    lambda pod: flow_yaml(json.loads(json.dumps(pod))),
    lambda pod: json.dumps(pod, indent=2),
    json.dumps,
]


def _pod_difference(pod: Object, recorded: Object, context: InjectionContext, inject_one: InjectOne) -> str | None:
    try:
        after, changed = inject_one(pod, context)
    except ImpossibleError as rejected:
        return None if {"error", "panic"} & recorded.keys() else f"expected a pod, got it rejected: {rejected}"
    if {"error", "panic"} & recorded.keys():
        return f"expected it to be rejected ({recorded.get('error', 'a crash')}), got a pod"
    if changed != recorded["changed"]:
        return f"changed: expected {recorded['changed']}, got {changed}"
    pod, after = known_part(pod, context.release), known_part(after, context.release)
    expected: Value = known_part(recorded["pod"], context.release) if changed else pod
    if not first_difference(comparable(with_own_texts(expected, pod)), comparable(after)):
        return None
    return first_difference(comparable(expected), comparable(after))
