from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.facts.values import Object
from sidecarctl.rollout.scatter import LabelCounts, Scatter, ScatterTerm


class Pod(NamedTuple):
    number: int
    labels: Mapping[str, str]


def _pods(values: Sequence[str | None], key: str = "zone") -> list[Pod]:
    return [Pod(number, {} if value is None else {key: value}) for number, value in enumerate(values)]


def _order(strategy: list[Object], pods: Sequence[Pod], waiting: Sequence[Pod] | None = None) -> list[int]:
    scatter = Scatter(strategy, pods)
    counts = scatter.new_counts()
    chosen = pods if waiting is None else waiting
    for pod in chosen:
        counts.add(pod.labels)
    return [pod.number for pod in scatter.order(chosen, counts)]


def test_three_of_ten_land_at_places_1_6_and_10() -> None:
    pods = _pods(["bar"] * 3 + [None] * 7, "foo")
    order = _order([{"key": "foo", "value": "bar"}], pods)
    assert [place for place, number in enumerate(order, start=1) if number < 3] == [1, 6, 10]


def test_a_star_becomes_a_term_for_each_value_in_pod_order() -> None:
    scatter = Scatter(
        [{"key": "zone", "value": "b"}, {"key": "zone", "value": "*"}, {"key": "zone"}],
        _pods(["a", None, "c", "b", "a"]),
    )
    assert scatter.terms == [("zone", "b"), ("zone", "a"), ("zone", "c"), ("zone", "")]


def test_without_terms_the_order_stays() -> None:
    assert _order([], _pods(["a", "b", "a"])) == [0, 1, 2]
    assert _order([{"key": "none", "value": "*"}], _pods(["a", "b", "a"])) == [0, 1, 2]


def test_groups_of_one_member_change_nothing() -> None:
    strategy: list[Object] = [{"key": "zone", "value": "a"}]
    for values in (["a"], ["a", "b", "b"], ["b", "a", "a"], ["a", "a"], ["b", "b"]):
        assert _order(strategy, _pods(values)) == list(range(len(values)))


def test_an_empty_value_matches_pods_without_the_label() -> None:
    counts = LabelCounts(["zone"])
    for pod in _pods([None, "", "a"]):
        counts.add(pod.labels)
    assert counts.matching(ScatterTerm("zone", "")) == 2
    assert counts.carrying(ScatterTerm("zone", "")) == 1
    counts.add({"zone": "a"}, -1)
    assert (counts.total, counts.carrying(ScatterTerm("zone", "a"))) == (2, 0)


VALUES = st.lists(st.sampled_from(["a", "b", "c", "", None]), max_size=30)
TERMS = st.lists(
    st.builds(lambda value: {"key": "zone", "value": value}, st.sampled_from(["a", "b", "c", "", "*"])),
    max_size=4,
)


@given(VALUES, TERMS, st.data())
def test_nobody_is_lost_and_it_is_as_the_page_says(
    values: list[str | None], strategy: list[Object], data: st.DataObject
) -> None:
    pods = _pods(values)
    waiting = [pod for pod in pods if data.draw(st.booleans())]
    order = _order(strategy, pods, waiting)
    assert sorted(order) == [pod.number for pod in waiting]
    assert order == [pod.number for pod in _by_the_page(strategy, pods, waiting)]


def test_more_terms_than_iterators_can_be_nested() -> None:
    values = [f"v{number % 1500}" for number in range(3000)]
    order = _order([{"key": "zone", "value": "*"}], _pods(values))
    assert sorted(order) == list(range(3000))


def test_only_as_many_pods_are_looked_at_as_are_drawn() -> None:
    pods = _pods(["a", "b"] * 5000)
    seen = 0

    def counted() -> Iterator[Pod]:
        nonlocal seen
        for pod in pods:
            seen += 1
            yield pod

    scatter = Scatter([{"key": "zone", "value": "*"}], pods)
    counts = scatter.new_counts()
    for pod in pods:
        counts.add(pod.labels)
    order = scatter.order(counted(), counts)
    assert len([next(order) for _ in range(10)]) == 10
    assert seen < 50


def _by_the_page(strategy: list[Object], pods: Sequence[Pod], waiting: Sequence[Pod]) -> Sequence[Pod]:
    """The same, written down plainly from docs/behaviour/rollout.md."""
    if len(waiting) == 1:
        return waiting
    terms: list[str] = []
    for term in strategy:
        value = term["value"]
        terms += [pod.labels["zone"] for pod in pods if "zone" in pod.labels] if value == "*" else [value]
    terms = list(dict.fromkeys(terms))
    if len(terms) > 1:
        carried = {term: sum(pod.labels.get("zone") == term for pod in waiting) for term in terms}
        terms = sorted((term for term in terms if carried[term]), key=lambda term: -carried[term])
    order = list(waiting)
    for value in terms:
        order = _one_term(value, pods, order)
    return order


def _one_term(value: str, pods: Sequence[Pod], order: list[Pod]) -> list[Pod]:
    matched = [pod for pod in order if pod.labels.get("zone", "") == value]
    others = [pod for pod in order if pod.labels.get("zone", "") != value]
    if len(matched) <= 1 or len(others) <= 1:
        return order
    total_matched = sum(pod.labels.get("zone", "") == value for pod in pods) - 1
    total_others = len(pods) - total_matched - 1
    last = matched.pop()
    ahead = 0
    m, o = len(matched), len(others)
    if total_others / total_matched >= o / m:
        n = min(m, o)
        matched_size, others_size = int(m / n + 0.5), int(o / n + 0.5)
    else:
        n = min(total_matched, total_others)
        matched_size, others_size = int(total_matched / n + 0.5), int(total_others / n + 0.5)
        n = min(m // matched_size, o // others_size)
        ahead = o - n * others_size
    result, others = others[:ahead], others[ahead:]
    for _ in range(n):
        result += matched[:matched_size] + others[:others_size]
        matched, others = matched[matched_size:], others[others_size:]
    return [*result, *matched, *others, last]
