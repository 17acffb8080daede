"""The PodUnavailableBudgets among the inputs, for every command that computes a rollout.

Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, Severity, as_warning, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_UPDATES, POD_WEBHOOK, is_on
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.budget_spec import budget_spec
from sidecarctl.engine.sidecarset.release_gaps import budget_gaps
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE
from sidecarctl.engine.sidecarset.world import Located

if TYPE_CHECKING:  # few runs have budgets
    from sidecarctl.engine.rollout.budgets import Budgets
    from sidecarctl.engine.sidecarset.budget_spec import BudgetSpec


Protection: TypeAlias = Callable[[Sequence[SimulatedPod]], "Budgets"]
"""Makes the PodUnavailableBudgets over the pods of a rollout."""


def protection_of(gates: frozenset[str], release: Release, *found: PodInputs) -> Protection | None:
    """The budgets among the inputs that hold back updates; none while the gate is off.

    InputError for a budget that Kruise could not read.
    """
    has_budgets = any(inputs.world.budgets for inputs in found)
    return budgets_among(gates, release, *found) if has_budgets and protects(gates) else None


def budgets_among(gates: frozenset[str], release: Release, *found: PodInputs) -> Protection:
    """The budgets among the inputs, whatever the gates; InputError for one that Kruise could not read."""
    from sidecarctl.engine.rollout.budgets import Budgets
    from sidecarctl.engine.rollout.covered_pods import Workloads  # few runs have budgets

    specs = [read_budget(located, release) for inputs in found for located in inputs.world.budgets]
    workloads = Workloads(owner for inputs in found for owner in inputs.owners)
    return lambda pods: Budgets(specs, workloads, pods, gates, release, fills_totals=True)


def read_budget(located: Located, release: Release, namespace: str = DEFAULT_NAMESPACE) -> "BudgetSpec":
    """The budget of a manifest; InputError, with its place, for one that the API server or Kruise rejects.

    `namespace` is the default namespace.
    """
    if problems := list(_problems(located.manifest)):
        raise InputError(*located.findings(problems))

    try:
        spec = budget_spec(located.manifest, release)
    except InputError as fault:
        raise InputError(*located.findings(fault.findings)) from None
    return spec._replace(name=spec.name._replace(namespace=located.reference.namespace or namespace))


def _problems(manifest: Object) -> Iterator[Finding]:
    yield from check(manifest.get("metadata") or {}, "meta.ObjectMeta", ("metadata",))
    for part in ("spec", "status"):
        if not isinstance(manifest.get(part) or {}, dict):
            yield _wrong((part,), "an object")
            return
    spec = manifest.get("spec") or {}
    for field in ("selector", "ignoredPodSelector"):
        yield from check(spec.get(field) or {}, "meta.LabelSelector", ("spec", field))
    for field in ("maxUnavailable", "minAvailable"):
        if not isinstance(spec.get(field, 0), int | str | None):
            yield _wrong(("spec", field), "a number or a percentage")
    if not isinstance(spec.get("protectTotalReplicas", 0), int | None):
        yield _wrong(("spec", "protectTotalReplicas"), "a number")
    if not isinstance(spec.get("targetRef") or {}, dict):
        yield _wrong(("spec", "targetRef"), "an object")
    if not _are_texts(spec.get("protectOperations") or []):
        yield _wrong(("spec", "protectOperations"), "a list of strings")


def _wrong(path: Path, expected: str) -> Finding:
    return error(Reason.WRONG_TYPE, f"expected {expected}", path)


def _are_texts(value: Value) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def gaps_of_budget(located: Located, release: Release, *, allow: bool) -> list[Finding]:
    """Findings about fields of a budget that a release does not know: errors, or with `allow` warnings."""
    found = located.findings(budget_gaps(located.manifest, release))
    return list(map(as_warning, found)) if allow else found


def budget_notes(gates: frozenset[str], *found: PodInputs) -> list[Finding]:
    """One note if the inputs have budgets, but a gate is off that Kruise needs to ask them.

    Otherwise, findings about what the release does not know of them.
    """
    budgets = [located for inputs in found for located in inputs.world.budgets]
    if not budgets:
        return []
    if protects(gates):
        world = found[0].world
        gaps = [
            gap for item in budgets for gap in gaps_of_budget(item, world.release, allow=world.rules.allow_unknown)
        ]
        notes = [gap for gap in gaps if gap.severity is Severity.NOTE]  # the first one speaks for all
        return [gap for gap in gaps if gap not in notes[1:]]
    count = len(budgets)
    many = "1 PodUnavailableBudget holds" if count == 1 else f"{count:,} PodUnavailableBudgets hold"
    message, hint = f"{many} back no update: the feature gate {POD_WEBHOOK} is off", ""
    if BUDGETS_FOR_UPDATES not in gates:
        message = f"{many} back no update: the feature gate {BUDGETS_FOR_UPDATES} is off, which is its default"
        hint = f"if it is on in your cluster, add --feature-gates {BUDGETS_FOR_UPDATES}=true"
    return budgets[0].findings([Finding(Severity.NOTE, Reason.HAS_NO_EFFECT, message, hint=hint)])


def protects(gates: frozenset[str]) -> bool:
    """Whether the gates let budgets hold back updates."""
    return BUDGETS_FOR_UPDATES in gates and is_on(POD_WEBHOOK, gates)


def budget_warnings(budgets: "Budgets", pods: Sequence[SimulatedPod]) -> list[Finding]:
    """Warnings about totals that are missing in the inputs, and about pods that more than one budget covers."""
    return [*_unknown_totals(budgets), *_covered_twice(budgets, pods)]


def _unknown_totals(budgets: "Budgets") -> Iterator[Finding]:
    for name, budget in budgets.budgets.items():
        if not budget.is_total_known and budget.spec.status.get("totalReplicas") is None:
            message = f"PUB {name}: workloads of its pods are not among the inputs; they count as none"
            hint = "add them, or the status of the PodUnavailableBudget, which records totalReplicas"
            yield warning(Reason.REPLICAS_UNKNOWN, message, hint=hint)


def _covered_twice(budgets: "Budgets", pods: Iterable[SimulatedPod]) -> Iterator[Finding]:
    if len(budgets.budgets) < 2:
        return
    told: set[object] = set()
    for pod in pods:
        names = budgets.fitting(pod)
        if len(names) > 1 and tuple(names) not in told:
            told.add(tuple(names))
            both = " and ".join(map(str, names))
            message = (
                f"{pod.name} is covered by {both}; only PUB {budgets.related_to(pod)} decides, but both count it"
            )
            yield warning(Reason.HAS_NO_EFFECT, message, hint="let each pod be covered by one PodUnavailableBudget")
