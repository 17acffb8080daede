"""What a push refuses before it has touched anything, and what overrides that."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError, InputError, UsageError
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import Past
from sidecarctl.engine.sidecarset.pod_annotations import HASH
from sidecarctl.features.push.journal import Journal, locked
from sidecarctl.features.push.plan import read_push_plan
from tests.engine.kubectl.stand_in import webhook
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import UID, FakeCluster, refusal
from tests.features.push.pushes import Shop, document_of, refusals, shop

SETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"


def reasons(here: Shop, **options: object) -> list[Reason]:
    return [item.reason for item in refusals(here, **options) if item.severity is Severity.ERROR]


def test_a_plan_that_was_edited(tmp_path: Path) -> None:
    document = copy.deepcopy(shop(tmp_path).document)
    document["sidecarSets"][0]["waves"][0]["pods"][0]["images"][0]["after"] = "agent:9"
    with pytest.raises(ImpossibleError) as refused:
        read_push_plan(document)
    assert refused.value.findings[0].reason is Reason.EDITED_PLAN
    del document["digest"]
    with pytest.raises(InputError, match="digest"):
        read_push_plan(document)


def test_a_plan_of_invented_pods(tmp_path: Path) -> None:
    document = document_of([sidecarset("2")], [pod("p0")], synthetic=True)
    with pytest.raises(ImpossibleError) as refused:
        read_push_plan(document)
    assert refused.value.findings[0].reason is Reason.SYNTHETIC_PLAN
    assert list(tmp_path.iterdir()) == []


def test_another_cluster(tmp_path: Path) -> None:
    here = shop(tmp_path, cluster=FakeCluster(uid="another"))
    assert reasons(here, forced=True) == [Reason.OTHER_CLUSTER]
    assert not [asked for asked in here.cluster.asked if "/pods" in asked]


def test_a_cluster_that_cannot_be_recognized(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.cluster.refuses["/api/v1/namespaces/kube-system"] = refusal(403, "namespaces is forbidden")
    here.cluster.denied = {("patch", "pods", "shop")}
    assert reasons(here) == [Reason.CLUSTER_UNKNOWN, Reason.FORBIDDEN]


def test_a_plan_that_records_no_cluster_needs_the_context(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()], uid="")
    assert reasons(here, forced=True) == [Reason.CLUSTER_UNKNOWN]
    ended = here.push(context="prod")
    assert [finding.message for finding in ended.findings] == [
        "the plan does not record its cluster; the context is prod"
    ]


def other_image(manifest: Object) -> None:
    manifest["spec"]["containers"][0]["image"] = "agent:9"


def other_hash(manifest: Object) -> None:
    manifest["metadata"]["annotations"][HASH] = "{}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (other_image, "the image of agent is agent:9, the plan expects agent:1"),
        (other_hash, "it records the hash none, the plan expects "),
    ],
)
def test_pods_that_are_not_as_the_plan_expects(tmp_path: Path, change: Callable[[Object], None], told: str) -> None:
    here = shop(tmp_path)
    here.cluster.edit("shop", "p1", change)
    [found] = [item for item in refusals(here, forced=True) if item.severity is Severity.ERROR]
    assert (found.reason, str(found.subject)) == (Reason.STALE_PLAN, "Pod shop/p1")
    assert told in found.message


def test_what_is_harmless_is_no_reason(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.cluster.edit("shop", "p1", lambda item: item["metadata"]["annotations"].update(mine="1"))
    here.cluster.edit("shop", "p1", lambda item: item["metadata"]["labels"].update(mine="1"))
    assert here.push().facts.done == 3
    assert here.cluster.pods["shop", "p1"]["metadata"]["annotations"]["mine"] == "1"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, "neither paused nor of type NotUpdate"),
        ({"updateStrategy": {"paused": True}, "containers": [{"name": "agent", "image": "agent:3"}]}, "its hash is"),
    ],
)
def test_a_set_that_kruise_would_roll_out(tmp_path: Path, spec: Object, told: str) -> None:
    here = shop(tmp_path)
    here.cluster.hold(sidecarset("2", **spec).manifest)
    [found] = [item for item in refusals(here) if item.severity is Severity.ERROR]
    assert (found.reason, told in found.message) == (Reason.CONTROLLER_ACTIVE, True)
    ended = here.push(forced=True)
    assert (ended.exit_code, ended.findings[0].severity) == (0, Severity.WARNING)


def test_not_update_acts_like_paused(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.cluster.hold(sidecarset("2", updateStrategy={"type": "NotUpdate"}).manifest)
    assert here.push().exit_code == 0


@pytest.mark.parametrize("serves", [True, False])
def test_no_such_set(tmp_path: Path, *, serves: bool) -> None:
    here = shop(tmp_path, hold=False, cluster=FakeCluster(serves_sets=serves))
    ended = here.push()
    assert (ended.exit_code, [finding.reason for finding in ended.findings]) == (0, [Reason.NO_SUCH_SIDECARSET])


def test_a_webhook_whose_failures_are_ignored_is_noted(tmp_path: Path) -> None:
    """Pods that are created in the meantime may lack sidecars. Users who may not read it can push anyway."""
    here = shop(tmp_path, 1)
    path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    here.cluster.refuses[path] = refusal(403, "forbidden")
    assert not here.push().findings
    there = shop(tmp_path, 1)
    del here.cluster.refuses[path]
    there.cluster.others[path] = {"metadata": {"resourceVersion": "5"}, "items": [webhook(failurePolicy="Ignore")]}
    [found] = there.push().findings
    assert (found.reason, found.severity) == (Reason.IGNORED_FAILURES, Severity.NOTE)


def test_no_right_to_read_the_set(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.cluster.refuses[SETS] = refusal(403, "sidecarsets is forbidden")
    assert reasons(here) == [Reason.FORBIDDEN]


@pytest.mark.parametrize(("kruise", "expected"), [("1.8.0", 3), ("", 3), ("7.7.7", 3), ("1.9.0", 0)])
def test_hot_plans_where_kruise_resets_them_itself(tmp_path: Path, kruise: str, expected: int) -> None:
    here = shop(tmp_path, hot=True, cluster=FakeCluster(kruise=kruise))
    if expected:
        assert reasons(here) == [Reason.HOT_RESET_ELSEWHERE]
    else:
        assert here.push().exit_code == 0


def test_hot_plans_without_kruise(tmp_path: Path) -> None:
    assert shop(tmp_path, hot=True, hold=False, cluster=FakeCluster(serves_sets=False)).push().exit_code == 0


def test_a_wave_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        shop(tmp_path, 2).push(waves=frozenset({3}))


def test_two_pushes_at_once(tmp_path: Path) -> None:
    here = shop(tmp_path)
    with locked(UID, ["logs"]):
        assert reasons(here) == [Reason.PUSH_LOCKED]
        assert here.push(dry_run="client").exit_code == 0
    with locked(UID, ["mesh"]), locked("elsewhere", ["logs"]):
        assert here.push().exit_code == 0


def test_the_server_refuses_a_patch_of_the_first_wave_in_the_dry_run(tmp_path: Path) -> None:
    here = shop(tmp_path)
    here.cluster.before = lambda _cluster, _path, _body, is_dry: refusal(403, "pods is forbidden") if is_dry else None
    assert reasons(here) == [Reason.FORBIDDEN]


def test_a_webhook_that_forbids_dry_runs_is_named(tmp_path: Path) -> None:
    here = shop(tmp_path)
    said = 'admission webhook "audit.example.com" does not support dry run'
    here.cluster.before = lambda _cluster, _path, _body, is_dry: refusal(400, said) if is_dry else None
    [found] = here.push().findings
    assert (found.reason, found.severity) == (Reason.DRY_RUN_IMPOSSIBLE, Severity.WARNING)
    assert "audit.example.com" in found.message


def test_no_pods_can_be_listed(tmp_path: Path) -> None:
    here = shop(tmp_path)
    for path in ("/api/v1/pods", "/api/v1/namespaces/shop/pods"):
        here.cluster.refuses[path] = refusal(403, "pods is forbidden")
    with pytest.raises(InputError) as refused:
        here.push(accept_partial_view=True)
    assert refused.value.findings[0].reason is Reason.FORBIDDEN


def test_pods_created_since_are_named_even_where_they_are_up_to_date(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    for name in ("p0", "p1"):
        here.cluster.edit(
            "shop", name, lambda item: item["metadata"].update(creationTimestamp="2026-01-01T00:00:00Z")
        )
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()])
    new = copy.deepcopy(here.cluster.pods["shop", "p0"])
    hashes = here.cluster.pods["shop", "p0"]["metadata"]["annotations"][HASH]
    first = here.plan.targets["logs"].hash
    new["metadata"] |= {"name": "new", "uid": "new", "creationTimestamp": "2026-01-02T00:00:00Z"}
    new["metadata"]["annotations"][HASH] = hashes.replace(sidecarset("1").hash, first)
    here.cluster.create(new)
    [found] = here.push().findings
    assert found.message == "the plan does not name it; SidecarSet logs is up to date in it"


def test_pods_created_since_are_named(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.cluster.create(pod("new"))
    ended = here.push()
    assert [(finding.reason, str(finding.subject)) for finding in ended.findings] == [
        (Reason.POD_NOT_PLANNED, "Pod shop/new")
    ]
    assert here.cluster.images("new")["agent"] == "agent:1"


def test_a_journal_in_a_folder_that_is_missing(tmp_path: Path) -> None:
    plan = shop(tmp_path, 1).plan
    with pytest.raises(InputError) as refused:
        Journal(tmp_path / "no" / "plan.json.journal", plan, Past())
    (finding,) = refused.value.findings
    assert "No such file or directory" in finding.message
    assert finding.hint == "--journal names another file"
