"""Findings of validation for old releases of Kruise that are not recorded."""

import pytest

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.profiles import R1_0, R1_4, R1_5, R1_6, R1_7, R1_8
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.validation.checking import check
from tests.engine.validation.examples import given_by, sound_set

WEB = {"matchLabels": {"app": "web"}}
OLD = "apps.kruise.io/v1alpha1"


def old_set(name: str = "agent", **spec: object) -> Object:
    return sound_set(**spec) | {"apiVersion": OLD, "metadata": {"name": name}}


def namespace(name: str, **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pods(number: int) -> list[Object]:
    spec = {"containers": [{"name": "main", "image": "main:1"}]}
    labels = {"app": "web"}
    return [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{index}", "labels": labels}, "spec": spec}
        for index in range(number)
    ]


def found(release: Release, *documents: Object, older: Object | None = None) -> dict[str, list[Finding]]:
    return {item.sidecarset.name: list(item.findings) for item in check(given_by(documents, older, release))}


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings if finding.severity is not Severity.NOTE]


def crashes(findings: list[Finding]) -> list[str]:
    return [finding.message for finding in findings if finding.reason is Reason.WEBHOOK_CRASHES]


def test_the_webhook_crashes_at_a_set_without_selector_where_it_meets_another() -> None:
    lacking = old_set("b", selector=None)
    [message] = crashes(found(R1_6, old_set("a"), lacking)["b"])
    assert message == "without a selector, the webhook of Kruise 1.6 crashes because a exists"
    assert crashes(found(R1_7, old_set("a"), lacking)["b"]) == []
    assert crashes(found(R1_6, lacking)["b"]) == []


def test_the_webhook_does_not_crash_where_namespaces_keep_the_two_apart() -> None:
    there = old_set("a", namespaceSelector={"matchLabels": {"x": "y"}})
    lacking = old_set("b", selector=None, namespace="n1")
    assert crashes(found(R1_4, there, lacking, namespace("n1", x="y"))["b"])
    assert crashes(found(R1_4, there, lacking, namespace("n1"))["b"]) == []
    assert crashes(found(R1_4, there, lacking)["b"]) == []


def test_the_stored_version_of_the_set_itself_is_enough_to_crash_the_webhook() -> None:
    assert crashes(found(R1_6, old_set(selector=None), older=old_set())["agent"])
    assert crashes(found(R1_0, old_set(selector=None), older=old_set())["agent"]) == []


def test_the_first_release_crashes_only_where_names_are_shared() -> None:
    other = old_set("a", containers=[{"name": "other", "image": "other:1"}], volumes=[])
    assert crashes(found(R1_0, other, old_set("b", selector=None))["b"]) == []
    assert crashes(found(R1_0, old_set("a"), old_set("b", selector=None))["b"])


def test_a_conflict_that_depends_on_which_set_is_written_last_is_a_warning_at_the_other() -> None:
    by_name, by_label = old_set("a", namespace="shop"), old_set("b", namespaceSelector={"matchLabels": {"team": "x"}})
    shop = namespace("shop", team="x")
    seen = found(R1_8, by_name, by_label, shop)
    assert rules(seen["a"]) == ["conflict"]
    assert rules(seen["b"]) == ["conflict-unseen"]
    assert [rules(item) for item in found(MASTER, by_name, by_label, shop).values()] == [["conflict"]] * 2


def test_what_the_first_release_does_not_compare_is_a_warning() -> None:
    elsewhere = old_set("c", namespace="pay")
    seen = found(R1_0, old_set("a"), old_set("b"), elsewhere)
    assert rules(seen["a"]) == ["conflict", "conflict-unseen"]  # c is the last one, b is not looked at
    apart = old_set("c", selector={"matchLabels": {"app": "other"}})
    assert [rules(item) for item in found(R1_0, old_set("a"), old_set("b"), apart).values()] == [
        ["conflict-unseen"],
        ["conflict-unseen"],
        [],
    ]


def test_an_error_of_our_own_keeps_no_conflict_back() -> None:
    hot = [{"name": "agent", "image": "agent:1", "upgradeStrategy": {"upgradeType": "HotUpgrade"}}]
    assert "conflict" in rules(found(MASTER, old_set("a", containers=hot), old_set("b"))["a"])


@pytest.mark.parametrize(("release", "severity"), [(R1_7, Severity.ERROR), (R1_8, None)])
def test_a_share_that_comes_to_none_stalls_where_it_is_rounded_down(
    release: Release, severity: Severity | None
) -> None:
    documents = [old_set(updateStrategy={"maxUnavailable": "1%"}), *pods(10)]
    severities = [item.severity for item in found(release, *documents)["agent"] if item.rule == "percentage-of-few"]
    assert severities == ([severity] if severity else [])
    alone = [item.message for item in found(release, *documents[:2])["agent"] if item.rule == "percentage-of-few"]
    said = "1% of 1 pod is none of it: Kruise 1.7 rounds down and never updates a ready pod"
    assert alone == ([said] if severity else [])


def test_the_gate_is_named_only_if_there_is_one() -> None:
    two = [{"name": "b", "image": "b:1"}, {"name": "a", "image": "a:1"}]
    notes = [item.rule for item in found(R1_8, old_set(containers=two))["agent"]]
    assert "order-by-gate" not in notes
    assert "order-by-gate" in [item.rule for item in found(MASTER, old_set(containers=two))["agent"]]


def test_the_value_of_a_claims_selector_is_not_checked_up_to_1_5() -> None:
    expression = {"key": "tier", "operator": "In", "values": ["no value"]}
    template = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "selector": {"matchExpressions": [expression]},
    }
    volume = {"name": "spool", "ephemeral": {"volumeClaimTemplate": {"spec": template}}}
    item = old_set(volumes=[volume])
    assert rules(found(R1_5, item)["agent"]) == []
    assert rules(found(R1_6, item)["agent"]) == ["selector-value"]
    assert rules(found(R1_5, old_set(selector={"matchExpressions": [expression]}))["agent"]) == ["selector-value"]


def test_a_token_that_is_refused_leaves_its_volume_to_be_mounted() -> None:
    token = {"serviceAccountToken": {"path": "token", "expirationSeconds": 600}}
    mounts = [{"name": "token", "mountPath": "/token"}]
    item = old_set(
        volumes=[{"name": "token", "projected": {"sources": [token]}}],
        containers=[{"name": "agent", "image": "agent:1", "volumeMounts": mounts}],
    )
    assert rules(found(R1_4, item)["agent"]) == ["volume-source"]
    assert rules(found(R1_5, item)["agent"]) == []


def test_a_version_that_is_not_a_label_value_is_refused_where_it_is_a_label() -> None:
    item = sound_set(customVersion="no label value")
    assert rules(found(R1_8, item)["agent"]) == ["label"]
    assert rules(found(MASTER, item)["agent"]) == []


@pytest.mark.parametrize(("release", "hint"), [(R1_7, "write Always, or omit it"), (R1_8, None)])
def test_a_policy_is_not_recommended_to_releases_without_it(release: Release, hint: str | None) -> None:
    item = old_set(injectionStrategy={"revision": {"revisionName": "gone", "policy": "Partial"}})
    told = [each.hint for each in found(release, item)["agent"] if each.rule == "injection-revision-policy"]
    assert told == ([hint] if hint else [])
