"""The scatter strategy."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.round.scatter import LabelCounts, Scatter, ScatterTerm, Spread, layout, spread
from tests.effort import reaches_half


def test_as_many_others_among_those_that_wait_as_among_all() -> None:
    assert layout(2, 7, 2, 7) == Spread(0, 2, 1, 4)
    assert layout(5, 2, 5, 2) == Spread(0, 2, 3, 1)


def test_halves_are_rounded_up() -> None:
    assert layout(2, 5, 2, 5) == Spread(0, 2, 1, 3)


def test_a_surplus_of_others_goes_in_front() -> None:
    assert layout(2, 9, 3, 3) == Spread(7, 2, 1, 1)
    assert layout(1, 9, 7, 2) == Spread(9, 0, 4, 1)


def test_the_last_matched_one_comes_last() -> None:
    assert spread("aaabbbbbbb", "a", 3, 7, layout(2, 7, 2, 7)) == "abbbbabbba"
    assert spread("aAabbbbbbb", "aA", 3, 7, layout(2, 7, 2, 7)) == "abbbbAbbba"


def test_shorter_remainders_are_taken_whole() -> None:
    assert spread("aaabb", "a", 3, 2, Spread(0, 2, 1, 4)) == "abbaa"
    assert spread("aabbbb", "a", 2, 4, Spread(0, 2, 3, 1)) == "abbbba"


@reaches_half
@given(st.text("aAbc", min_size=4, max_size=40), st.sampled_from(["a", "aA", "b"]), st.data())
def test_the_beginning_of_an_order_gives_the_beginning_of_the_spread_one(
    order: str, letters: str, data: st.DataObject
) -> None:
    matched = sum(letter in letters for letter in order)
    others = len(order) - matched
    assume(matched >= 2 and others >= 2)
    more = data.draw(st.integers(0, 10)), data.draw(st.integers(0, 10))
    laid = layout(matched - 1, others, matched - 1 + more[0], others + more[1])
    whole = spread(order, letters, matched, others, laid)
    assert sorted(whole) == sorted(order)
    beginning = spread(order[: data.draw(st.integers(0, len(order)))], letters, matched, others, laid)
    assert whole.startswith(beginning)


class Pod(NamedTuple):
    number: int
    labels: Mapping[str, str]


def _pods(values: Sequence[str | None], key: str = "zone") -> list[Pod]:
    return [Pod(number, {} if value is None else {key: value}) for number, value in enumerate(values)]


def _order(strategy: list[Object], pods: Sequence[Pod], waiting: Sequence[Pod] | None = None) -> list[int]:
    """The numbers of the pods that wait, scattered."""
    scatter = Scatter(strategy, pods)
    counts = scatter.new_counts()
    following: dict[str, list[int]] = {}
    letters = ""
    for pod in pods if waiting is None else waiting:
        counts.add(pod.labels)
        letters += scatter.letter_of(pod.labels)
        following.setdefault(letters[-1], []).append(pod.number)
    order = scatter.order(letters, counts)
    for size in range(len(letters)):
        assert order.startswith(scatter.order(letters[:size], counts))
    return [following[letter].pop(0) for letter in order]


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


KEYS = st.sampled_from(["zone", "tier"])
LABELS = st.dictionaries(KEYS, st.sampled_from(["a", "b", "c", ""]))
TERMS = st.lists(
    st.builds(lambda key, value: {"key": key, "value": value}, KEYS, st.sampled_from(["a", "b", "c", "", "*"])),
    max_size=4,
)


@given(st.lists(LABELS, max_size=30), TERMS, st.data())
def test_no_pod_is_lost_and_the_order_is_that_of_the_page(
    labels: list[dict[str, str]], strategy: list[Object], data: st.DataObject
) -> None:
    pods = [Pod(number, of_pod) for number, of_pod in enumerate(labels)]
    waiting = [pod for pod in pods if data.draw(st.booleans())]
    order = _order(strategy, pods, waiting)
    assert sorted(order) == [pod.number for pod in waiting]
    assert order == [pod.number for pod in _by_the_page(strategy, pods, waiting)]


def test_terms_that_could_never_move_a_pod_are_known() -> None:
    pods = _pods([f"v{number}" for number in range(100)])
    assert not Scatter([{"key": "zone", "value": "*"}], pods).does_anything
    assert not Scatter(None, pods).does_anything
    assert Scatter([{"key": "zone", "value": "*"}], [*pods, *pods]).does_anything


def _by_the_page(strategy: list[Object], pods: Sequence[Pod], waiting: Sequence[Pod]) -> Sequence[Pod]:
    """The same, written down plainly from docs/behavior/rollout.md."""
    if len(waiting) == 1:
        return waiting
    terms: list[tuple[str, str]] = []
    for term in strategy:
        key, value = term["key"], term["value"]
        values = [pod.labels[key] for pod in pods if key in pod.labels] if value == "*" else [value]
        terms += [(key, each) for each in values]
    terms = list(dict.fromkeys(terms))
    if len(terms) > 1:
        carried = {(key, value): sum(pod.labels.get(key) == value for pod in waiting) for key, value in terms}
        terms = sorted((term for term in terms if carried[term]), key=lambda term: -carried[term])
    order = list(waiting)
    for key, value in terms:
        order = _one_term(key, value, pods, order)
    return order


def _one_term(key: str, value: str, pods: Sequence[Pod], order: list[Pod]) -> list[Pod]:
    matched = [pod for pod in order if pod.labels.get(key, "") == value]
    others = [pod for pod in order if pod.labels.get(key, "") != value]
    if len(matched) <= 1 or len(others) <= 1:
        return order
    total_matched = sum(pod.labels.get(key, "") == value for pod in pods) - 1
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
