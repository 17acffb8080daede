"""Who put a field into a pod: a SidecarSet with the field that says so, Kruise, the API server, or the workload.

SidecarSets write containers, volumes, pull secrets and annotations; app containers and labels are never theirs.

Source: docs/behavior/injection.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.comparing.brought_items import full_volume
from sidecarctl.engine.comparing.outdated import Outdated, new_pod_version, record_of
from sidecarctl.engine.facts.errors import SidecarctlError, usage_error
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value, path_text, value_at
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.pod.pod_view import NAME as INJECTED_MARK
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.selection import labels_of, select
from sidecarctl.engine.injection.webhook_steps import BARRIER
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.engine.sidecarset.defaults import with_container_defaults
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HashEntry, read_hashes
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.engine.sidecarset.revisions.revision_restoring import known_revisions
from sidecarctl.engine.sidecarset.sets import SidecarSet, names_in_pods
from sidecarctl.engine.sidecarset.world import Located, World
from sidecarctl.features.explain.subjects import Subject
from sidecarctl.features.plan.rows import item_text

_STEP = lazy_pattern(r'(?:^|\.)([A-Za-z0-9_/-]+)|\["?([^\]"]+)"?\]')
_KEYS = ("name", "mountPath", "devicePath", "containerPort", "ip", "key")
_LISTS = ("containers", "initContainers")
_ADDED = ("volumes", "imagePullSecrets")
_KRUISE = "kruise.io/"
_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path: what every live pod has there

Steps = tuple[str, ...]
"""A path whose items are named: `spec`, `containers`, `web`, `env`, `TZ`."""


class FieldOrigin(NamedTuple):
    """A field of a pod: its value (None if the pod has none), its owner, and the field of the owner with its place.

    `why` says what else there is to know.
    """

    path: str
    value: Value
    whose: str
    field: str = ""
    place: Place | None = None
    why: str = ""


def _steps_of(text: str) -> Steps | None:
    """The steps of `spec.containers[web].env[TZ]`, also below `spec.template`; None for what is no path."""
    if not text or _STEP.sub("", text):
        return None
    steps = tuple(name or item for name, item in _STEP.findall(text))
    return steps[2:] if steps[:2] == ("spec", "template") else steps


def resolved(value: Value, steps: Steps) -> tuple[Path, Value] | None:
    """The path of a field whose list items are named, or counted; and its value."""
    path: list[str | int] = []
    for step in steps:
        found: str | int | None = step if isinstance(value, dict) and step in value else None
        if isinstance(value, list):
            found = _index(value, step)
        if found is None:
            return None
        path.append(found)
        value = value[found]
    return tuple(path), value


def _index(items: list[Value], step: str) -> int | None:
    for index, item in enumerate(items):
        members = [item.get(key) for key in _KEYS] if isinstance(item, dict) else [item]
        if step in (str(member) for member in members if member is not None):
            return index
    return int(step) if step.isdigit() and int(step) < len(items) else None


class _Writer(NamedTuple):
    """A SidecarSet as a pod has it; `note` says which revision that is, if it is not the current one."""

    sidecarset: SidecarSet
    source: Located
    note: str = ""

    def origin(self, path: str, value: Value, steps: Steps, why: str = "") -> FieldOrigin:
        """That a field comes from this one of the SidecarSet; its place, if the manifest has it with that value."""
        written, said = resolved(self.source.manifest, steps), resolved(self.sidecarset.manifest, steps)
        if said and not why and said[1] != value and not isinstance(value, dict | list):
            why = f"which says {said[1]}: it was changed since"
        if said and not written and not self.note:
            why = why or "a default: the manifest does not set it"
        is_there = written and said and written[1] == said[1]
        place = self.source.place(written[0]) if written and (is_there or not self.note) else None
        field = path_text((written or said or (steps, None))[0])
        whose = f"SidecarSet {self.sidecarset.name}"
        return FieldOrigin(path, value, whose, field, place, "; ".join(filter(None, (why, self.note))))


class FieldOrigins:
    """Finds the origin of one field in several pods; `templates` are workloads that running pods may come from.

    UsageError if it is not a path to a field.
    """

    def __init__(self, text: str, context: InjectionContext, world: World, templates: Iterable[Subject]) -> None:
        steps = _steps_of(text)
        if steps is None:
            message = f"--field {text} is not a path to a field"
            raise usage_error(message, hint="such as 'spec.containers[web].env[TZ]'")
        self._text = text
        self._steps = steps
        self._context = context
        self._world = world
        self._every = templates
        self._known: list[Subject] | None = None

    def of(self, subject: Subject) -> FieldOrigin:
        """The origin of a pod's field: of a running pod as it is, of a template after injection."""
        if subject.is_running:
            return self._other_version(subject) or self._of(subject, subject.pod, list(self._recorded(subject)))
        own = resolved(subject.pod, self._steps)
        try:
            selection = select(subject.pod, self._context, subject.identity)
            template = template_of(subject.reference, subject.path) if subject.source else None
            pod = admitted(subject.pod, selection, self._context, template).pod
        except SidecarctlError:
            return FieldOrigin(self._text, None, "", why="Kruise would reject the pod: explain says why")
        found = resolved(pod, self._steps)
        if own and found and own[1] == found[1]:
            path, value = own
            if subject.source and value_at(subject.source.manifest, (*subject.path, *path)) != value:
                return FieldOrigin(self._text, value, f"the controller of {subject.reference}")
            text = path_text((*subject.path, *path))
            return FieldOrigin(self._text, value, str(subject.reference), text, subject.place(path))
        sources = self._world.sources
        applied = [choice.sidecarset for choice in selection.applied]
        return self._of(subject, pod, [_Writer(each, sources[each.name]) for each in applied])

    def _other_version(self, subject: Subject) -> FieldOrigin | None:
        """The origin of a field that differs from a new pod; None if it does not, or if a hash covers it."""
        if check(subject.pod, "core.Pod") or not subject.pod.get("spec"):
            return None
        found, pod = resolved(subject.pod, self._steps), SimulatedPod(0, subject.pod)
        gates = frozenset(self._context.options.feature_gates)
        for sidecarset in self._world.sidecarsets:
            name, compared = sidecarset.name, compared_with_new_pod(sidecarset, pod, self._world, gates)
            if not compared:
                continue
            for entry in compared.fields:
                if self._is_within(entry, found):
                    return FieldOrigin(self._text, found[1] if found else None, *_not_current(entry, name))
            if any(self._steps[:3] == _steps_of(text) for text in compared.undecided):
                why = f"or an earlier version of SidecarSet {name}: the known revisions do not tell"
                return FieldOrigin(self._text, found[1] if found else None, "the pod itself", why=why)
        return None

    def _is_within(self, entry: FieldDifference, found: tuple[Path, Value] | None) -> bool:
        """Whether the field is one that differs, or a part of it."""
        if found:
            return found[0][: len(entry.path)] == entry.path
        named = _steps_of(entry.text) or ()
        return entry.now is None and self._steps[: len(named)] == named

    def _recorded(self, subject: Subject) -> Iterator[_Writer]:
        """The SidecarSets that a running pod records, each as the revision that it records."""
        entries = read_hashes(value_at(subject.pod, ("metadata", "annotations", HASH))).entries
        for sidecarset in self._world.sidecarsets:
            if sidecarset.name not in {*entries, *subject.recorded}:
                continue
            recorded = entries.get(sidecarset.name) or HashEntry()
            source = self._world.sources[sidecarset.name]
            known = known_revisions(sidecarset, "", self._world.revisions, recorded=(recorded.hash,))
            if recorded.hash == sidecarset.hash or not recorded.hash:
                yield _Writer(sidecarset, source)
            elif recorded.hash in known:
                revision = known[recorded.hash]
                named = recorded.controller_revision or revision.name
                yield _Writer(revision.sidecarset, source, f"in revision {named}, which the pod runs")
            else:
                named = recorded.controller_revision or f"hash {recorded.hash[:12]}"
                yield _Writer(
                    sidecarset, source, f"as of now: revision {named}, which the pod runs, is not among the inputs"
                )

    def _of(self, subject: Subject, pod: Object, writers: Sequence[_Writer]) -> FieldOrigin:
        found = resolved(pod, self._steps)
        if found is None:
            return FieldOrigin(self._text, None, "", why="the pod has no such field")
        origin = self._written(pod, self._text, found[1], writers)
        return origin or self._own(subject, found[0], found[1])

    def _written(self, pod: Object, path: str, value: Value, writers: Sequence[_Writer]) -> FieldOrigin | None:
        """The origin of the field if Kruise or a SidecarSet wrote it."""
        match self._steps:
            case ("spec", field, name, *rest) if field in _LISTS:
                item = (resolved(pod, ("spec", field, name)) or ((), {}))[1]
                return _of_container(pod, (field, name_of(item)), tuple(rest), (path, value), writers)
            case ("spec", field, name, *_) if field in _ADDED:
                item = (resolved(pod, ("spec", field, name)) or ((), {}))[1]
                having = (each for each in writers if _brings(each.sidecarset, field, item))
                return next((each.origin(path, value, self._steps) for each in having), None)
            case ("metadata", "annotations", key):
                return _of_annotation(key, (path, value), writers)
        return None

    def _own(self, subject: Subject, path: Path, value: Value) -> FieldOrigin:
        """The origin of a field of the pod's own: its workload, if that is among the inputs."""
        for template in self._templates(subject):
            found = resolved(template.pod, self._steps)
            if found and found[1] == value:
                text = path_text((*template.path, *found[0]))
                return FieldOrigin(self._text, value, str(template.reference), text, template.place(found[0]))
        why = "no SidecarSet wrote it: its workload did, another webhook, or somebody by hand"
        return FieldOrigin(self._text, value, "the pod itself", path_text(path), subject.place(path), why)

    def _templates(self, subject: Subject) -> Iterator[Subject]:
        if self._known is None:
            self._known = [each for each in self._every if not each.is_running]
        labels = labels_of(subject.pod).items()
        for template in self._known:
            own = labels_of(template.pod)
            if own and template.identity.namespace == subject.identity.namespace and own.items() <= labels:
                yield template


