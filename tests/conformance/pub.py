"""Operation `pub`: PodUnavailableBudgets in front of updates, step by step or during a whole rollout."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Literal

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.budget_pods import OLD_RELATED, RELATED, UNAVAILABLE_LABEL, related_budget
from sidecarctl.engine.rollout.budgets import Budgets, Operation
from sidecarctl.engine.rollout.covered_pods import Workloads
from sidecarctl.engine.rollout.facts import BudgetNumbers
from sidecarctl.engine.rollout.kubelet import image_id
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.budget_spec import KIND, budget_spec
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from tests.conformance.cases import NOW, Case
from tests.conformance.difference import first_difference
from tests.conformance.rollout import written

_DENIED = 'admission webhook "vpod.kb.io" denied the request: '


def run(case: Case) -> str | None:
    """The numbers of the budgets at the start, and all that follows."""
    got = _rollout(case) if "rollout" in case.params else Cluster(case).run()
    return first_difference(case.expect, got)


class Cluster:
    """A cluster whose pods are changed step by step; nothing runs on its own."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.now = 0
        self.pods = _pods(case)
        self.budgets = _budgets(case, self.pods)
        self.gates = case.params.get("gates") or []
        if case.params.get("created"):
            for pod in self.pods:
                _relate(pod, self.budgets.create(pod))
        if case.params.get("given"):
            self.budgets.take_over(NOW)
        else:
            self.reconcile()

    def run(self) -> Object:
        """The expectation that this cluster meets."""
        start = {"start": _written(self.budgets.numbers()), "related": _related(self.pods, self.case)}
        return {**start, "steps": [self.step(step) for step in self.case.params["steps"]]}

    def step(self, step: Object) -> Object:
        """One step, and the numbers after it."""
        outcome: Object = {}
        if "update" in step or "delete" in step:
            outcome = self.ask(step)
        elif "reconcile" in step:
            self.reconcile()
        elif "wait" in step:
            self.now += step["wait"]
        else:
            for name in step.get("ready") or step["unready"]:
                self.change(name, _reported(self.pod(name).manifest, ready="ready" in step))
        return {**outcome, "pubs": _written(self.budgets.numbers())}

    def pod(self, name: str) -> SimulatedPod:
        """The pod of a name NAMESPACE/NAME."""
        return next(pod for pod in self.pods if str(pod.name) == name)

    def change(self, name: str, manifest: Object) -> None:
        """Store another manifest of a pod."""
        index = self.pods.index(self.pod(name))
        self.pods[index] = SimulatedPod(self.pods[index].index, manifest)

    def reconcile(self) -> None:
        """A run of the controller; it writes the annotation of pods that have none."""
        self.budgets.reconcile(self.now)
        for pod in self.pods:
            if pod.index in self.budgets.related:
                _relate(pod, self.budgets.related[pod.index])
        self.budgets.related.clear()

    def ask(self, step: Object) -> Object:
        """An update or a deletion, and what its client gets."""
        name = step.get("update") or step["delete"]
        pod = self.pod(name)
        after = _updated(pod.manifest, step) if "update" in step else None
        message = self._message(pod, after, dry_run=bool(step.get("dryRun")))
        if message:
            return {"allowed": False, "code": 403, "message": message, "error": _DENIED + message}
        if not step.get("dryRun"):
            if after is None:
                self.pods.remove(pod)
            else:
                self.change(name, after)
        return {"allowed": True}

    def _message(self, pod: SimulatedPod, after: Object | None, *, dry_run: bool) -> str:
        operation: Operation | Literal[""] = "DELETE" if after is None else _update_kind(pod.manifest, after)
        if not operation or (
            after and not related_budget(after["metadata"].get("annotations") or {}, self.case.release)
        ):
            return ""
        budget = self.budgets.guard(pod, operation, resize_gate="InPlacePodVerticalScaling" in self.gates)
        return self.budgets.take_place(budget, pod, self.now, operation, dry_run=dry_run) if budget else ""


def _pods(case: Case) -> list[SimulatedPod]:
    found = [deepcopy(item) for item in case.objects if item["kind"] == "Pod"]
    return [SimulatedPod(index, manifest) for index, manifest in enumerate(found)]


def _budgets(case: Case, pods: Sequence[SimulatedPod]) -> Budgets:
    specs = [budget_spec(item, case.release) for item in case.objects if item["kind"] == KIND]
    workloads = Workloads(item for item in case.objects if item["kind"] not in ("Pod", KIND, "SidecarSet"))
    return Budgets(specs, workloads, pods, case.params.get("gates") or [], case.release)


def _relate(pod: SimulatedPod, budget: str) -> None:
    if budget:
        pod.manifest["metadata"].setdefault("annotations", {}).update({RELATED: budget, OLD_RELATED: budget})
        pod.annotations = pod.manifest["metadata"]["annotations"]


