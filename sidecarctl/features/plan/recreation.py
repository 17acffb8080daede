"""How to recreate pods, as commands of kubectl, in waves: for people, and in the document of a plan."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from sidecarctl.engine.api.canonical import compact
from sidecarctl.engine.facts.findings import reference_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.render.blocks import PodGroup, Section

if TYPE_CHECKING:  # few plans ask for it
    from sidecarctl.engine.rollout.recreating import Recreations, RecreationStep

_MOST_WAVES = 20
_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
_WITHIN = "--timeout=10m"


def commands(step: "RecreationStep") -> Iterator[str]:
    """The commands of a step, for a shell: what replaces its pods, and what waits for the new ones."""
    resource, namespace = _resource(step), f"-n {quote(step.workload.namespace)}"
    match step.way:
        case "restart":
            yield f"kubectl rollout restart {resource} {namespace}"
            yield f"kubectl rollout status {resource} {namespace}"
            return
        case "annotate":
            begin, end = f'{{"spec":{{"template":{{"metadata":{{"annotations":{{"{_RESTARTED_AT}":"', '"}}}}}'
            patch = f"'{begin}'\"$(date -u +%FT%TZ)\"'{end}'"
            yield f"kubectl patch {resource} {namespace} --type merge -p {patch}"
            seen = f"\"$(kubectl get {resource} {namespace} -o jsonpath='{{.metadata.generation}}')\""
            yield _reached(step, "observedGeneration", seen)
            yield _reached(step, "updatedNumberScheduled" if _is_daemonset(step) else "updatedReplicas")
        case _ if step.workload.kind == "StatefulSet":  # a new pod has the old name: one that is late is not missed
            for pod in step.pods:
                yield from (_evict(pod), _gone([pod], namespace))
        case _:
            yield from map(_evict, step.pods)
            yield _gone(step.pods, namespace)
    yield _reached(step, "numberReady" if _is_daemonset(step) else "readyReplicas")


def _is_daemonset(step: "RecreationStep") -> bool:
    return step.workload.kind == "DaemonSet"


def _reached(step: "RecreationStep", field: str, value: str = "") -> str:
    """What waits until a field of the workload's status has a value, or the number of its pods."""
    condition = f"--for=jsonpath='{{.status.{field}}}'={value or step.number}"
    return f"kubectl wait {condition} {_resource(step)} -n {quote(step.workload.namespace)} {_WITHIN}"


def _gone(pods: Sequence[PodName], namespace: str) -> str:
    names = " ".join(quote(f"pod/{pod.name}") for pod in pods)
    return f"kubectl wait --for=delete {names} {namespace} {_WITHIN}"


def _evict(pod: PodName) -> str:
    path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/eviction"
    return f"echo {quote(compact(_eviction(pod)))} | kubectl create --raw {quote(path)} -f -"


def _eviction(pod: PodName) -> Object:
    metadata = {"name": pod.name, "namespace": pod.namespace}
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}


def _resource(step: "RecreationStep") -> str:
    """`deployment/web`, `cloneset.apps.kruise.io/web`: what kubectl calls a workload."""
    group = step.workload.api_version.rpartition("/")[0]
    kind = step.workload.kind.lower() + ("" if group in ("", "apps") else f".{group}")
    return quote(f"{kind}/{step.workload.name}")


def recreation_section(found: "Recreations") -> Section:
    """A group for each wave with its commands, and for the pods that are not recreated."""
    groups = [_wave(place, wave) for place, wave in enumerate(found.waves[:_MOST_WAVES], 1)]
    if more := found.waves[_MOST_WAVES:]:
        names = tuple(name for wave in more for step in wave for name in step.pods)
        groups.append(PodGroup(f"{number(len(names))} in {number(len(more), 'more wave')}: see -o json", (), names))
    groups += [PodGroup(f"{number(len(kept.pods))} not recreated: {kept.why}", (), kept.pods) for kept in found.kept]
    return Section("Recreation", recreation_sentence(found), tuple(groups), mood="held", is_ending=True)


def recreation_sentence(found: "Recreations") -> str:
    """`7 pods of 3 workloads in 2 waves; 1 pod is not recreated`, as a sentence, and what is assumed."""
    steps = [step for wave in found.waves for step in wave]
    pods = sum(len(step.pods) for step in steps)
    workloads = number(len({step.workload for step in steps}), "workload")
    said = f"{number(pods)} of {workloads} in {number(len(found.waves), 'wave')}" if pods else "No pod is recreated"
    kept = len({name for each in found.kept for name in each.pods})
    left = f"; {number(kept)} {'is' if kept == 1 else 'are'} not recreated" if kept and pods else ""
    unknown = "" if found.knows_budgets or not pods else "; no budget of evictions is among the inputs"
    return f"{said}{left}{unknown}."


def _wave(place: int, wave: "Sequence[RecreationStep]") -> PodGroup:
    names = tuple(name for step in wave for name in step.pods)
    down = sum(step.down for step in wave)
    script = tuple(line for step in wave for line in (_comment(step), *commands(step)))
    return PodGroup(f"{number(len(names))} in wave {place}: {down:,} down at most", (), names, script)


def _comment(step: "RecreationStep") -> str:
    """`# Deployment shop/web (agent: NotUpgradable)`: a comment for the shell."""
    why = f"; evicted: {step.why}" if step.why else ""
    said = f"# {step.workload} ({', '.join(step.causes)}{why})"
    return " ".join(said.splitlines())  # the rest of a name would be a command


def recreation_data(found: "Recreations") -> Object:
    """The waves with their commands, and the pods that are left."""
    return {
        "message": recreation_sentence(found),
        "waves": [{"steps": [_step(step) for step in wave]} for wave in found.waves],
        "notRecreated": [{"why": kept.why, "pods": [_name(name) for name in kept.pods]} for kept in found.kept],
    }


def _step(step: "RecreationStep") -> Object:
    return {
        "workload": reference_json(step.workload),
        "way": str(step.way),
        "causes": list(step.causes),
        **({"why": step.why} if step.why else {}),
        "mostUnavailable": step.down,
        "pods": [_name(name) for name in step.pods],
        "commands": list(commands(step)),
    }


def _name(name: PodName) -> Object:
    return {"namespace": name.namespace, "name": name.name}
