"""The row of a cluster, from its JSON document: a cell for each SidecarSet; and all clusters together.

A run over several clusters uses only this document of each cluster, and so does `merge`. So both give the
same, and the row of a cluster is what a run over that cluster alone reports.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.pod_resources import Resources, quantities, read_quantities, shares
from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.images import Way
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import Severity, behavior_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.rollout.summary.pod_states import PodState


class Cell(NamedTuple):
    """A SidecarSet in a cluster; values that a command does not report are empty, or None for numbers.

    `verdict`: that of a change or a rollout. `state`: the worst state of its pods. `counts`: pods, or findings,
    by what they are counted by. `changes_new_pods`: apart from the verdict, new pods get more than running ones.
    """

    name: str
    revision: str = ""
    pods: int | None = None
    updated: int | None = None
    verdict: str = ""
    state: str = ""
    counts: Mapping[str, int] = {}
    changes_new_pods: bool = False


class ClusterRow(NamedTuple):
    """The answer for a cluster. `kind`: that of its document; `further`: what only documents of that kind have."""

    name: str
    kind: str
    behavior: str
    gates: Sequence[str]
    cells: Sequence[Cell]
    findings: Sequence[Object]
    further: Object


class DocumentDigest(NamedTuple):
    """How the documents of a kind become rows: the command that writes them, the cells, and what else they say.

    `overall`: what the rows of all clusters say together, as members of the document about all of them.
    """

    command: str
    cells: Callable[[Object], Iterable[Cell]]
    further: Callable[[Object], Object] = lambda _: {}
    overall: Callable[[Sequence[ClusterRow]], Object] = lambda _: {}


def row_of(name: str, document: Object) -> ClusterRow:
    """The row of a cluster; the document has passed its schema, and its kind is one of `DIGESTS`."""
    digest = DIGESTS[document["kind"]]
    return ClusterRow(
        name,
        document["kind"],
        behavior_of(document),
        document["featureGates"],
        sorted(digest.cells(document), key=lambda cell: natural(cell.name)),
        [*document["findings"], *document.get("failures", ())],
        digest.further(document),
    )


_LACKING = (Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)
_WORST_FIRST = [*map(str, _LACKING), *map(str, reversed(PodState))]


def _of_status(document: Object) -> Iterator[Cell]:
    for item in document["sidecarSets"]:
        states = [*(pod["state"] for pod in item["pods"]), *(pod["reason"] for pod in item["leftOut"])]
        status = item["status"]
        yield Cell(
            item["name"],
            status.get("latestRevision") or "",
            status.get("matchedPods") or 0,
            status.get("updatedPods") or 0,
            state=_worst(states, _WORST_FIRST),
            counts=_counted(states, _WORST_FIRST),
        )


def _of_drift(document: Object) -> Iterator[Cell]:
    for item in document["sidecarSets"]:
        counts = item["counts"]
        states = [state for state, number in counts.items() if number]
        yield Cell(
            item["name"],
            item["revision"],
            sum(counts.values()),
            state=_worst(states, [*DriftState]),
            counts={state: counts[state] for state in sorted(states, key=lambda state: _place(state, [*DriftState]))},
        )


def _of_plan(document: Object) -> Iterator[Cell]:
    for item in document["sidecarSets"]:
        before, after = item["counts"]["before"], item["counts"]["after"]
        updates = after["updatedPods"] - before["updatedPods"]
        yield Cell(
            item["name"],
            item["revision"],
            before["matchedPods"],
            before["updatedPods"],
            item["ending"],
            counts=_known({"updates": updates, "waves": len(item["waves"]), "recreate": len(item["blocked"])}),
        )


def _of_change(document: Object) -> Iterator[Cell]:
    """Of two versions of SidecarSets, two trees, or an upgrade of Kruise."""
    for item in document["sidecarSets"]:
        rollout, version = item.get("rollout"), item.get("after") or {}
        counts = {"updates": rollout["updatedNow"], "recreate": rollout["recreate"]} if rollout else {}
        counts |= {key: sum(each["pods"] or 0 for each in item.get(key) or ()) for key in ("lost", "gained")}
        yield Cell(
            item["name"],
            version.get("revision") or "",
            rollout["matchedPods"] if rollout else None,
            rollout["updatedBefore"] if rollout else None,
            item["verdict"],
            counts={} if item["verdict"] == Verdict.NO_EFFECT else _known(counts),
            changes_new_pods=Verdict.NEW_PODS_ONLY in item.get("verdicts", ())[1:],
        )


def _of_validation(document: Object) -> Iterator[Cell]:
    """The SidecarSets that were checked, with what was found about them; the rest is in the findings."""
    found: dict[str, list[str]] = {name: [] for name in document["checked"]}
    for finding in document["findings"]:
        about = finding.get("object") or {}
        if about.get("kind") == "SidecarSet" and about.get("name") in found:
            found[about["name"]].append(finding["severity"])
    for name, severities in found.items():
        verdict = _worst(severities, [*Severity]) or "passed"
        yield Cell(name, verdict=verdict, counts=_counted(severities, [*Severity]))


def _suppressed(document: Object) -> Object:
    return {"suppressed": document["suppressed"]}


def _known(counts: Mapping[str, int]) -> dict[str, int]:
    return {word: number for word, number in counts.items() if number}


def _worst(words: Iterable[str], order: Sequence[str]) -> str:
    """The word that comes first in the order; one that is not in it comes before the last."""
    return min(words, key=lambda word: _place(word, order), default="")


def _counted(words: Iterable[str], order: Sequence[str]) -> dict[str, int]:
    counts = Counter(words)
    return {word: counts[word] for word in sorted(counts, key=lambda word: (_place(word, order), word))}


def _place(word: str, order: Sequence[str]) -> float:
    return order.index(word) if word in order else len(order) - 1.5


def _cells_of_images(document: Object) -> Iterator[Cell]:
    """The pods of each SidecarSet by the hardest way to the wanted images."""
    for item in document["sidecarSets"]:
        ways = item["ways"]
        worst = next((str(way) for way in Way if way in ways), "")
        yield Cell(item["name"], "", sum(ways.values()), ways.get(Way.CURRENT, 0), state=worst, counts=ways)


def _images_of(document: Object) -> Object:
    """The images of a cluster."""
    return {"images": document["sidecarSets"]}


_USE = ("container", "role", "image", "wanted", "way")


def _images_over_all(rows: Sequence[ClusterRow]) -> Object:
    """The images of all clusters together, each with its pods summed."""
    return {"images": [_joined(name, items) for name, items in _by_set(rows, "images")]}


def _by_set(rows: Iterable[ClusterRow], key: str) -> list[tuple[str, list[Object]]]:
    """What the documents of clusters say about each SidecarSet."""
    found: dict[str, list[Object]] = {}
    for row in rows:
        for item in row.further[key]:
            found.setdefault(item["name"], []).append(item)
    return sorted(found.items(), key=lambda item: natural(item[0]))


def _joined(name: str, items: Sequence[Object]) -> Object:
    uses: dict[tuple[str, ...], list[Object]] = {}
    for item in items:
        for use in item["images"]:
            uses.setdefault(tuple(use[key] for key in _USE), []).append(use)
    order, places = [*map(str, Way)], {key[:2]: place for place, key in reversed([*enumerate(uses)])}
    keys = sorted(uses, key=lambda key: (places[key[:2]], key[3], order.index(key[4])))
    return {
        "name": name,
        "images": [
            {
                **dict(zip(_USE, key, strict=True)),
                "pods": sum(use["pods"] for use in uses[key]),
                "states": _summed(use["states"] for use in uses[key]),
                "digests": _summed(use["digests"] for use in uses[key]),
            }
            for key in keys
        ],
        "ways": _summed(item["ways"] for item in items),
        "leftOut": _summed(item["leftOut"] for item in items),
    }


def _summed(counts: Iterable[Object]) -> dict[str, int]:
    return dict(sum(map(Counter, counts), Counter[str]()))


def _cells_of_costs(document: Object) -> Iterator[Cell]:
    """The pods with sidecars of each SidecarSet."""
    for item in document["sidecarSets"]:
        yield Cell(item["name"], pods=item["pods"])


def _costs_of(document: Object) -> Object:
    """The costs of a cluster, without its namespaces."""
    sets = [{key: item[key] for key in ("name", "pods", "added", "share")} for item in document["sidecarSets"]]
    return {"total": document["total"], "costs": sets}


def _costs_over_all(rows: Sequence[ClusterRow]) -> Object:
    """The costs of all clusters together."""
    totals = [row.further["total"] for row in rows]
    whole = _resources(totals, "all")
    added = _resources(totals, "added")
    total = {key: sum(item[key] for item in totals) for key in ("pods", "injectedPods")}
    return {
        "total": {**total, "all": quantities(whole), "added": quantities(added), "share": shares(added, whole)},
        "costs": [
            {
                "name": name,
                "pods": sum(item["pods"] for item in items),
                "added": quantities(added),
                "share": shares(added, whole),
            }
            for name, items in _by_set(rows, "costs")
            for added in [_resources(items, "added")]
        ],
    }


def _resources(items: Iterable[Object], key: str) -> Resources:
    return sum((read_quantities(item[key]) for item in items), Resources())


_OF_CHANGE = ("name", "change", "verdicts", "summary", "fields", "file", "line", "column")
_OF_WORKLOAD = ("kind", "namespace", "name", "change", "what", "sidecarsChange")


def _change_of(document: Object) -> Object:
    """What differs in a cluster, what was found there before too, and what a change adds to requests, if anything."""
    sets = [item for item in document["sidecarSets"] if (item["change"], item["verdict"]) != _NOTHING]
    workloads = [item for item in document.get("workloads", ()) if item["change"] != "unchanged"]
    members = {
        "changes": [_some(item, _OF_CHANGE) for item in sets],
        "workloads": [*_workloads_of(workloads)],
        "baseFindings": document.get("baseFindings"),
        "cost": document.get("cost"),
    }
    return {key: value for key, value in members.items() if value}


_NOTHING = ("unchanged", Verdict.NO_EFFECT)


def _workloads_of(items: Iterable[Object]) -> Iterator[Object]:
    """The workloads that differ; of those with the same change only the first has its diff, which may be long."""
    said: set[str] = set()
    for item in items:
        what = item.get("what", "")
        yield _some(item, _OF_WORKLOAD if what in said else (*_OF_WORKLOAD, "diff"))
        said.add(what)


def _some(item: Object, keys: Iterable[str]) -> Object:
    return {key: item[key] for key in keys if key in item}


def _changes_over_all(rows: Sequence[ClusterRow]) -> Object:
    """What it adds in all clusters together, and in how many it adds anything."""
    found = [row.further["cost"] for row in rows if "cost" in row.further]
    if not found:
        return {}
    pods = "running" if all(item["pods"] == "running" for item in found) else "workloads"
    changed = sum(item["changedPods"] for item in found)
    change = quantities(_resources(found, "change"))
    return {"cost": {"pods": pods, "changedPods": changed, "change": change, "clusters": len(found)}}


DIGESTS: Mapping[str, DocumentDigest] = {
    "ValidationResult": DocumentDigest("validate", _of_validation, _suppressed),
    "SidecarSetDiff": DocumentDigest("diff", _of_change, _change_of, _changes_over_all),
    "InjectionDiff": DocumentDigest("diff", _of_change, _change_of, _changes_over_all),
    "KruiseUpgrade": DocumentDigest("diff", _of_change),
    "RolloutPlan": DocumentDigest("plan", _of_plan),
    "RolloutStatus": DocumentDigest("status", _of_status),
    "DriftReport": DocumentDigest("drift", _of_drift),
    "ImageReport": DocumentDigest("images", _cells_of_images, _images_of, _images_over_all),
    "CostReport": DocumentDigest("cost", _cells_of_costs, _costs_of, _costs_over_all),
}
"""The kinds of documents of which several can be joined."""
