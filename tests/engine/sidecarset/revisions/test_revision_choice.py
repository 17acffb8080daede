"""Which revision a new pod gets."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, new_revision
from sidecarctl.engine.sidecarset.revisions.revision_choice import Chooser, asked_revision
from sidecarctl.engine.sidecarset.sets import SidecarSet
from tests.engine.sidecarset.manifests import sidecarset

LABELS = {"app": "web"}


def older(tag: str, number: int, version: str = "v1") -> Revision:
    containers = [{"name": "proxy", "image": f"mesh/proxy:{tag}"}]
    return new_revision(admit(sidecarset(containers=containers, customVersion=version)), number)


OLD = older("1.18", 1)


def asking(revision: Value, **strategy: Value) -> SidecarSet:
    return admit(sidecarset(injectionStrategy={"revision": revision}, updateStrategy=strategy))


def partial(partition: Value, **strategy: Value) -> SidecarSet:
    return asking({"revisionName": OLD.name, "policy": "Partial"}, partition=partition, **strategy)


def image_of(mesh: SidecarSet, *revisions: Revision, name: str = "web-0") -> str:
    choice = Chooser(mesh, revisions or [OLD]).choose("shop", name, LABELS)
    return str(choice.sidecarset.spec["containers"][0]["image"]).rpartition(":")[2]


def refusal(mesh: SidecarSet, *revisions: Revision) -> str:
    with pytest.raises(ImpossibleError) as raised:
        Chooser(mesh, revisions).choose("shop", "web-0", None)
    return str(raised.value)


@pytest.mark.parametrize("revision", [None, {}, {"policy": "Partial"}, {"revisionName": None}])
def test_without_name_and_version_it_is_the_latest(revision: Value) -> None:
    mesh = asking(revision)
    choice = Chooser(mesh, [OLD]).choose("shop", "web-0", LABELS)
    assert (choice.sidecarset, choice.is_latest, choice.probability) == (mesh, True, None)


def test_a_found_revision_is_injected_and_named() -> None:
    choice = Chooser(asking({"revisionName": OLD.name}), [OLD]).choose("shop", "web-0", LABELS)
    assert not choice.is_latest
    assert choice.sidecarset.latest_revision == OLD.name


def test_by_name_even_that_of_another_set_counts() -> None:
    foreign = OLD._replace(labels={"kruise.io/sidecarset-name": "other"})
    assert image_of(asking({"revisionName": OLD.name, "customVersion": "none"}), foreign) == "1.18"


def test_by_version_the_highest_number_of_the_own_ones_counts_then_the_newest_then_the_last_name() -> None:
    mesh = asking({"customVersion": "v1"})
    newer = older("1.17", 2)
    assert image_of(mesh, newer, OLD) == "1.17"
    assert image_of(mesh, OLD._replace(created="2026-01-01T00:00:00Z"), newer._replace(number=1)) == "1.18"
    assert image_of(mesh, OLD._replace(name="b"), newer._replace(name="a", number=1)) == "1.18"
    foreign = newer._replace(labels=newer.labels | {"kruise.io/sidecarset-name": "other"})
    assert image_of(mesh, foreign, OLD) == "1.18"


def test_what_is_not_found_is_an_error() -> None:
    where = "spec.injectionStrategy.revision: no usable revision"
    assert refusal(asking({"revisionName": "gone"}), OLD) == f'{where} "gone" found in namespace kruise-system'
    assert refusal(asking({"revisionName": ""}), OLD) == f'{where} "" found in namespace kruise-system'
    assert refusal(asking({"customVersion": "v9"}), OLD) == (
        f'{where} of custom version "v9" found in namespace kruise-system'
    )
    assert refusal(asking({"customVersion": ""}), older("1", 1, "")).startswith(where)
    assert refusal(asking({"revisionName": OLD.name}), OLD._replace(namespace="default")).startswith(where)
    assert refusal(asking({"revisionName": OLD.name}), OLD._replace(data={})).startswith(where)


def test_paused_updates_and_unknown_policies_take_the_revision() -> None:
    assert image_of(partial(0, paused=True)) == "1.18"
    assert image_of(asking({"revisionName": OLD.name, "policy": "Sometimes"})) == "1.18"


def test_partial_with_a_selector() -> None:
    web, api = ({"matchLabels": {"app": app}} for app in ("web", "api"))
    assert image_of(partial("0%", selector=api)) == "1.18"
    assert image_of(partial("0%", selector=web)) == "1.19"
    assert image_of(partial("0%", selector={})) == "1.19"
    assert image_of(partial("100%", selector=web)) == "1.18"


def test_partial_with_a_number_takes_the_latest_however_large() -> None:
    assert image_of(partial(None)) == image_of(partial(0)) == image_of(partial(10**6)) == "1.19"


def test_partial_draws_alike_for_the_same_pod_and_seed_and_in_the_right_proportion() -> None:
    mesh = partial("30%")
    choices = [Chooser(mesh, [OLD]).choose("shop", f"web-{ordinal}", LABELS) for ordinal in range(1000)]
    again = [Chooser(mesh, [OLD]).choose("shop", f"web-{ordinal}", LABELS) for ordinal in range(1000)]
    seeded = [Chooser(mesh, [OLD], seed=1).choose("shop", f"web-{ordinal}", LABELS) for ordinal in range(1000)]
    assert choices == again
    assert choices != seeded
    assert 250 < sum(not choice.is_latest for choice in choices) < 350
    assert {choice.probability for choice in choices} == {0.3}


def test_percentages_beyond_the_range_are_certain() -> None:
    assert image_of(partial("150%")) == "1.18"
    assert image_of(partial("-5%")) == "1.19"


def test_decimal_places_of_a_percentage_count() -> None:
    """Kruise's admission lets no such partition through; its injection reads it as a decimal number."""
    assert Chooser(partial("50.5%"), [OLD]).choose("shop", "web-0", LABELS).probability == 0.505


def test_a_revision_without_data_leaves_the_set_as_it_is() -> None:
    mesh = asking({"revisionName": OLD.name})
    empty = OLD._replace(data=None, annotations={})
    choice = Chooser(mesh, [empty]).choose("shop", "web-0", LABELS)
    assert not choice.is_latest
    assert choice.sidecarset.spec["containers"] == mesh.spec["containers"]
    assert choice.sidecarset.hash == mesh.hash
    assert choice.sidecarset.latest_revision == OLD.name
    assert asked_revision(mesh, [empty]) == empty


def test_malformed_strategies_are_errors_where_they_are_looked_at() -> None:
    broken = {"matchExpressions": [{"key": "a", "operator": "Is"}]}
    assert refusal(partial("half"), OLD) == (
        'spec.updateStrategy.partition: the partition "half" is not a percentage'
    )
    assert refusal(partial(0, selector=broken), OLD).startswith(
        "spec.updateStrategy.selector.matchExpressions[0].operator"
    )
    assert image_of(partial("half", paused=True, selector=broken)) == "1.18"
