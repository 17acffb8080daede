"""Conflicts between a sidecar and the app: things with the same name or path, one of which is lost.

Source: docs/behavior/injection.md, "What is written".
"""

import posixpath
from collections.abc import Iterator, Mapping

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.sidecarset.defaults import with_defaults
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Container, Pair
from sidecarctl.engine.validation.practice import variables
from sidecarctl.engine.validation.rules import Rule, warned

_STREAM = stream(
    """volumes: [{{name: spool, emptyDir: {{}}}}]
  containers:
  - name: agent
    image: agent:1.2
    volumeMounts: [{{name: spool, mountPath: /spool}}]
    {sidecar}""",
    pod="spec:\n  {pod}",
)
_MAIN = "containers: [{name: main, image: 'main:1'}]"
_WITH_LEVEL = "containers: [{name: main, image: 'main:1', env: [{name: LEVEL, value: debug}]}]"
_TRANSFER = "transferEnv: [{{sourceContainerName: main, envName: LEVEL}}]{}"
_MOUNTED = "containers: [{name: main, image: 'main:1', volumeMounts: [{name: data, mountPath: %s}]}]\n"
_SHARED = "shareVolumePolicy: {type: enabled}"
_DATA = "  volumes: [{name: data, emptyDir: {}}]"

REPLACED = Rule(
    "container-replaced",
    "Container of the app replaced",
    "No sidecar has the name of a container of the app.",
    why="Kruise puts the sidecar in the place of the app's own container: the pod runs without it.",
    mend="rename the sidecar, or the app's container",
    source="docs/behavior/injection.md",
    within="stream",
    fails=_STREAM.format(sidecar="imagePullPolicy: Always", pod="containers: [{name: agent, image: 'main:1'}]"),
    passes=_STREAM.format(sidecar="imagePullPolicy: Always", pod=_MAIN),
)
KEPT = warned(
    "volume-kept",
    "Volume of the pod kept",
    "A volume of a SidecarSet has a name of its own, or is the same as the pod's volume of that name.",
    why="Kruise keeps the pod's volume, and the sidecar mounts that instead of its own. An emptyDir with the name "
    "of a PersistentVolumeClaim of the pod is the usual way to mount the claim: that is a note.",
    mend="if the sidecar is to have a volume of its own, rename it in the SidecarSet, and in the volumeMounts there",
    source="docs/behavior/injection.md",
    within="stream",
    fails=_STREAM.format(
        sidecar="imagePullPolicy: Always", pod=f"{_MAIN}\n  volumes: [{{name: spool, emptyDir: {{medium: Memory}}}}]"
    ),
    passes=_STREAM.format(
        sidecar="imagePullPolicy: Always", pod=f"{_MAIN}\n  volumes: [{{name: spool, emptyDir: {{}}}}]"
    ),
)
SHADOWED = warned(
    "mount-shadowed",
    "Mount of the app not shared",
    "A sidecar with shareVolumePolicy mounts its own volumes at other paths than the app.",
    why="The app's mount is not shared at a path that the sidecar mounts itself; if the two texts of one path differ "
    "(/data and /data/), both are mounted there, and only one of them can be seen. If one mount is inside "
    "another, the inner one hides that part of the outer one.",
    mend="mount it at another path in the sidecar",
    source="docs/behavior/injection.md",
    within="stream",
    fails=_STREAM.format(sidecar=_SHARED, pod=_MOUNTED % "/spool" + _DATA),
    passes=_STREAM.format(sidecar=_SHARED, pod=_MOUNTED % "/data" + _DATA),
)


def taken_names(pair: Pair, _: Beside) -> Iterator[Caused]:
    """All conflicts between a sidecar and the app."""
    yield from _replaced(pair)
    yield from _kept(pair)
    for sidecar in pair.sidecars:
        yield from _not_transferred(pair, sidecar)
        yield from _shadowed(pair, sidecar)


def _replaced(pair: Pair) -> Iterator[Caused]:
    own = {(item.field, item.name): item for item in pair.replaced}
    for sidecar in pair.sidecars:
        if lost := own.get((sidecar.field, sidecar.name)):
            message = f'"{lost.name}" takes the place of the app\'s own container of that name'
            yield pair.cause(sidecar, ("name",), REPLACED.at((), message), (*lost.in_pod, "name"))


