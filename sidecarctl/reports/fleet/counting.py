"""What `images`, `cost` and `diff` count over all clusters, in lines."""

from collections.abc import Iterator

from sidecarctl.api.pod_resources import read_quantities
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.pod_effects import CostChange
from sidecarctl.operations.counting.costs import NamespaceCost, SetCost
from sidecarctl.operations.counting.images import ImageUse, Role, SetImages, Way
from sidecarctl.operations.fleet.matrix import FleetFacts
from sidecarctl.operations.fleet.rows import DIGESTS
from sidecarctl.reports.costs import cost_tables, have_sentence
from sidecarctl.reports.diff.sentences import cost_sentence
from sidecarctl.reports.images import set_lines
from sidecarctl.reports.output import Page
from sidecarctl.rollout.summary.sentences import number


def counted_sentence(facts: FleetFacts) -> str:
    """What sidecars request in all clusters, or request more after a change; empty for other commands."""
    every = DIGESTS[facts.kind].overall(facts.clusters)
    if facts.command == "diff" and (cost := every.get("cost")):
        change = CostChange(read_quantities(cost["change"]), cost["changedPods"], running=cost["pods"] == "running")
        return f"sidecars request {cost_sentence(change)}, in {number(cost['clusters'], 'cluster')}"
    return have_sentence(_total("", every["total"])) if facts.command == "cost" else ""


def counted_lines(facts: FleetFacts, page: Page) -> Iterator[str]:
    """The images over all clusters, or the costs by cluster and by SidecarSet; nothing for other commands."""
    every = DIGESTS[facts.kind].overall(facts.clusters)
    if facts.command == "images":
        for item in every["images"]:
            yield from set_lines(_images(item), page)
    elif facts.command == "cost":
        clusters = [_total(row.name, row.further["total"]) for row in facts.clusters]
        sets = [SetCost(item["name"], "", item["pods"], read_quantities(item["added"])) for item in every["costs"]]
        yield from cost_tables(_total("", every["total"]), sets, clusters, "CLUSTER", page.width)


def _images(item: Object) -> SetImages:
    uses = [
        ImageUse(
            use["container"],
            Role(use["role"]),
            use["image"],
            use["wanted"],
            Way(use["way"]),
            use["states"],
            use["digests"],
        )
        for use in item["images"]
    ]
    return SetImages(item["name"], uses, item["ways"], item["leftOut"])


def _total(name: str, item: Object) -> NamespaceCost:
    """The cost of a cluster, instead of a namespace."""
    resources = (read_quantities(item[key]) for key in ("all", "added"))
    return NamespaceCost(name, item["pods"], item["injectedPods"], *resources)
