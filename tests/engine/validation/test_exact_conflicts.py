"""The exact answer whether a pod can match two SidecarSets, against every pod of small universes."""

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.api.label_selectors import compile_selector, is_empty, matches
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.sets import NAMESPACE_NAME_LABEL
from sidecarctl.engine.validation.conflicts.members import Member, MemberGroup, kruise_overlap
from sidecarctl.engine.validation.conflicts.witnesses import Namespaces, Scope, common_labels, compiled, witness
from tests.effort import share

KEYS = ("app", "tier")
VALUES = ("a", "b", "")
NAMES = ("shop", "default")
OTHER = "x"  # stands for the values that no selector names
UNIVERSE = [
    {key: value for key, value in zip(KEYS, values, strict=True) if value is not None}
    for values in product((None, *VALUES, OTHER), repeat=len(KEYS))
]


def expressions(keys: tuple[str, ...], values: tuple[str, ...]) -> st.SearchStrategy[Object]:
    with_values = st.fixed_dictionaries(
        {
            "key": st.sampled_from(keys),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(st.sampled_from(values), max_size=3),
        }
    )
    without = st.fixed_dictionaries(
        {"key": st.sampled_from(keys), "operator": st.sampled_from(["Exists", "DoesNotExist"])}
    )
    return with_values | without


def selectors(keys: tuple[str, ...] = KEYS, values: tuple[str, ...] = VALUES) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(
        {},
        optional={
            "matchLabels": st.dictionaries(st.sampled_from(keys), st.sampled_from(values), max_size=2),
            "matchExpressions": st.lists(expressions(keys, values), max_size=3),
        },
    )


@given(st.lists(selectors(), min_size=1, max_size=3))
@share(700)
def test_labels_are_found_exactly_when_some_of_the_universe_match(several: list[Object]) -> None:
    expected = any(all(matches(item, labels) for item in several) for labels in UNIVERSE)
    found = common_labels(several)
    assert (found is not None) == expected
    assert found is None or all(matches(item, found) for item in several)


namespace_selectors = st.none() | selectors((NAMESPACE_NAME_LABEL, "env"), (*NAMES, "a"))
scopes = st.builds(Scope, selectors(), namespace_selectors)
known_namespaces = st.dictionaries(
    st.sampled_from(NAMES), st.dictionaries(st.just("env"), st.sampled_from(["a", "shop"]), max_size=1), max_size=2
)


def matched(scope: Scope, namespace: Object, labels: Object) -> bool:
    selects = scope.namespace_selector is None or compile_selector(scope.namespace_selector)(namespace)
    return selects and not is_empty(scope.selector) and matches(scope.selector, labels)


def namespaces_there_can_be(known: dict[str, dict[str, str]]) -> list[Object]:
    """Every known namespace as it is, and others with any labels."""
    envs = [None, *NAMES, "a", OTHER]
    unknown = [name for name in (*NAMES, "a", OTHER) if name not in known]
    beside: list[Object] = [
        {NAMESPACE_NAME_LABEL: name} | ({} if env is None else {"env": env}) for name in unknown for env in envs
    ]
    return [*({**labels, NAMESPACE_NAME_LABEL: name} for name, labels in known.items()), *beside]


@given(scopes, scopes, known_namespaces)
@share(700)
def test_a_witness_is_found_exactly_when_some_pod_matches_both(
    scope: Scope, other: Scope, known: dict[str, dict[str, str]]
) -> None:
    expected = any(
        matched(scope, namespace, labels) and matched(other, namespace, labels)
        for namespace in namespaces_there_can_be(known)
        for labels in UNIVERSE
    )
    found = witness(scope, other, known)
    assert (found is not None) == expected
    if found is not None:
        assert found.namespace == found.namespace_labels[NAMESPACE_NAME_LABEL]
        assert matched(scope, dict(found.namespace_labels), dict(found.labels))
        assert matched(other, dict(found.namespace_labels), dict(found.labels))


def test_a_value_that_no_label_can_have_matches_nothing() -> None:
    assert common_labels([{"matchLabels": {"app": "no value"}}]) is None
    assert common_labels([{"matchLabels": {"no key": "a"}}]) is None
    assert common_labels([{"matchExpressions": [{"key": "app", "operator": "Near"}]}]) is None


def member(position: int, selector: Object, namespace_selector: Object | None, name: str = "") -> Member:
    """A SidecarSet; one with a name of a namespace is that of an old release."""
    by_name = {"matchLabels": {NAMESPACE_NAME_LABEL: name}} if name else namespace_selector
    namespaces = Namespaces(name, None if name or namespace_selector is None else compiled(namespace_selector))
    return Member(f"s{position}", "", Scope(selector, by_name), compiled(selector), namespaces, {})


def others(members: Sequence[Member]) -> list[list[int]]:
    """For each SidecarSet the positions of the others that it is compared with."""
    group = MemberGroup(members)
    return [[members.index(other) for other in group.others(each)] for each in members]


names = st.sampled_from(["", "", "shop", "bank"])


@given(st.lists(st.tuples(selectors(), namespace_selectors, names), min_size=2, max_size=8))
@share(500)
def test_the_index_leaves_out_no_pair_that_overlaps(several: list[tuple[Object, Object | None, str]]) -> None:
    known = {"shop": {"env": "prod"}, "bank": {}}
    members = [member(position, *item) for position, item in enumerate(several)]
    for at, (item, left) in enumerate(zip(members, others(members), strict=True)):
        assert left == sorted(left, reverse=True)
        for position, other in enumerate(members):
            if position != at and (kruise_overlap(item, other, known) or witness(item.scope, other.scope, {})):
                assert position in left


def test_two_keys_together_leave_only_those_that_share_both() -> None:
    labels = [{"app": f"a{number % 20}", "tier": f"t{number // 20}"} for number in range(400)]
    assert not any(others([member(number, {"matchLabels": item}, None) for number, item in enumerate(labels)]))
    assert others([member(number, {"matchLabels": labels[0]}, None) for number in range(3)]) == [
        [2, 1],
        [2, 0],
        [1, 0],
    ]


def test_long_lists_of_values_are_indexed_by_as_few_keys_as_it_takes() -> None:
    def listing(key: str, first: int) -> Object:
        return {"key": key, "operator": "In", "values": [f"v{number}" for number in range(first, first + 100)]}

    selector = [{"matchExpressions": [listing("app", first), listing("tier", first)]} for first in (0, 50, 100)]
    found = others([member(number, item, None) for number, item in enumerate(selector)])
    assert [set(each) for each in found] == [{1}, {0, 2}, {1}]