def _kept(pair: Pair) -> Iterator[Caused]:
    own = {name_of(volume): index for index, volume in enumerate(pair.alone.get("volumes") or ())}
    for set_name, sidecarset in pair.sets.items():
        if set_name in pair.recorded or _is_other_revision(sidecarset):
            continue  # the pod has, or gets, the volumes of another version
        mounted = {name for item in pair.sidecars if item.set_name == set_name for name in _mounted(item.value)}
        for index, volume in enumerate(sidecarset.spec.get("volumes") or ()):
            name = name_of(volume)
            if name not in mounted or name not in own:
                continue
            kept = pair.alone["volumes"][own[name]]
            if _volume(kept) != _volume(typed(volume, "core.Volume")):
                kinds = _kind(kept), _kind(volume)
                found = KEPT.at((), f"the pod's own volume {name} ({kinds[0]}) is mounted instead of it ({kinds[1]})")
                if kinds == ("persistentVolumeClaim", "emptyDir"):
                    found = found._replace(severity=Severity.NOTE)
                path = ("spec", "volumes", index)
                yield pair.cause_in_set(set_name, path, found, ("spec", "volumes", own[name]))


def _is_other_revision(sidecarset: SidecarSet) -> bool:
    return bool((sidecarset.spec.get("injectionStrategy") or {}).get("revision"))


def _mounted(container: Object) -> set[str]:
    mounts = (*(container.get("volumeMounts") or ()), *(container.get("volumeDevices") or ()))
    return {name_of(mount) for mount in mounts}


def _volume(volume: Object) -> Value:
    """A volume with its defaults, as dumps have them and manifests do not."""
    return with_defaults({"volumes": [volume]})["volumes"]


def _kind(volume: Object) -> str:
    return next((kind for kind in volume if kind != "name"), "emptyDir")


def _not_transferred(pair: Pair, sidecar: Container) -> Iterator[Caused]:
    """Variables that the sidecar has itself, with a different value than the source container."""
    in_set = _in_set(pair, sidecar)
    own = {env.get("name", ""): env for env in in_set.get("env") or ()}
    for index, item in enumerate(in_set.get("transferEnv") or ()):
        source = item.get("sourceContainerName", "")
        names = {item.get("envName", ""), *(item.get("envNames") or ())}
        for name in sorted(names & own.keys() - {""}):
            theirs = _env_of(pair, source, name)
            if theirs and theirs != own[name]:
                message = f"{name} of {source} is not transferred: {sidecar.title} has its own, with another value"
                yield pair.cause(sidecar, ("transferEnv", index), variables.ENV.at((), message))


def _in_set(pair: Pair, sidecar: Container) -> Object:
    """The container of the SidecarSet; empty if another revision is injected."""
    if len(sidecar.path) < 3 or _is_other_revision(pair.sets[sidecar.set_name]):
        return {}
    container: Object = value_at({"spec": pair.sets[sidecar.set_name].spec}, sidecar.path)
    return container


def _env_of(pair: Pair, container: str, name: str) -> Mapping[str, Value] | None:
    for item in pair.app:
        if item.field == "containers" and item.name == container:
            found = [env for env in item.value.get("env") or () if env.get("name") == name]
            return found[-1] if found else None
    return None


def _shadowed(pair: Pair, sidecar: Container) -> Iterator[Caused]:
    in_set = _in_set(pair, sidecar)
    if (in_set.get("shareVolumePolicy") or {}).get("type") != "enabled":
        return
    own = {posixpath.normpath(mount.get("mountPath", "")): mount for mount in in_set.get("volumeMounts") or ()}
    shared = (item for app in pair.app if app.field == "containers" for item in app.value.get("volumeMounts") or ())
    for mount in shared:
        at = posixpath.normpath(mount.get("mountPath", ""))
        for index, (path, theirs) in enumerate(own.items()):
            if said := _hidden(path, at) if _content(theirs) != _content(mount) else "":
                message = said.format(own=theirs["name"], path=path, shared=mount.get("name"), at=at)
                yield pair.cause(sidecar, ("volumeMounts", index), SHADOWED.at((), message))


def _hidden(own: str, shared: str) -> str:
    """How a mount of the sidecar and a shared one hide each other; of two nested ones, the inner one is visible."""
    if own == shared:
        return "the app's mount of {shared} is not seen: {own} is mounted there"
    if own.startswith(f"{shared.rstrip('/')}/"):
        return "what {shared} of the app has at {path} is not seen: {own} is mounted there"
    if shared.startswith(f"{own.rstrip('/')}/"):
        return "what {own} has at {at} is not seen: {shared} of the app is mounted there"
    return ""


def _content(mount: Object) -> tuple[Value, ...]:
    return mount.get("name"), mount.get("subPath") or "", mount.get("subPathExpr") or ""
