"""The head of a SidecarSet in the reports of a plan: the important numbers, each with a label."""

from collections.abc import Iterator

from sidecarctl.operations.plan import PlanFacts
from sidecarctl.operations.planning.deciding import texts_of
from sidecarctl.reports.plan.rows import images_of, short_image
from sidecarctl.rollout.summary.ending_sentences import number
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan

_MOST_IMAGES = 6


def head_rows(facts: PlanFacts, rollout: SetRolloutPlan) -> Iterator[tuple[str, str]]:
    """Label and text; the label is empty if it repeats."""
    before, window, origins = rollout.before, rollout.window, facts.origins.get(rollout.target.name, {})
    images = images_of(rollout)
    for container, old, new in images[:_MOST_IMAGES]:
        yield "image", f"{container}: {old} -> {short_image(old, new)}"
    if len(images) > _MOST_IMAGES:
        yield "", f"and {number(len(images) - _MOST_IMAGES, 'further change')}"
    made = " (made from workloads)" if facts.synthetic else ""
    left = f"; {len(rollout.left_out):,} left out" if rollout.left_out else ""
    yield "pods", f"{before.matched:,} matched{made}: {before.updated:,} updated, {before.ready:,} ready{left}"
    kept = f"holds back {window.partition_pods:,}"
    yield "partition", f"{_written(window.partition)}: {kept}{_from(origins.get('partition'))}"
    most = f"{window.max_unavailable_pods:,} at a time, {rollout.unavailable_before:,} taken at the start"
    from_where = _from(origins.get("maxUnavailable"))
    yield "maxUnavailable", f"{_written(window.max_unavailable)}: {most}{from_where}"
    yield from texts_of(facts.deciding.get(rollout.target.name, ()))
    yield "most unavailable", f"{number(rollout.outcome.largest_unavailable)} at once"
    if rollout.ties:
        yield (
            "order",
            f"{number(rollout.ties)} rank equally; Kruise does not define their order, so input order is used",
        )


def _written(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _from(origin: str | None) -> str:
    return f" ({origin or 'default'})"