def _related(pods: Iterable[SimulatedPod], case: Case) -> Object:
    return {str(pod.name): related_budget(pod.annotations, case.release) for pod in pods}


def _updated(manifest: Object, step: Object) -> Object:
    if "merge" in step:
        merged: Object = _merged(manifest, step["merge"])
        return merged
    changed = deepcopy(manifest)
    containers = changed["spec"]["containers"]
    chosen = next((item for item in containers if item["name"] == step.get("container")), containers[0])
    chosen["image"] = step["image"]
    return changed


def _merged(value: Value, patch: Value) -> Value:
    """What a JSON merge patch makes of a value."""
    if not isinstance(patch, dict):
        return patch
    members = dict(value) if isinstance(value, dict) else {}
    for key, member in patch.items():
        if member is None:
            members.pop(key, None)
        else:
            members[key] = _merged(members.get(key), member)
    return members


def _reported(manifest: Object, *, ready: bool) -> Object:
    """The pod as its kubelet reports it: what the spec says, ready; or not ready anymore."""
    changed = deepcopy(manifest)
    images = {item["name"]: item["image"] for item in changed["spec"]["containers"]}
    for status in changed["status"].get("containerStatuses") or () if ready else ():
        image = images[status["name"]]
        status.update({"image": image, "imageID": image_id(image), "ready": True})
    for condition in changed["status"].get("conditions") or ():
        if condition["type"] == "Ready":
            condition["status"] = "True" if ready else "False"
    return changed


def _written(found: Iterable[BudgetNumbers]) -> Object:
    return {numbers.name.name: dict(_members(numbers)) for numbers in found}


def _members(numbers: BudgetNumbers) -> Iterator[tuple[str, object]]:
    yield "totalReplicas", numbers.total
    yield "desiredAvailable", numbers.desired
    yield "currentAvailable", numbers.current
    yield "unavailableAllowed", numbers.allowed
    if numbers.unavailable:
        yield "unavailablePods", list(numbers.unavailable)
    if numbers.disrupted:
        yield "disruptedPods", list(numbers.disrupted)


def _rollout(case: Case) -> Object:
    (sidecarset,) = [admit(item, case.release) for item in case.objects if item["kind"] == "SidecarSet"]
    failing = set(case.params.get("fail") or ())
    options = ClusterBehavior(
        duration=case.params.get("duration") or 1,
        fails=lambda pod: pod.name in failing,
        round_seconds=case.params.get("roundSeconds") or 15,
    )
    budgets = _budgets(case, pods := _pods(case))
    budgets.reconcile(0)
    related = {str(pod.name): budgets.related_to(pod) for pod in pods}
    simulation = Simulation(
        [target_of(sidecarset, revision_name(sidecarset), now=NOW)],
        [item for item in case.objects if item["kind"] == "Pod"],
        {},
        options,
        lambda read: _budgets(case, read),
    )
    got: Object = {"start": _written(budgets.numbers()), "related": related, "rounds": list(_rounds(simulation))}
    return {**got, "stuck": True} if any(item.refusal for item in simulation.outcomes()) else got


def _rounds(simulation: Simulation) -> Iterator[Object]:
    for recorded in simulation.rounds():
        refused: Object = {}
        if recorded.refusal:
            message = recorded.refusal.message
            refused["error"] = _DENIED + message
            refused["refused"] = [{"pod": str(recorded.refusal.pod), "message": message}]
        yield {**written(recorded, with_annotations=False), **refused, "pubs": _written(recorded.budgets)}


def _update_kind(before: Object, after: Object) -> Literal["UPDATE", "RESIZE", ""]:
    """`UPDATE`, or `RESIZE` if only cpu and memory of containers change in place; empty if the update is free."""
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if old == new:
        labels = ((item.get("metadata") or {}).get("labels") or {} for item in (before, after))
        had, has = (any(key.startswith(UNAVAILABLE_LABEL) for key in found) for found in labels)
        return "UPDATE" if has and not had else ""
    return "RESIZE" if _is_resize(old, new) else "UPDATE"


def _is_resize(old: Object, new: Object) -> bool:
    if {**old, "containers": ()} != {**new, "containers": ()}:
        return False
    containers, changed = old.get("containers") or [], new.get("containers") or []
    return len(containers) == len(changed) and all(map(_is_resized, containers, changed))


def _is_resized(old: Object, new: Object) -> bool:
    if {**old, "resources": None} != {**new, "resources": None}:
        return False
    restarts = {
        item.get("resourceName")
        for item in old.get("resizePolicy") or ()
        if item.get("restartPolicy") != "NotRequired"
    }
    return _changed(old.get("resources") or {}, new.get("resources") or {}) <= {"cpu", "memory"} - restarts


def _changed(old: Object, new: Object) -> set[str]:
    return {
        name
        for part in ("limits", "requests")
        for name in {**(old.get(part) or {}), **(new.get(part) or {})}
        if (old.get(part) or {}).get(name) != (new.get(part) or {}).get(name)
    }