def compared_with_new_pod(
    sidecarset: SidecarSet, pod: SimulatedPod, world: World, gates: frozenset[str]
) -> Outdated | None:
    """How a running pod differs from a new one in what no hash covers; None if it does not record the SidecarSet."""
    recorded = pod.hashes.recorded(sidecarset.name)
    if not recorded and sidecarset.spec.get("containers"):
        return None
    comparison = new_pod_version(sidecarset, revision_name(sidecarset), world, (), gates).comparison
    if not comparison or not (recorded or comparison.is_compared(pod)):
        return None
    return comparison.compared(pod.manifest, record_of(pod, sidecarset.name))


def other_fields(
    sidecarset: SidecarSet, pod: Object, world: World, gates: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """The fields of a running pod that a new one gets otherwise, each with its version, and what is new."""
    if check(pod, "core.Pod") or not pod.get("spec"):
        return
    compared = compared_with_new_pod(sidecarset, SimulatedPod(0, pod), world, gates)
    for entry in compared.fields if compared else ():
        why = _not_current(entry, sidecarset.name)[-1]
        yield entry.text, why if entry.now is None else f"{item_text(entry.now)} {why}"


def _not_current(entry: FieldDifference, name: str) -> tuple[str, str, None, str]:
    """Whose field it is, no field and no place of it, and what the SidecarSet has now."""
    if entry.now is None:
        return "", "", None, f"the pod has no such field; new pods get {item_text(entry.new)}{_at(entry)}"
    version = f"from version {entry.version}" if entry.version else "not from the current version"
    today = f"the file has {item_text(entry.new)}{_at(entry)} today" if entry.place else "new pods do not get it"
    return f"SidecarSet {name}", "", None, f"{version}; {today}"


def _at(entry: FieldDifference) -> str:
    return f" at {entry.place}" if entry.place else ""


def _brings(sidecarset: SidecarSet, field: str, item: Object) -> bool:
    """Whether a SidecarSet brings a volume or pull secret as it is in the pod, whose own of that name stays."""
    given = [each for each in sidecarset.spec.get(field) or () if name_of(each) == name_of(item)]
    return bool(given) and (field != "volumes" or full_volume(given[0]) == full_volume(item))


def _of_container(
    pod: Object, container: tuple[str, str], rest: Steps, found: tuple[str, Value], writers: Sequence[_Writer]
) -> FieldOrigin | None:
    """The origin of a container's field; None for one of the pod's own containers."""
    field, name = container
    path, value = found
    for writer in writers:
        for item in writer.sidecarset.spec.get(field) or ():
            if name in names_in_pods(item):
                return _of_sidecar(writer, item, (field, rest), found)
    if rest[:2] == ("env", BARRIER):
        return FieldOrigin(path, value, "Kruise", why="the container waits for others: its launch priority")
    if is_injected((resolved(pod, ("spec", field, name)) or ((), {}))[1]):
        entries = read_hashes(value_at(pod, ("metadata", "annotations", HASH))).entries
        recorded = next((each for each, entry in entries.items() if name in (entry.sidecar_list or ())), "")
        whose = f"SidecarSet {recorded}" if recorded else "a SidecarSet"
        is_known = recorded in {each.sidecarset.name for each in writers}
        return FieldOrigin(path, value, whose, why=_FORMER if is_known else _FOREIGN)
    return None


_FORMER = "it no longer has the container"
_FOREIGN = "it is not among the inputs, or no longer has the container"


_EMPTY_IMAGE = ("upgradeStrategy", "hotUpgradeEmptyImage")


def _of_sidecar(writer: _Writer, item: Object, within: tuple[str, Steps], found: tuple[str, Value]) -> FieldOrigin:
    """The origin of a sidecar's field: written, taken from the pod, computed, or a default."""
    field, rest = within
    path, value = found
    steps = ("spec", field, item["name"])
    if resolved(item, rest):
        is_half = rest == ("image",) and len(names_in_pods(item)) > 1
        why = "one of the two containers of a hot upgrade" if is_half else ""
        written = _EMPTY_IMAGE if is_half and value == value_at(item, _EMPTY_IMAGE) else rest
        return writer.origin(path, value, (*steps, *written), why)
    variable = rest[1] if rest[:1] == ("env",) and rest[1:] else ""
    if taken := _transfer(item, variable) if variable else None:
        index, source = taken
        return writer.origin(path, value, (*steps, "transferEnv", str(index)), f"copied from {source} of the pod")
    if variable == INJECTED_MARK or variable.startswith("SIDECARSET_"):
        return FieldOrigin(path, value, "Kruise", why="it marks every sidecar")
    if rest[:2] == ("volumeMounts", _TOKEN):
        return FieldOrigin(path, value, "the API server", why="it mounts the token of the service account")
    for shared, policy in (("volumeMounts", "shareVolumePolicy"), ("volumeDevices", "shareVolumeDevicePolicy")):
        if rest[:1] == (shared,) and (item.get(policy) or {}).get("type") == "enabled":
            return writer.origin(path, value, (*steps, policy), "shared by a container of the pod")
    if rest[:1] == ("resources",) and item.get("resourcesPolicy"):
        return writer.origin(path, value, (*steps, "resourcesPolicy"), "computed from the containers of the pod")
    if rest[:1] == ("env",) and (item.get("shareVolumePolicy") or {}).get("type") == "enabled":
        why = "a shared mount names it in its path"
        return writer.origin(path, value, (*steps, "shareVolumePolicy"), why)
    default = resolved(with_container_defaults(item), rest)
    if default and default[1] == value:
        return FieldOrigin(path, value, "the API server", why="it is the default")
    name = writer.sidecarset.name
    why = f"SidecarSet {name} has the container without it: another webhook wrote it, or somebody by hand"
    return FieldOrigin(path, value, "the pod itself", why="; ".join(filter(None, (why, writer.note))))


def _transfer(item: Object, env: str) -> tuple[int, str] | None:
    """Which transferEnv of a sidecar copies a variable, and from which container."""
    for index, each in enumerate(item.get("transferEnv") or ()):
        if env in {each.get("envName"), *(each.get("envNames") or ())}:
            return index, each.get("sourceContainerName") or "the container that sourceContainerNameFrom names"
    return None


def _of_annotation(key: str, found: tuple[str, Value], writers: Sequence[_Writer]) -> FieldOrigin | None:
    path, value = found
    for writer in writers:
        for index, item in enumerate(writer.sidecarset.spec.get("patchPodMetadata") or ()):
            is_merged = item.get("patchPolicy") == "MergePatchJson"
            if key in (item.get("annotations") or {}) and (is_merged or item["annotations"][key] == value):
                steps = ("spec", "patchPodMetadata", str(index), "annotations", key)
                why = f"policy {item['patchPolicy']}" if item.get("patchPolicy", "Retain") != "Retain" else ""
                return writer.origin(path, value, steps, why)
    if _KRUISE in key:
        return FieldOrigin(path, value, "Kruise", why="Kruise records there what it did to the pod")
    return None
