"""`sidecarctl plan` says why: large waves, what decides, why a pod is at its place, when."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset
from tests.features.plan.planning import SET, dump, planned
from tests.schemas import assert_valid


def text_of(folder: Path, *options: str) -> str:
    return run("plan", folder / "set.yaml", folder / "pods.json", *options).stdout


def test_a_wave_larger_than_the_budget_says_why(folder: Path) -> None:
    dump(
        folder / "pods.json",
        [*(not_ready(pod(f"q{index}")) for index in range(9)), *(pod(f"p{i}") for i in range(5))],
    )
    assert "        2 + 9 that were not ready and take no budget\n" in text_of(folder)
    comment = text_of(folder, "-o", "markdown")
    assert "| 1 | 11 | " in comment
    assert "2 + 9 that were not ready and take no budget; " in comment


def test_an_ordinary_wave_says_nothing(folder: Path) -> None:
    assert "take no place" not in text_of(folder)


STRATEGY = """\
    selector: {matchLabels: {app: web}}
    priorityStrategy:
      weightPriority:
      - weight: 50
        matchSelector: {matchLabels: {tier: gold}}
    scatterStrategy:
    - {key: zone, value: a}
"""


def test_the_head_names_everything_that_decides(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + STRATEGY)
    path = folder / "set.yaml"
    options = ("--fail", "p4", "--in-flight", "stuck", "--assume-ready", "--feature-gates", "EnableX=false")
    text = " ".join(text_of(folder, *options[:-2]).split())
    for said in (
        f"selector app=web ({path}:10:15)",
        f"priority 50 for tier=gold ({path}:13:9)",
        f"scatter zone=a ({path}:16:7)",
        "assumed never ready after the update: p4 (--fail)",
        "every updated pod becomes ready (--assume-ready)",
        "updates already in flight never finish (--in-flight)",
    ):
        assert said in text
    assert "selector tier=gold (--selector)" in " ".join(text_of(folder, "--selector", "tier=gold").split())
    assert "paused true: no pod is updated (--paused)" in " ".join(text_of(folder, "--paused").split())
    decided = planned(folder)["sidecarSets"][0]["deciding"]
    assert [item["field"] for item in decided] == ["selector", "priority", "scatter"]
    assert "- priority: 50 for tier=gold (" in text_of(folder, "-o", "markdown")


def test_hot_pairs_and_gates_decide_too(folder: Path) -> None:
    (folder / "set.yaml").write_text(json.dumps(sidecarset(hot=True).manifest))
    text = " ".join(text_of(folder, "--feature-gates", "EnableSortSidecarContainerByName=true").split())
    assert "hot upgrade agent-1 and agent-2, the idle container with empty:1 (" in text
    assert "feature gate EnableSortSidecarContainerByName (--feature-gates)" in text


def why(folder: Path) -> dict[str, str]:
    (item,) = planned(folder)["sidecarSets"]
    return {each["name"]: each.get("whyHere", "") for wave in item["waves"] for each in wave["pods"]}


def test_why_a_pod_is_where_it_is(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + STRATEGY[STRATEGY.index("    priority") : STRATEGY.index("    scatter")])
    made: Value = "2026-01-01T00:00:00Z"
    pods = [
        pod("old", creationTimestamp="2025-01-01T00:00:00Z"),
        pod("new", creationTimestamp=made),
        not_ready(pod("down")),
        pod("gold", labels={"tier": "gold"}),
    ]
    dump(folder / "pods.json", pods)
    assert why(folder) == {
        "gold": "priority 50 by tier=gold",
        "down": "priority 0, no term matches, not ready first",
        "new": "priority 0, no term matches, then ready",
        "old": "priority 0, no term matches, then created 2025-01-01T00:00:00Z",
    }
    text = text_of(folder, "--all-pods")
    header = next(line for line in text.splitlines() if line.endswith("WHY HERE"))
    column = header.index("WHY HERE")
    told = [line[column:] for line in text.splitlines() if line.startswith("      upgrade ")]
    assert told == list(why(folder).values())


def test_restarts_decide(folder: Path) -> None:
    once = pod("once")
    once["status"]["containerStatuses"][0]["restartCount"] = 1
    dump(folder / "pods.json", [once, pod("never")])
    assert why(folder) == {"once": "1 restart", "never": "0 restarts"}


def test_scatter_and_ordered_keys_are_reported(folder: Path) -> None:
    scatter = "    scatterStrategy: [{key: zone, value: a}]\n"
    strategy = f"{scatter}    priorityStrategy: {{orderPriority: [{{orderedKey: number}}]}}\n"
    (folder / "set.yaml").write_text(SET + strategy)
    pods = [pod(f"p{i}", labels={"zone": "a" if i < 3 else "b", "number": f"x{i}"}) for i in range(6)]
    dump(folder / "pods.json", [*pods, pod("q", labels={"zone": "b"})])
    told = why(folder)
    assert told["q"].startswith("none of the ordered keys: before all others")
    assert "key number, number 5" in told["p5"]
    assert all("by scatter" in item for item in told.values())


WEIGHT = "priorityStrategy: {weightPriority: [{weight: 100, matchSelector: {matchLabels: {tier: gold}}}]}"
ORDER = "priorityStrategy: {orderPriority: [{orderedKey: number}]}"
SCATTER = "scatterStrategy: [{key: tier, value: gold}]"
SPREADS = "scatterStrategy spreads the pods after priorityStrategy has sorted them"


@pytest.mark.parametrize(
    ("strategy", "options", "says"),
    [
        ([WEIGHT], [], ""),
        ([SCATTER], [], ""),
        ([WEIGHT, SCATTER], [], f"2 pods of higher priority (100) are not in it: {SPREADS}"),
        ([ORDER, SCATTER], [], f"2 pods of higher priority are not in it: {SPREADS}"),
        ([ORDER, SCATTER], ["--max-unavailable", "4"], f"1 pod of higher priority is not in it: {SPREADS}"),
        (
            [WEIGHT, SCATTER],
            ["--partition", "4"],
            f"2 pods of higher priority (100) are not in it, held back by partition: {SPREADS}",
        ),
        (
            [WEIGHT, SCATTER],
            ["--partition", "2"],
            f"2 pods of higher priority (100) are not in it, 1 of them held back by partition: {SPREADS}",
        ),
        ([WEIGHT, SCATTER], ["--partition", "6"], ""),
        ([WEIGHT, SCATTER], ["--max-unavailable", "6"], ""),
        ([WEIGHT, SCATTER], ["--selector", "tier=gold"], f"no pod of higher priority has to wait, though {SPREADS}"),
        ([WEIGHT, SCATTER], ["--paused"], ""),
    ],
)
def test_the_first_wave_where_strategies_meet(
    folder: Path, strategy: list[str], options: list[str], says: str
) -> None:
    (folder / "set.yaml").write_text(SET + "".join(f"    {each}\n" for each in strategy))
    labels = [{"tier": "gold" if index < 3 else "free", "number": str(index)} for index in range(6)]
    dump(folder / "pods.json", [pod(f"p{index}", labels=own) for index, own in enumerate(labels)])
    text = " ".join(text_of(folder, *options).split())
    assert (f" first wave {says} " in text) if says else (" first wave " not in text), text


@given(
    tiers=st.lists(st.sampled_from(["gold", "free", "none"]), min_size=2, max_size=8),
    weights=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    pace=st.tuples(st.integers(1, 3), st.integers(0, 4)),
    spread=st.sampled_from(["gold", "free"]),
)
def test_the_first_wave_has_the_pods_that_it_names(
    tiers: list[str], weights: tuple[int, int], pace: tuple[int, int], spread: str
) -> None:
    """Counted from the waves of the document, and from the labels and weights that were given."""
    by_tier = dict(zip(("gold", "free"), weights, strict=True))
    terms = [{"weight": weight, "matchSelector": {"matchLabels": {"tier": tier}}} for tier, weight in by_tier.items()]
    strategy: Object = {
        "maxUnavailable": pace[0],
        "partition": pace[1],
        "priorityStrategy": {"weightPriority": terms},
        "scatterStrategy": [{"key": "tier", "value": spread}],
    }
    pods = [pod(f"p{index}", labels={"tier": tier}) for index, tier in enumerate(tiers)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "set.yaml").write_text(json.dumps(sidecarset("2", updateStrategy=strategy).manifest))
        dump(folder / "pods.json", pods)
        waves = [[each["name"] for each in wave["pods"]] for wave in planned(folder)["sidecarSets"][0]["waves"]]
        text = " ".join(text_of(folder).split())
    weight = {f"p{index}": by_tier.get(tier, 0) for index, tier in enumerate(tiers)}
    first = waves[0] if waves else []
    least = min((weight[each] for each in first), default=0)
    ahead = [each for each in weight if first and each not in first and weight[each] > least]
    found = re.search(r" first wave (\d+) pods? of higher priority", text)
    assert (int(found[1]) if found else 0) == (len(ahead) if spread in tiers else 0)


def test_times(folder: Path) -> None:
    text = text_of(folder, "--pod-update-duration", "45s")
    lines = text.splitlines()
    assert [line.split()[:2] for line in lines if line.lstrip()[:1].isdigit()] == [
        ["1", "0:00"],
        ["2", "0:45"],
        ["3", "1:30"],
    ]
    assert lines[-1] == "Completes: all 5 pods updated after 3 waves. At 2:15."
    assert "the update of a pod takes 45 s (--pod-update-duration)" in text
    document = planned(folder, "--pod-update-duration", "1m30s")
    (item,) = document["sidecarSets"]
    assert [wave["beginsAtSeconds"] for wave in item["waves"]] == [0, 90, 180]
    assert (item["endsAtSeconds"], document["options"]["podUpdateSeconds"]) == (270, 90)
    comment = text_of(folder, "--pod-update-duration", "1h")
    assert "At 3:00:00." in comment
    assert "| 2 | 0:45 | 2 |" in text_of(folder, "--pod-update-duration", "45s", "-o", "markdown")


def test_a_sweep_compares_times(folder: Path) -> None:
    options = ("--sweep", "max-unavailable=1,5", "--pod-update-duration", "30s")
    assert [line.split()[6] for line in text_of(folder, *options).splitlines()[1:]] == ["TIME", "2:30", "0:30"]
    document = json.loads(text_of(folder, *options, "-o", "json"))
    assert_valid(document, "rollout-sweep.json")
    assert [row["endsAtSeconds"] for row in document["rows"]] == [150, 30]
    assert "| 5 | 5 | 0 | 1 | 2 | 5 | 0:30 | Complete |" in text_of(folder, *options, "-o", "markdown")


@pytest.mark.parametrize("duration", ["0", "-1", "1001", "s", "0s", "5x", "", "45 s"])
def test_a_duration_that_is_none(folder: Path, duration: str) -> None:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "--pod-update-duration", duration)
    assert (ended.code, ended.stdout) == (2, "")


def test_sets_without_anything_to_do_share_a_line(folder: Path) -> None:
    others = [sidecarset(name=f"idle-{index:02}", selector={"matchLabels": {"app": "none"}}) for index in range(29)]
    items = [other.manifest for other in others]
    (folder / "others.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    def planning(*options: str) -> Ended:
        return run("plan", folder / "set.yaml", folder / "others.json", folder / "pods.json", *options)

    text = planning().stdout
    assert text.count("SidecarSet logs\n") == 1
    assert text.endswith(
        "\n\nNothing to do for 29 SidecarSets (0 pods already updated): idle-00, idle-01, idle-02 and 26 more.\n"
    )
    assert text.count("idle-") == 3
    assert planning("-o", "markdown").stdout.count("idle-") == 3 + 29  # the findings name each
    assert planning("--all-pods").stdout.count("SidecarSet idle-") == 29
    assert len(json.loads(planning("-o", "json").stdout)["sidecarSets"]) == 30
