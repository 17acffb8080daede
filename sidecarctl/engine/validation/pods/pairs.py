"""Each given pod twice, the app alone and as it will run, so that a rule reports only what injection causes.

A rule is a function of one pair and of the other objects in its namespace; here its findings are gathered, and equal
ones over many pods are merged.

Source: docs/behavior/injection.md, "What is written".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, Value, path_text, value_at
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_native_sidecar
from sidecarctl.engine.sidecarset.world import GivenPod, World
from sidecarctl.engine.validation.pods.matched import namespace_of
from sidecarctl.engine.validation.pods.running import Collapsed, Run, in_pods

LISTS = ("containers", "initContainers")
_ENDED = ("Succeeded", "Failed")


class Container(NamedTuple):
    """A container of a pod in typed form, in which list it is and where.

    `set_name` is the SidecarSet that brings it, empty for the app's own; `path` is its own in that SidecarSet, as
    far as it is there, and `own_name` its name there.
    """

    field: str
    position: int
    value: Object
    set_name: str = ""
    path: Path = ()
    own_name: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        name: str = self.value.get("name", "")
        return name

    @property
    def title(self) -> str:
        """Its name in its SidecarSet for messages; both halves of a HotUpgrade pair have the same."""
        return self.own_name or self.name

    @property
    def in_pod(self) -> Path:
        """Its path in the pod."""
        return ("spec", self.field, self.position)

    @property
    def runs_on(self) -> bool:
        """Whether it runs as long as the app does."""
        return self.field == "containers" or is_native_sidecar(self.value)


class Caused(NamedTuple):
    """What injection causes: the SidecarSet that is to blame, the finding in it, and the field of the given pod.

    `refused`: the field of the injected pod that the API server names, which differs from pod to pod.
    """

    set_name: str
    finding: Finding
    in_pod: Path = ()
    refused: Path = ()


class Pair(NamedTuple):
    """A pod without and with its sidecars; both are specs in typed form.

    - `app`, `all`: the containers of both, those of `containers` first.
    - `replaced`: names of the app's own containers that sidecars took the place of, with their list.
    - `sets`: the SidecarSets that inject something; `recorded`: those that the pod was injected with before.
    - `bringing`: the SidecarSets that bring a container or init container of a name: of more than one, the API server
      refuses the pod.
    """

    given: GivenPod
    alone: Object
    spec: Object
    app: Sequence[Container]
    all: Sequence[Container]
    replaced: Sequence[Container]
    sets: Mapping[str, SidecarSet]
    recorded: frozenset[str]
    bringing: Mapping[str, frozenset[str]]

    @property
    def namespace(self) -> str:
        """The namespace of the pod."""
        return namespace_of(self.given.manifest)

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the pod."""
        return (self.given.manifest.get("metadata") or {}).get("labels") or {}

    @property
    def sidecars(self) -> list[Container]:
        """The containers that SidecarSets bring."""
        return [container for container in self.all if container.set_name]

    def cause(self, container: Container, path: Path, finding: Finding, in_pod: Path = ()) -> Caused:
        """A finding about a field of a sidecar, at the field of its SidecarSet, or the next that is there."""
        return self.cause_in_set(container.set_name, (*container.path, *path), finding, in_pod)

    def cause_in_set(self, set_name: str, path: Path, finding: Finding, in_pod: Path = ()) -> Caused:
        """A finding about a field of a SidecarSet, or the next one around it that is there."""
        spec = {"spec": self.sets[set_name].spec}
        while path and value_at(spec, path) is None:
            path = path[:-1]
        return Caused(set_name, finding._replace(path=path), in_pod)


class Beside:
    """The objects among the inputs, by kind and namespace, and other facts that all pairs share."""

    def __init__(self, world: World) -> None:
        self.gates = world.gates
        self.kubernetes = world.rules.kubernetes
        self.namespaces = world.namespaces
        self._objects: dict[tuple[str, str], list[Object]] = {}
        for kind, objects in world.objects.items():
            for item in objects:
                self._objects.setdefault((kind, namespace_of(item)), []).append(item)

    def of(self, kind: str, namespace: str) -> Sequence[Object]:
        """The objects of a kind in a namespace."""
        return self._objects.get((kind, namespace), ())


def has_ended(pod: Object) -> bool:
    """Whether a pod of a dump no longer runs."""
    return (pod.get("status") or {}).get("phase") in _ENDED


