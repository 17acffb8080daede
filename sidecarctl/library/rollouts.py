"""Changes and rollouts of inputs that were read before, as `diff` and `plan` compute them."""

from sidecarctl.engine.comparing.judged_changes import SetDiff
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.inputs.opening import Live
from sidecarctl.engine.inputs.pods import PodInputs, is_pod_to_be
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.rollout.facts import Round
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.pod_budgets import protection_of
from sidecarctl.engine.rollout.simulated import rollout_inputs, simulated
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, ends_at
from sidecarctl.engine.rollout.summary.sentences import ending_sentence
from sidecarctl.engine.rollout.workload_pods import rollout_of_workloads
from sidecarctl.features.diff.versions import compared_inputs
from sidecarctl.features.plan.plan_basis import without_refused_changes
from sidecarctl.library.answers import Change, Rollout, RolloutPod, Wave


def changes(old: PodInputs, new: PodInputs, how: Reading, gates: frozenset[str]) -> tuple[Change, ...]:
    """What the differences between two versions mean, a change for each SidecarSet of either, by name."""
    report = compared_inputs((old, new, PodInputs(), ()), how, gates, always=True)
    return tuple(map(_change, report.facts.sets))


def _change(item: SetDiff) -> Change:
    rollout, moves = item.rollout, item.moves
    return Change(
        item.change.name,
        tuple(map(str, item.change.verdicts)),
        item.change.words,
        tuple(field.text for field in item.change.fields),
        rollout and rollout.matched,
        rollout and rollout.updated,
        rollout and rollout.recreate,
        None if moves is None else len(moves.lost),
        None if moves is None else len(moves.gained),
        tuple(item.change.findings),
    )


def rollout_of(
    name: str, new: PodInputs, old: PodInputs, how: Reading, options: PlanOptions, gates: frozenset[str]
) -> Rollout:
    """The rollout of a SidecarSet over running pods; without any, over those of workloads under the old SidecarSets.

    UsageError for an unknown SidecarSet, ImpossibleError if Kruise rejects the change.
    """
    names = [sidecarset.name for sidecarset in new.world.sidecarsets]
    if name not in names:
        raise usage_error(f"SidecarSet {name} not found", hint=f"SidecarSets: {', '.join(names)}")
    runs = any(not is_pod_to_be(pod) for pod in new.pods)
    if runs:
        inputs = rollout_inputs(new, Live())
    else:
        inputs, _ = rollout_of_workloads(new, old, how, (), gates, 0)
    inputs = inputs._replace(protection=protection_of(gates, how.release, new))
    inputs, options = without_refused_changes(inputs, old.world, options, gates)
    made = simulated(inputs, options)
    [planned] = made.sets
    return Rollout(
        name,
        str(planned.outcome.ending),
        ending_sentence(planned),
        planned.outcome.status.matched,
        planned.outcome.status.updated,
        tuple(_wave(wave, made) for wave in planned.waves),
        planned.outcome.largest_unavailable,
        ends_at(planned, options.step_seconds) if options.step_seconds else None,
        tuple(planned.remarks),
    )


def _wave(wave: Round, made: Plan) -> Wave:
    pods = (made.pods[patch.pod_index] for patch in wave.patches)
    return Wave(wave.number, tuple(RolloutPod(*pod.name, dict(pod.labels)) for pod in pods))
