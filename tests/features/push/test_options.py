"""Options of a push: conditions, PodDisruptionBudgets, a new plan, the least rights."""

import json
from pathlib import Path

import pytest

from sidecarctl.cli.flags.cluster import ApiFlags, PushFlags
from sidecarctl.cli.formats import document
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.features.push.checks import StalePodsError
from sidecarctl.features.push.cluster.scope import roles_for
from sidecarctl.features.push.command import resume_command
from sidecarctl.features.push.events import ParallelismChanged, PodDone, PodPatched, PushEvent, Waiting, event_line
from sidecarctl.features.push.plan import read_push_plan
from sidecarctl.render.output import Page
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import refusal
from tests.features.push.pushes import Log, Shop, document_of, shop

WEB = {"matchLabels": {"app": "web"}}
PDBS = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets"


def condition(here: Shop, name: str) -> Object | None:
    conditions = here.cluster.pods["shop", name]["status"]["conditions"]
    return next((item for item in conditions if item["type"] == "SidecarSetUpgradable"), None)


def test_conditions_are_written_once(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    assert here.push(write_conditions=True).exit_code == 0
    for name in ("p0", "p1", "p2"):
        found = condition(here, name)
        assert found is not None
        assert found.pop("lastTransitionTime").endswith("Z")
        assert found == {
            "type": "SidecarSetUpgradable",
            "status": "True",
            "reason": "AllSidecarsetUpgradable",
            "message": '{"logs":true}',
        }
    assert set(here.cluster.patched.values()) == {1}
    here.push(write_conditions=True)
    assert set(here.cluster.statuses.values()) == {1}


def test_conditions_of_pods_that_cannot_be_updated(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.cluster.create(pod("old", annotations={"kruise.io/sidecarset-hash-without-image": "{}"}))
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()])
    assert here.push(write_conditions=True).exit_code == 1  # as the plan, which leaves it old
    found = condition(here, "old")
    assert found is not None
    assert (found["status"], found["message"]) == ("False", '{"logs":false}')
    assert ("shop", "old") not in here.cluster.patched


def test_without_the_option_no_status_is_written(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.push()
    assert not here.cluster.statuses


@pytest.mark.parametrize(
    ("spec", "goes"),
    [({"minAvailable": 3}, False), ({"minAvailable": 2}, True), ({"maxUnavailable": 0}, False), ({}, True)],
)
def test_disruption_budgets_count_if_that_is_requested(tmp_path: Path, spec: Object, *, goes: bool) -> None:
    here = shop(tmp_path, 3)
    here.cluster.budget("web", selector=WEB, **spec)
    ended = here.push(respect_pdb=True, timeout=60.0 if goes else 0.3)
    assert ended.exit_code == (0 if goes else 1)
    if not goes:
        assert not here.cluster.patched
        assert here.log.of(Waiting)[0].why.startswith("PodDisruptionBudget shop/web needs 3 healthy pods, and 3 are")
        assert here.push(resume=True).exit_code == 0


@pytest.mark.parametrize(("observed", "goes"), [(2, False), (1, True)])
def test_the_status_of_a_disruption_budget_counts_while_it_is_of_the_spec(
    tmp_path: Path, observed: int, *, goes: bool
) -> None:
    here = shop(tmp_path, 3)
    here.cluster.budget("web", {"observedGeneration": observed, "desiredHealthy": 3}, selector=WEB, minAvailable=1)
    assert here.push(respect_pdb=True, timeout=60.0 if goes else 0.3).exit_code == (0 if goes else 1)


def test_disruption_budgets_are_read_again_while_it_runs(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)

    def tighten(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == 1:
            here.cluster.budget("web", selector=WEB, minAvailable=3)
            here.cluster.await_watches()

    here.log = Log(on_event=tighten)
    ended = here.push(respect_pdb=True, timeout=0.5, settle=0.1)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 1)
    assert here.log.of(Waiting)[-1].why.startswith("PodDisruptionBudget shop/web needs 3 healthy pods")


def test_disruption_budgets_do_not_count_by_themselves(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.budget("web", selector=WEB, minAvailable=3)
    assert here.push().facts.done == 3


def test_no_right_to_read_disruption_budgets(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.refuses[PDBS] = refusal(403, "forbidden")
    with pytest.raises(Exception, match="the PodDisruptionBudgets cannot be read"):
        here.push(respect_pdb=True)


def test_a_new_plan_for_pods_that_have_changed(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.edit("shop", "p1", lambda item: item["spec"]["containers"][0].update(image="agent:0"))
    with pytest.raises(StalePodsError) as stale:
        here.push(replan=True)
    assert [finding.reason for finding in stale.value.findings] == [Reason.STALE_PLAN]
    here.document = json.loads("".join(document(stale.value.replanned, "json", Page())))
    assert "3 pods" in "".join(document(stale.value.replanned, "text", Page()))
    assert here.push().facts.done == 3
    assert here.cluster.images("p1")["agent"] == "agent:2"


def test_a_new_plan_fixes_nothing_else(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.hold(sidecarset("2").manifest)
    here.cluster.edit("shop", "p1", lambda item: item["spec"]["containers"][0].update(image="agent:0"))
    with pytest.raises(Exception, match="neither paused") as refused:
        here.push(replan=True)
    assert not isinstance(refused.value, StalePodsError)


def test_the_minimal_rights(tmp_path: Path) -> None:
    plan = read_push_plan(shop(tmp_path).document)
    roles = list(roles_for(plan, conditions=False, budgets=False))
    told = json.dumps(roles)
    assert "secrets" not in told
    assert "*" not in told
    assert [(role["kind"], role["metadata"].get("namespace")) for role in roles] == [
        ("ClusterRole", None),
        ("Role", "shop"),
        ("Role", "kruise-system"),
    ]
    assert roles[1]["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "patch"]}
    ]
    assert {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]} in roles[0]["rules"]
    more = list(roles_for(plan, conditions=True, budgets=True))
    assert [rule["resources"] for rule in more[1]["rules"]] == [["pods"], ["pods/status"], ["poddisruptionbudgets"]]


def test_continue_with_names_every_option_that_limits_and_that_the_journal_does_not_keep() -> None:
    flags = PushFlags(
        confirm=True, respect_pdb=True, accept_partial_view=True, force="controller", journal="j", waves=["1-2"]
    )
    assert resume_command("plan.json", flags, ApiFlags(context="prod")) == (
        "sidecarctl push plan.json --resume --context=prod --journal=j"
        " --confirm --respect-pdb --accept-partial-view --force=controller"
    )


def test_lines_of_events() -> None:
    assert event_line(ParallelismChanged(1)).endswith("1 request at once")
    assert event_line(PodDone(1, 0, "logs", "shop/p0", None)) == "  ready    shop/p0"
