"""Recorded cases of `inject`: each pod as Kruise left it, annotations to the byte, or that it is rejected."""

import json
from collections.abc import Callable
from zlib import crc32

import yaml

from sidecarctl.api.decoding import check
from sidecarctl.documents.document import Reader
from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.errors import ImpossibleError, InputError
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.context import Context
from sidecarctl.injection.injecting import inject
from sidecarctl.injection.options import Options
from sidecarctl.injection.selection import select
from sidecarctl.inputs.world import World
from sidecarctl.operations.inject import Inject
from sidecarctl.operations.transforming.chunks import Task
from sidecarctl.operations.transforming.forms import block_text
from sidecarctl.operations.transforming.object_changes import Outcome
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.revisions import read_revision
from tests.conformance.cases import NOW, Case
from tests.conformance.difference import first_difference
from tests.conformance.pod_comparison import comparable, with_own_texts

InjectOne = Callable[[Object, Context], tuple[Object, bool]]
"""A pod and a context to the pod as it comes out, and Kruise's word for whether it changed."""


def run(case: Case) -> str | None:
    return compare(case, injected) or compare(case, injected_in_text)


def compare(case: Case, inject_one: InjectOne) -> str | None:
    """The first difference between a case and what comes of its pods in some way of injecting."""
    pods = [manifest for manifest in case.objects if manifest["kind"] == "Pod"]
    try:
        context = context_of(case)
    except InputError as refused:
        return None if "error" in case.expect else f"expected pods, got the input refused: {refused}"
    if any(check(pod, "core.Pod") for pod in pods):
        return None if "error" in case.expect else "expected pods, got one that cannot be decoded"
    if "error" in case.expect:
        return "expected the input to be refused, got pods"
    for pod, recorded in zip(pods, case.expect["pods"], strict=True):
        if difference := _pod_difference(pod, recorded, context, inject_one):
            return f"{recorded['namespace']}/{recorded['name']}: {difference}"
    return None


def context_of(case: Case) -> Context:
    """The manifests of a case; the recordings were made without an API server before the webhook."""
    by_kind: dict[str, list[Object]] = {}
    for manifest in case.objects:
        by_kind.setdefault(manifest["kind"], []).append(manifest)
    options = Options(
        feature_gates=frozenset(case.params.get("gates", ())),
        timestamp=NOW,
        keeps_times=False,
        heeds_control_plane_label=False,
        fills_requests=False,
    )
    namespaces = {
        one["metadata"]["name"]: one["metadata"].get("labels") or {} for one in by_kind.get("Namespace", ())
    }
    return Context(
        [admit(manifest) for manifest in by_kind.get("SidecarSet", ())],
        namespaces=namespaces,
        revisions=[read_revision(manifest) for manifest in by_kind.get("ControllerRevision", ())],
        options=options,
    )


def injected(pod: Object, context: Context) -> tuple[Object, bool]:
    """A pod injected in the core, as objects."""
    injection = inject(pod, select(pod, context), context)
    return injection.pod, injection.changed


def injected_in_text(pod: Object, context: Context) -> tuple[Object, bool]:
    """A pod written as text, injected in the text, and read back; styles take turns from pod to pod."""
    text = STYLES[crc32(json.dumps(pod).encode()) % len(STYLES)](pod)
    task = Task(Inject(Templates(World()), context))
    part = task.part(Chunk(text.encode(), 1), "pod", 0)
    [report] = part.reports
    if report.change.outcome is Outcome.FAILED:
        raise ImpossibleError(*report.change.findings)
    [document] = Reader().documents(Chunk(part.data, 1))
    assert isinstance(document.value, dict)
    return document.value, inject(pod, select(pod, context), context).changed


STYLES: list[Callable[[Object], str]] = [
    block_text,
    lambda pod: "# a pod\n---\n" + yaml.dump(pod, default_style='"', indent=4, sort_keys=False),
    lambda pod: yaml.safe_dump(json.loads(json.dumps(pod)), default_flow_style=True, width=60),
    lambda pod: json.dumps(pod, indent=2),
    json.dumps,
]


def _pod_difference(pod: Object, recorded: Object, context: Context, inject_one: InjectOne) -> str | None:
    try:
        after, changed = inject_one(pod, context)
    except ImpossibleError as rejected:
        return None if "error" in recorded else f"expected a pod, got it rejected: {rejected}"
    if "error" in recorded:
        return f"expected it to be rejected ({recorded['error']}), got a pod"
    if changed != recorded["changed"]:
        return f"changed: expected {recorded['changed']}, got {changed}"
    expected: Value = recorded["pod"] if changed else pod
    if not first_difference(comparable(with_own_texts(expected, pod)), comparable(after)):
        return None
    return first_difference(comparable(expected), comparable(after))
