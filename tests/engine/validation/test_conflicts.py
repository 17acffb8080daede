"""What is said of SidecarSets that conflict, by Kruise's rule and in truth."""

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.checking import check
from tests.engine.validation.examples import given_by


def a_set(name: str, selector: Object, *, namespaces: Object | None = None, container: str = "agent") -> Object:
    limit = {} if namespaces is None else {"namespaceSelector": namespaces}
    spec = {"selector": selector, "containers": [{"name": container, "image": f"{name}:1"}], **limit}
    return {"apiVersion": "apps.kruise.io/v1beta1", "kind": "SidecarSet", "metadata": {"name": name}, "spec": spec}


def in_(*values: str) -> Object:
    return {"key": "app", "operator": "In", "values": list(values)}


def conflicts(*documents: Object) -> dict[str, list[Finding]]:
    found = {item.sidecarset.name: item.findings for item in check(given_by(documents))}
    return {
        name: [finding for finding in findings if finding.rule.startswith("conflict")]
        for name, findings in found.items()
    }


def test_a_pod_that_matches_both_is_named() -> None:
    found = conflicts(a_set("a", {"matchLabels": {"app": "web"}}), a_set("b", {"matchLabels": {"tier": "x"}}))
    [finding] = found["a"]
    assert finding.message == (
        'container "agent" conflicts with b: a pod can match both (namespace default, labels app=web,tier=x)'
    )
    assert finding.path == ("spec", "containers", 0, "name")
    assert [item.rule for item in found["b"]] == ["conflict"]


def test_what_only_kruise_takes_for_overlapping_is_reported_as_such() -> None:
    only_a = {"matchExpressions": [in_("a", "b"), {"key": "app", "operator": "NotIn", "values": ["b"]}]}
    [finding] = conflicts(a_set("a", only_a), a_set("b", {"matchExpressions": [in_("b", "c")]}))["a"]
    assert finding.rule == "conflict"
    assert "though no pod can match both" in finding.message


def test_what_kruise_does_not_see_is_a_warning_on_both() -> None:
    exists = {"matchExpressions": [{"key": "traced", "operator": "Exists"}]}
    found = conflicts(a_set("a", {"matchLabels": {"app": "web"}}), a_set("b", exists))
    assert [[finding.rule for finding in findings] for findings in found.values()] == [["conflict-unseen"]] * 2
    assert "labels app=web,traced=x" in found["a"][0].message


def test_namespaces_that_are_known_have_their_labels_and_no_others() -> None:
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"env": "test"}}}
    by_name = {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}
    web = {"matchLabels": {"app": "web"}}
    item, other = a_set("a", web, namespaces=by_name), a_set("b", web, namespaces={"matchLabels": {"env": "prod"}})
    [without] = conflicts(item, other)["a"]
    assert "namespace shop (labeled env=prod)" in without.message
    [with_labels] = conflicts(item, other, shop)["a"]
    assert "though no pod can match both" in with_labels.message


def test_very_many_sets_of_one_name_and_their_own_apps_do_not_conflict() -> None:
    sets = [a_set(f"s{number}", {"matchLabels": {"app": f"app-{number}"}}) for number in range(2_000)]
    assert set(map(len, conflicts(*sets).values())) == {0}
