"""Plans as people read them: in a narrow terminal, with very many pods, in a comment of a pull request."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, run
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference, differences
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rows import difference_text, wave_rows
from sidecarctl.features.plan.text_report import FORMATS
from sidecarctl.render.markdown import MOST_CHARACTERS
from sidecarctl.render.output import Page
from sidecarctl.render.tables import folded, wrapped
from tests.engine.rollout.manifests import not_ready, pod, target


class Told(NamedTuple):
    """What a report says besides the plan."""

    origins: Mapping[str, Mapping[str, str]] = {}
    blocked: Mapping[str, Mapping[int, Sequence[FieldDifference]]] = {}
    synthetic: bool = False


NOTHING = Told()
ALL_FAIL = ClusterBehavior(fails=lambda _: True)


def plan_of(pods: Sequence[Object], options: ClusterBehavior | None = None, **strategy: Value) -> Plan:
    hot = bool(strategy.pop("hot", False))
    return run(Simulation([target(hot=hot, updateStrategy=strategy)], pods, {}, options))


def report_of(plan: Plan, told: Told, findings: Sequence[Finding] = ()) -> Report[PlanFacts]:
    facts = PlanFacts(plan, PlanOptions(), told.origins, told.blocked, (), frozenset(), told.synthetic)
    return Report("plan", facts, findings)


def plan_text(plan: Plan, told: Told, page: Page) -> str:
    return "".join(FORMATS["plan"]["text"](report_of(plan, told), page))


def plan_markdown(plan: Plan, told: Told, findings: Sequence[Finding] = ()) -> str:
    return "".join(FORMATS["plan"]["markdown"](report_of(plan, told, findings), Page()))


def many(number: int, **strategy: Value) -> Plan:
    return plan_of([pod(f"a-rather-long-name-of-a-pod-{index}") for index in range(number)], **strategy)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = plan_text(many(300, maxUnavailable=7, partition="10%"), NOTHING, Page(width))
    # a word that is longer than what is left stays whole
    assert max(len(re.sub(r"\S{20,}", "", line)) for line in text.splitlines()) <= width


def test_names_stand_below_the_bars_of_a_narrow_terminal() -> None:
    lines = plan_text(many(6, maxUnavailable=3), NOTHING, Page(60)).splitlines()
    row = next(index for index, line in enumerate(lines) if line.startswith("     1  "))
    assert lines[row] == "     1       3  ████████       3"
    assert lines[row + 1] == "        shop/a-rather-long-name-of-a-pod-0 +2"


def test_very_many_waves_are_few_rows() -> None:
    text = plan_text(many(1000, maxUnavailable=1), NOTHING, Page(80))
    assert len(text.splitlines()) < 40
    assert re.search(r"^  4-997 +1 +█+ +1  shop/", text, re.MULTILINE)
    assert text.endswith("Completes: all 1,000 pods updated after 1,000 waves.\n")


def test_waves_alike_in_a_row_share_one() -> None:
    plan = plan_of([pod(f"p{index}", hot=True) for index in range(20)], hot=True, maxUnavailable=2)
    rows = wave_rows(plan.sets[0].waves, 10)
    assert [(row.first, row.last, row.kind) for row in rows] == [
        (1, 1, "upgrade"), (2, 2, "reset"), (3, 3, "upgrade"), (4, 17, "upgrade and reset"),
        (18, 18, "reset"), (19, 19, "upgrade"), (20, 20, "reset"),
    ]  # a table, a case a line  # fmt: skip
    assert "KIND" in plan_text(plan, NOTHING, Page(80))
    assert "| 1 reset |" in plan_markdown(plan_of([pod("p", hot=True)], hot=True), NOTHING)


def test_all_pods_by_name() -> None:
    text = plan_text(plan_of([not_ready(pod("p0")), pod("p1")]), NOTHING, Page(80, all_pods=True))
    assert "      upgrade shop/p0 (was not ready)  agent: agent:1 -> agent:2  not ready first\n" in text


def test_pods_from_workloads_and_places_of_numbers() -> None:
    told = Told({"logs": {"partition": "set.yaml:9:3"}}, {}, synthetic=True)
    plan = many(3, partition=1)
    assert "partition        1: holds back 1 (set.yaml:9:3)" in plan_text(plan, told, Page(120))
    assert "3 matched (made from workloads)" in plan_text(plan, told, Page(120))
    assert "- partition: 1: holds back 1 (set.yaml:9:3)" in plan_markdown(plan, told)


def test_many_images_are_counted() -> None:
    pods = [pod(f"p{index}", images={"agent": f"agent:old-{index}", "app": "app:1"}) for index in range(9)]
    text = plan_text(plan_of(pods, maxUnavailable="100%"), NOTHING, Page(120))
    assert text.count("  image  ") == 6
    assert "and 3 further changes" in text


def test_many_groups_are_counted() -> None:
    pods = [pod(f"p{index}", labels={"zone": f"z{index:02}"}) for index in range(45)]
    simulation = Simulation([target()], pods, {})
    plan = run(simulation, {"zone": lambda item: item.labels["zone"]})
    assert "    and 21 further values\n" in plan_text(plan, NOTHING, Page(80))
    assert "- and 5 more\n" in plan_markdown(plan, NOTHING)


@pytest.mark.parametrize(
    ("pods", "options", "strategy", "sentence"),
    [
        ([], None, {}, "Nothing to do: the SidecarSet has no pods."),
        (
            [pod("p", annotations={"kruise.io/sidecarset-injected-list": None})],
            None,
            {},
            "Nothing to do: the SidecarSet has no pods; 1 pod selected but left out.",
        ),
        ([pod("p")], None, {"paused": True}, "Does nothing: updateStrategy.paused is true; 0 of"),
        (
            [pod("p")],
            None,
            {"type": "NotUpdate"},
            "Does nothing: updateStrategy.type is NotUpdate; 0 of",
        ),
        (
            [pod("p"), pod("q")],
            ClusterBehavior(rounds=1),
            {},
            "Not finished after 1 round, the limit: 1 of 2",
        ),
        (
            [pod("p"), pod("q")],
            ALL_FAIL,
            {},
            "Stalls: 1 of 2 pods updated after 1 wave; 1 pod waits",
        ),
        ([pod("p", hot=True)], ALL_FAIL, {"hot": True}, "a hot upgrade is incomplete"),
        ([pod("p")], ALL_FAIL, {}, "Completes: 1 pod updated after 1 wave, but it is not available"),
        (
            [pod("p")],
            None,
            {"maxUnavailable": 0},
            "1 pod waits, since maxUnavailable 0 lets no ready pod be updated.",
        ),
        ([pod("p")], None, {"maxUnavailable": "ten"}, "since maxUnavailable ten lets no ready pod be updated."),
    ],
)
def test_sentences(pods: list[Object], options: ClusterBehavior | None, strategy: Object, sentence: str) -> None:
    text = plan_text(plan_of(pods, options, **strategy), NOTHING, Page(200))
    assert sentence in text


@pytest.mark.parametrize(
    ("pods", "options", "strategy", "mark"),
    [
        ([pod("p")], None, {}, "✅"),
        ([pod("p")], ALL_FAIL, {}, "⚠️"),
        ([], None, {}, "⚠️"),
        ([pod("p")], None, {"paused": True}, "⏸"),
        ([pod("p")], None, {"maxUnavailable": 0}, "❌"),
    ],
)
def test_a_comment_begins_with_how_it_ends(
    pods: list[Object], options: ClusterBehavior | None, strategy: Object, mark: str
) -> None:
    text = plan_markdown(plan_of(pods, options, **strategy), NOTHING)
    assert text.startswith(f"### {mark} Rollout of SidecarSet logs\n")


def test_nothing_to_do() -> None:
    recorded = {"kruise.io/sidecarset-hash": f'{{"logs":{{"hash":"{target().hash}"}}}}'}
    updated = pod("p0", annotations=recorded, images={"agent": "agent:2", "app": "app:1"})
    assert plan_text(plan_of([updated]), NOTHING, Page()).endswith("Nothing to do: 1 pod already updated.\n")


def test_a_busy_pod_stalls() -> None:
    state = '{"logs": {"revision": "r", "lastContainerStatuses": {"agent": {"imageID": "sha256:agent:0"}}}}'
    status = [{"name": "agent", "image": "agent:0", "imageID": "sha256:agent:0", "ready": True}, {"name": "app"}]
    annotations: dict[str, str | None] = {"kruise.io/sidecarset-inplace-update-state": state}
    busy = pod("p0", annotations=annotations, status={"containerStatuses": status})
    text = plan_text(plan_of([busy]), NOTHING, Page(120))
    assert "1 pod with an update already in flight that never finishes" in text
    assert "  1 pod with an update in flight\n    shop/p0\n" in text


def test_markdown_fits_into_a_comment() -> None:
    pods = [pod("n" * 200 + str(index), labels={"host": "h" * 60 + str(index)}) for index in range(2000)]
    simulation = Simulation([target(updateStrategy={"maxUnavailable": 3, "partition": 7})], pods, {})
    plan = run(simulation, {"host": lambda item: item.labels["host"]})
    odd = [warning(Reason.NO_PODS, "x" * 500) for _ in range(500)]
    blocked = {"logs": {index: [FieldDifference(("spec",), "a", f"b{index}")] for index in range(2000)}}
    text = plan_markdown(plan, Told({}, blocked), odd)
    assert len(text) <= MOST_CHARACTERS
    assert text.count("<details>") == text.count("</details>")


def test_markdown_that_is_cut_closes_what_is_open() -> None:
    left = [pod(f"p{index}", annotations={"kruise.io/sidecarset-injected-list": None}) for index in range(2)]
    plan = plan_of(left)
    long = [warning(Reason.NO_PODS, "word " * 3000) for _ in range(30)]
    text = plan_markdown(plan, NOTHING, long)
    assert len(text) <= MOST_CHARACTERS
    assert text.endswith("\n1 more section: too long for a comment.\n")
    assert text.count("<details>") == text.count("</details>")


def test_nothing_from_a_manifest_is_markup() -> None:
    plan = plan_of([pod("p|<img src=x>`@all`")])
    text = plan_markdown(plan, NOTHING)
    assert "<img" not in text
    assert "`" not in text
    assert "@all" not in text
    assert "p&#124;&#60;img src=x&#62;" in text


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = plan_text(plan_of([pod("p\x1b[31m")]), NOTHING, Page())
    assert "\x1b" not in text


def test_names_are_folded() -> None:
    names = [PodName("a", "x"), PodName("a", "y"), PodName("b", "z")]
    assert folded(names, 80) == "a/x, y, b/z"
    assert folded(names, 9) == "a/x, y +1"
    assert folded(names, 1) == "a/x +2"
    assert folded([], 10) == ""


def test_words_are_wrapped() -> None:
    assert list(wrapped("  label   one two three", 12, indent=4)) == [
        "  label  ".rstrip(),
        "    one two",
        "    three",
    ]
    assert list(wrapped("short", 12)) == ["short"]


def test_values_in_short() -> None:
    assert (
        difference_text(FieldDifference(("spec", "x"), None, "v" * 99))
        == f"spec.x: is absent, would be {'v' * 60}..."
    )
    assert difference_text(FieldDifference(("a",), "", [1])) == 'a: is "", would be [1]'


def test_differences_go_down_to_the_innermost_field() -> None:
    now = {
        "env": [{"name": "A", "value": "1"}, {"name": "B"}],
        "args": ["a"],
        "ports": [{"containerPort": 1}],
        "tty": False,
    }
    new = {"env": [{"name": "A", "value": "2"}, {"name": "C"}], "args": ["b"], "ports": [{"containerPort": 2}]}
    assert [(entry.path, entry.now, entry.new) for entry in differences(now, new)] == [
        (("env", 0, "value"), "1", "2"),
        (("env", 1), {"name": "B"}, None),
        (("env", "C"), None, {"name": "C"}),
        (("args",), ["a"], ["b"]),
        (("ports", 0), {"containerPort": 1}, None),
        (("ports", "2"), None, {"containerPort": 2}),
    ]
    mounts = [{"mountPath": "/a", "name": "v"}]
    assert not list(differences(mounts, list(mounts)))
    assert len(list(differences([1], [2]))) == 1


def test_pods_that_are_blocked_each_by_another_value_are_reported_together() -> None:
    pods = [pod(f"p{index}", annotations={"kruise.io/sidecarset-hash-without-image": None}) for index in range(40)]
    shared = FieldDifference(("spec", "containers", 0, "tty"), None, new=True)
    fields = {
        index: [shared, FieldDifference(("spec", "containers", 0, "args"), [str(index)], None)] for index in range(40)
    }
    fields |= {index: [shared] for index in range(30, 35)}
    text = plan_text(plan_of(pods), Told({}, {"logs": fields}), Page(120))
    assert text.count("not updatable in place") == 9
    groups = text.split("\n\n")
    assert groups[1].splitlines() == [
        "  5 pods not updatable in place: recreate them",
        "      spec.containers[0].tty: is absent, would be true",
        "    shop/p30, p31, p32, p33, p34",
    ]
    assert groups[9].splitlines()[:4] == [
        "  28 pods not updatable in place: recreate them",
        "      values that differ from pod to pod, in",
        "      spec.containers[0].tty",
        "      spec.containers[0].args",
    ]


def test_of_very_many_fields_that_block_a_pod_a_few_are_reported() -> None:
    blocked = pod("p", annotations={"kruise.io/sidecarset-hash-without-image": None})
    fields = {0: [FieldDifference(("spec", f"field{index}"), None, index) for index in range(20)]}
    text = plan_text(plan_of([blocked]), Told({}, {"logs": fields}), Page(120))
    assert "spec.field7: is absent, would be 7\n      and 12 more\n" in text
    assert "field8" not in text