Check = Callable[[Pair, Beside], Iterator[Caused]]


class Pairs:
    """What the checks find in pairs, which are made of one pod after the other, and not kept."""

    def __init__(self, world: World, checks: Sequence[Check]) -> None:
        self._beside = Beside(world)
        self._sets = {sidecarset.name: sidecarset for sidecarset in world.sidecarsets}
        self._checks = checks
        self._found: Collapsed[Caused] = Collapsed()

    def add(self, run: Run) -> None:
        """Look at the next pod, if it gets a sidecar and has not ended."""
        if not (run.admitted and run.injection.containers) or has_ended(run.given.manifest):
            return
        pair = pair_of(run.given, run.admitted.pod, run.injection, self._sets)
        if not pair.sidecars:  # those of a SidecarSet without a name, which is rejected
            return
        found = (item for check in self._checks for item in check(pair, self._beside))
        self._found.add(run.given, (((item.set_name, *item.finding), item) for item in found))

    def findings(self) -> Iterator[tuple[str, Finding]]:
        """The findings, with the name of the SidecarSet: each once, with its first pod."""
        for item, pod, more in self._found:
            message = f"{item.finding.message} {in_pods(pod, more)}"
            place = pod.place((*pod.path, *item.in_pod))
            named = f"the API server names {path_text(item.refused)}" if item.refused else ""
            seen = f"see {place}" if place else ""
            hint = "; ".join(filter(None, (item.finding.hint, named, seen)))  # a baseline keeps the message
            yield item.set_name, item.finding._replace(message=message, hint=hint)


def pair_of(given: GivenPod, pod: Object, injection: PodInjection, sets: Mapping[str, SidecarSet]) -> Pair:
    """A given pod, and that pod as injected; `sets` are at least the SidecarSets that inject something, by name."""
    brought = {(item.field, item.name): item for item in injection.containers}
    bringing: dict[str, frozenset[str]] = {}
    for item in injection.containers:
        bringing[item.name] = bringing.get(item.name, frozenset()) | {item.set_name}
    before = typed(given.manifest.get("spec") or {}, "core.PodSpec")
    after = typed(pod["spec"], "core.PodSpec")
    own = [
        item  # not one that was injected before, as the pods of a dump have
        for item in containers_of(before)
        if (item.field, item.name) not in brought or not is_injected(item.value)
    ]
    annotations = (given.manifest.get("metadata") or {}).get("annotations") or {}
    names = {item.set_name for item in injection.containers}
    every = [
        _brought(item, found.set_name, sets[found.set_name].spec)
        if (found := brought.get((item.field, item.name)))
        else item
        for item in containers_of(after)
    ]
    return Pair(
        given,
        before | {field: [item.value for item in own if item.field == field] for field in LISTS},
        after,
        own,
        every,
        [item for item in own if (item.field, item.name) in brought and brought[item.field, item.name].replaces],
        {name: sets[name] for name in names},
        frozenset(injected_sets(annotations.get(INJECTED_LIST))),
        bringing,
    )


def _brought(container: Container, set_name: str, spec: Object) -> Container:
    path = _path_in(spec, container)
    own: Object = value_at({"spec": spec}, path) if len(path) > 2 else {}
    return container._replace(set_name=set_name, path=path, own_name=own.get("name", ""))


def containers_of(spec: Object) -> list[Container]:
    """The containers of a spec in typed form, as those of the app."""
    return [Container(field, index, item) for field in LISTS for index, item in enumerate(spec.get(field) or ())]


def _path_in(spec: Object, container: Container) -> Path:
    """The container of a SidecarSet that a container of a pod comes from, by name or HotUpgrade pair."""
    for known in (container.name, container.name[:-2]):
        for index, item in enumerate(spec.get(container.field) or ()):
            if item.get("name") == known:
                return ("spec", container.field, index)
    return ("spec", container.field)


def mapping(value: Value) -> Object:
    """A value as an object; empty if it is not one, since objects other than pods are not type-checked."""
    return value if isinstance(value, dict) else {}


def items(value: Value) -> list[Value]:
    """A value as a list; empty if it is none."""
    return value if isinstance(value, list) else []


def objects(value: Value) -> list[Object]:
    """The objects of a list; none if it is no list."""
    return [item for item in items(value) if isinstance(item, dict)]
