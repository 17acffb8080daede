"""Which sets are chosen for a pod, and why the others are not; the recorded cases show the rest."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import Identity, identity_of, select
from sidecarctl.engine.injection.tests_in_order import with_evidence
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from sidecarctl.engine.sidecarset.webhook_scope import CHART, KUSTOMIZATION, WebhookScope
from tests.engine.injection.manifests import context, injected, pod, sidecar, sidecarset

CANARY = {"apps.kruise.io/sidecarset-canary": "true", "apps.kruise.io/sidecarset-base": "logging"}
REVISION = {"revisionName": "logging-old", "policy": "Partial"}


def reason(world: InjectionContext, manifest: Object | None = None) -> Reason:
    (decision,) = select(pod() if manifest is None else manifest, world).decisions
    return decision.reason


def test_every_set_gets_a_decision_in_injection_order() -> None:
    world = context(
        sidecarset("paused", injectionStrategy={"paused": True}),
        sidecarset("elsewhere", namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "billing"}}),
        sidecarset("other-app", selector={"matchLabels": {"app": "api"}}),
        sidecarset("unselective", selector={}),
        sidecarset("bound", sidecar(), namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "shop"}}),
        sidecarset("logging", sidecar()),
        sidecarset("logging-canary", sidecar(), annotations=CANARY),
        release=MASTER,
    )
    selection = select(pod(), world)
    assert [(decision.set_name, decision.reason) for decision in selection.decisions] == [
        ("bound", Reason.INJECTED),
        ("elsewhere", Reason.NAMESPACE_NOT_SELECTED),
        ("logging", Reason.REPLACED_BY_CANARY),
        ("logging-canary", Reason.INJECTED),
        ("other-app", Reason.POD_NOT_SELECTED),
        ("paused", Reason.INJECTION_PAUSED),
        ("unselective", Reason.POD_NOT_SELECTED),
    ]
    assert [decision.set_name for decision in selection.decisions if decision.is_injected] == [
        "bound",
        "logging-canary",
    ]
    assert [item.name for item in selection.sidecarsets] == ["bound", "logging-canary"]
    assert all(decision.message and decision.path for decision in selection.decisions)


def test_pods_with_the_same_answers_share_one_selection() -> None:
    world = context(sidecarset("logging", sidecar()))
    assert select(pod(), world) is select(pod(metadata={"name": "web-1"}), world)


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"status": {"phase": "Succeeded"}}, ("status", "phase")),
        ({"status": {"phase": "Failed"}}, ("status", "phase")),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, ("metadata", "deletionTimestamp")),
    ],
)
def test_a_pod_that_is_not_active_is_skipped(members: Object, path: tuple[str, ...]) -> None:
    selection = select(pod() | members, context(sidecarset("logging", sidecar())))
    assert selection.skipped is not None
    assert selection.skipped.path == path
    assert [decision.reason for decision in selection.decisions] == [Reason.POD_NOT_ACTIVE]


@pytest.mark.parametrize("status", [None, [], {"phase": ["Failed"]}, {"phase": "Running"}])
def test_other_pods_are_active_whatever_their_status(status: Value) -> None:
    assert reason(context(sidecarset("logging", sidecar())), pod() | {"status": status}) is Reason.INJECTED


def test_a_namespace_with_the_control_plane_label_is_passed_over() -> None:
    sets = [admit(sidecarset("logging", sidecar()))]
    labels = {"shop": {"control-plane": ""}}
    kustomization = WebhookScope(KUSTOMIZATION)
    skipped = InjectionContext(sets, namespaces=labels, webhook=kustomization)
    assert reason(skipped) is Reason.NAMESPACE_CONTROL_PLANE_LABEL
    assert reason(InjectionContext(sets, namespaces=labels)) is Reason.INJECTED
    assert reason(InjectionContext(sets, namespaces={"shop": {"control-plane": "openkruise"}})) is (
        Reason.NAMESPACE_CONTROL_PLANE_LABEL
    )


@pytest.mark.parametrize(
    ("labels", "installed_by", "result"),
    [
        (None, CHART, Reason.NAMESPACE_CONTROL_PLANE_LABEL),
        (None, KUSTOMIZATION, Reason.NAMESPACE_CONTROL_PLANE_LABEL),
        ({}, CHART, Reason.INJECTED),  # its manifest says otherwise
    ],
)
def test_the_namespace_of_kruise_has_the_label_that_its_installation_gives_it(
    labels: dict[str, str] | None, installed_by: str, result: Reason
) -> None:
    sets = [admit(sidecarset("logging", sidecar()))]
    namespaces = {} if labels is None else {"kruise-system": labels}
    world = InjectionContext(sets, namespaces=namespaces, webhook=WebhookScope(installed_by))
    assert reason(world, pod(metadata={"namespace": "kruise-system"})) is result


@pytest.mark.parametrize(
    ("selector", "applies"),
    [
        ({"matchLabels": {"team": "a"}}, False),
        ({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}, True),
    ],
)
def test_labels_of_an_unknown_namespace_are_doubtful(selector: Object, applies: bool) -> None:  # noqa: FBT001 - by pytest
    item = sidecarset("logging", sidecar(), namespaceSelector=selector)
    selection = select(pod(), context(item))
    assert bool(selection.applied) is applies
    (finding,) = injected(pod(), context(item)).findings
    assert (finding.severity, finding.reason) == (Severity.WARNING, Reason.NAMESPACE_UNKNOWN)
    assert finding.subject is not None
    assert finding.subject.name == "logging"
    known = InjectionContext([admit(item)], namespaces={"shop": {}})
    assert not select(pod(), known).findings


def test_what_cannot_match_anyway_is_not_doubtful() -> None:
    namespaced: Object = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
    unknown = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
    sets = [
        sidecarset("other", sidecar(), **namespaced, selector={"matchLabels": {"app": "api"}}),
        sidecarset("paused", sidecar(), **namespaced, injectionStrategy={"paused": True}),
        sidecarset("malformed", sidecar(), **namespaced, selector=unknown),
    ]
    assert not select(pod(), context(*sets)).findings


def test_an_unknown_operator_names_its_set() -> None:
    world = context(sidecarset("logging", selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}))
    with pytest.raises(ImpossibleError) as rejected:
        select(pod(), world)
    (finding,) = rejected.value.findings
    assert finding.reason is Reason.MALFORMED_SELECTOR
    assert finding.path == ("spec", "selector", "matchExpressions", 0, "operator")
    assert str(finding.subject) == "SidecarSet logging"


@pytest.mark.parametrize(
    "metadata", [[], {"labels": {"app": 1}}, {"labels": ["app"]}, {"namespace": 7}, {"name": {}}, {"generateName": 1}]
)
def test_metadata_that_cannot_be_decoded_are_refused(metadata: Value) -> None:
    with pytest.raises(InputError, match="metadata"):
        select({"metadata": metadata}, context(sidecarset()))


@pytest.mark.parametrize("manifest", [{}, {"metadata": None}, {"metadata": {"labels": None}}])
def test_a_pod_may_have_no_metadata(manifest: Object) -> None:
    assert identity_of(manifest) == Identity("", "")
    assert reason(context(sidecarset("logging", sidecar())), manifest) is Reason.POD_NOT_SELECTED


def test_a_label_that_is_null_is_an_empty_one() -> None:
    exists = {"matchExpressions": [{"key": "app", "operator": "In", "values": [""]}]}
    labeled = pod(metadata={"labels": {"app": None}})
    assert reason(context(sidecarset("logging", sidecar(), selector=exists)), labeled) is Reason.INJECTED


def partial(percent: int, seed: int = 0) -> InjectionContext:
    spec: Object = {"injectionStrategy": {"revision": REVISION}, "updateStrategy": {"partition": f"{percent}%"}}
    latest, older = (admit(sidecarset("logging", sidecar(tag), **spec)) for tag in ("new", "old"))
    revision = new_revision(older, 1)._replace(name="logging-old")
    return InjectionContext([latest], revisions=[revision], options=InjectionOptions(seed=seed))


def test_a_partial_draw_is_reproducible_and_said() -> None:
    world = partial(30)
    names = [f"web-{number}" for number in range(200)]
    chosen = [select(pod(), world, Identity("shop", name)).applied[0].is_latest for name in names]
    again = [select(pod(), partial(30), Identity("shop", name)).applied[0].is_latest for name in names]
    assert chosen == again
    assert 40 <= chosen.count(False) <= 80
    selection = select(pod(), world, Identity("shop", names[chosen.index(False)]))
    (finding,) = selection.findings
    assert finding.reason is Reason.PARTIAL_DRAW
    assert finding.severity is Severity.NOTE
    assert "30%" in finding.message
    assert "logging-old" in finding.message
    assert "logging-old" in selection.decisions[0].message
    latest = select(pod(), world, Identity("shop", names[chosen.index(True)]))
    assert "the latest" in latest.findings[0].message


def test_the_older_revision_is_what_is_injected() -> None:
    world = partial(100)
    assert [container.name for container in injected(pod(), world).containers] == ["old"]


@pytest.mark.parametrize(
    ("selector", "path", "said"),
    [
        ({"matchLabels": {"app": "api"}}, ("matchLabels", "app"), 'the pod\'s label app is "web", expected "api"'),
        ({"matchLabels": {"x": "y"}}, ("matchLabels", "x"), "the pod's label x is absent"),
        (
            {
                "matchLabels": {"app": "web"},
                "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}],
            },
            ("matchExpressions", 0),
            "expected NotIn (web)",
        ),
    ],
)
def test_the_evidence_is_the_part_of_the_selector_that_failed(selector: Object, path: Value, said: str) -> None:
    world = context(sidecarset("logging", selector=selector))
    (decision,) = select(pod(), world).decisions
    explained = with_evidence(decision, pod(), world)
    assert explained.path == ("spec", "selector", *path)
    assert said in explained.message


def test_the_evidence_passes_over_what_holds() -> None:
    expressions = [{"key": "app", "operator": "Exists"}, {"key": "x", "operator": "Exists"}]
    world = context(sidecarset("logging", selector={"matchLabels": {"app": "web"}, "matchExpressions": expressions}))
    (decision,) = select(pod(), world).decisions
    assert with_evidence(decision, pod(), world).path == ("spec", "selector", "matchExpressions", 1)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, ("spec", "namespaceSelector", "matchLabels", "team")),
        (
            {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
            ("spec", "namespaceSelector", "matchExpressions", 0, "operator"),
        ),
        ({"injectionStrategy": {"paused": True}}, ("spec", "injectionStrategy", "paused")),
        ({"selector": {}}, ("spec", "selector")),
        ({}, ("spec", "selector")),
    ],
)
def test_the_evidence_for_other_answers(spec: Object, path: Value) -> None:
    world = context(sidecarset("logging", **spec))
    (decision,) = select(pod(), world).decisions
    assert with_evidence(decision, pod(), world).path == path


def test_the_evidence_of_a_namespace_field_is_the_field() -> None:
    item = sidecarset("logging", namespace="billing") | {"apiVersion": "apps.kruise.io/v1alpha1"}
    world = context(item)
    (decision,) = select(pod(), world).decisions
    assert with_evidence(decision, pod(), world) is decision
    assert decision.path == ("spec", "namespace")
