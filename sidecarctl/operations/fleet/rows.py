"""What a cluster's own JSON document says of each SidecarSet: the row of the cluster.

A run over several clusters uses only this document of each cluster, and so does `merge`. So both give the
same, and the row of a cluster is what a run over that cluster alone reports.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, natural
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.drifting.drifts import DriftState
from sidecarctl.operations.fleet import counting
from sidecarctl.operations.fleet.cells import Cell, ClusterRow
from sidecarctl.rollout.summary.pod_states import PodState


class Digest(NamedTuple):
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
        document["behaviour"],
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


DIGESTS: Mapping[str, Digest] = {
    "ValidationResult": Digest("validate", _of_validation, _suppressed),
    "SidecarSetDiff": Digest("diff", _of_change, counting.change_of, counting.changes_over_all),
    "InjectionDiff": Digest("diff", _of_change, counting.change_of, counting.changes_over_all),
    "KruiseUpgrade": Digest("diff", _of_change),
    "RolloutPlan": Digest("plan", _of_plan),
    "RolloutStatus": Digest("status", _of_status),
    "DriftReport": Digest("drift", _of_drift),
    "ImageReport": Digest("images", counting.cells_of_images, counting.images_of, counting.images_over_all),
    "CostReport": Digest("cost", counting.cells_of_costs, counting.costs_of, counting.costs_over_all),
}
"""The kinds of documents of which several can be joined."""
