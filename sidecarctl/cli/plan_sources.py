"""What `plan` is made from, read from the files that the command line names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecarctl.cli.worlds import Sources
from sidecarctl.documents.document import Reader
from sidecarctl.facts.errors import InputError, input_error, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.gathering import Gathered, Gatherer, InputDigest, every_object
from sidecarctl.inputs.world import Located, World, readable_world, world_of
from sidecarctl.operations.plan import refuse_unreadable, without_repeated
from sidecarctl.operations.planning.canary_bases import refuse_changed_bases
from sidecarctl.operations.planning.replicas import GivenReplicas, given_replicas, unused_replicas
from sidecarctl.operations.planning.workload_pods import MadePods, Maker, context_of, unknown_label_remarks
from sidecarctl.rollout.essentials import essentials_of


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan is made from.

    `pods` are essentials; `whole` are whole manifests, where the pods were made from workloads (`synthetic`).
    """

    world: World
    pods: Sequence[Object]
    nodes: Mapping[str, Object]
    inputs: Sequence[InputDigest]
    findings: Sequence[Finding] = ()
    whole: Sequence[Object] = ()
    synthetic: bool = False
    has_workloads: bool = False


def gathered_inputs(
    sources: Sources,
    gatherer: Gatherer,
    *,
    replicas: Sequence[str],
    seed: int,
    gates: frozenset[str],
    trust_annotated_hash: bool,
    only: Sequence[str],
    live: Sequence[Input] = (),
) -> PlanInputs:
    """Everything that the files hold, of the `live` ones no set that the others have too.

    InputError for text or objects that cannot be read, ImpossibleError for a change of sets that Kruise refuses.
    """
    deciders, paths = _gathered(sources.deciders, gatherer), _gathered(sources.paths, gatherer)
    given = {_set_name(one) for one in (*deciders.deciders, *paths.deciders)} - {""}
    cluster = _gathered(live, gatherer)
    now, _ = readable_world(cluster.deciders)
    cluster.deciders = [one for one in cluster.deciders if _set_name(one) not in given]
    paths.add(cluster)
    world = world_of([*deciders.deciders, *paths.deciders], trust_annotated_hash=trust_annotated_hash)
    refuse_changed_bases(now, world)
    nodes, digests = deciders.nodes | paths.nodes, [*deciders.inputs, *paths.inputs]
    if not sources.older:
        if replicas:
            raise usage_error("--replicas says how many pods a workload has, which only --from OLD asks for")
        refuse_unreadable(world, paths.unreadable, only)
        pods = without_repeated(paths.pods)
        return PlanInputs(world, pods, nodes, digests, has_workloads=bool(paths.workloads))
    older = _gathered(sources.older, gatherer)
    made = _made_pods(older, paths, world, gatherer, given_replicas(replicas), gates=gates, seed=seed)
    pods = without_repeated(essentials_of(pod, gatherer.namespace) for pod in made.pods)
    return PlanInputs(world, pods, nodes, [*digests, *older.inputs], tuple(made.findings), made.pods, synthetic=True)


def _set_name(found: Located) -> str:
    """The name of a SidecarSet; empty for anything else."""
    return found.reference.name if found.reference.kind == "SidecarSet" else ""


def _made_pods(
    older: Gathered,
    paths: Gathered,
    world: World,
    gatherer: Gatherer,
    given: GivenReplicas,
    *,
    gates: frozenset[str],
    seed: int,
) -> MadePods:
    """The pods of the workloads, injected by the sets as they were."""
    if len(paths.pods) > sum(one.reference.kind == "Pod" for one in paths.workloads):
        raise usage_error("--from makes pods of workloads, but there are pods with a status among PATHS")
    if unused := unused_replicas(given, paths.workloads, gatherer.namespace):
        raise usage_error(f"--replicas {unused[0]}: there is no such workload among PATHS")
    old = world_of(older.deciders)
    if not old.sidecarsets:
        raise input_error(Reason.NO_SIDECARSET, "there is no SidecarSet in what --from names")
    refuse_changed_bases(old, world)
    context = context_of(old.sidecarsets, {**world.namespaces, **old.namespaces}, gates, seed)
    made = Maker(context, gatherer.namespace, gatherer.workloads, given).pods(paths.workloads)
    for each in (old, world):
        for one in each.sidecarsets:
            made.findings += each.sources[one.name].findings(unknown_label_remarks(one))
    return made


def whole_pods(inputs: Sequence[Input], reader: Reader) -> Iterator[Object]:
    """All pods of the inputs once more, whole."""
    for source in inputs:
        for found in every_object(source.name, source.blocks, reader):
            if isinstance(found, Located) and found.reference.kind == "Pod":
                yield found.manifest


def _gathered(sources: Sequence[Input], gatherer: Gatherer) -> Gathered:
    together = Gathered()
    for source in sources:
        together.add(gatherer.gathered(source.name, source.blocks))
    if together.failures:
        raise InputError(*together.failures)
    return together
