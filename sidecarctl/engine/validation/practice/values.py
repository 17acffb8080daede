"""Values that Kubernetes accepts, and that mean something else than intended: quantities, modes, paces.

Source: the pages of Kubernetes that the rules name; docs/behavior/hash-and-revisions.md about revisions.
"""

from collections.abc import Iterator

from sidecarctl.engine.api.quantities import parse_quantity, percentage
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import Parameter, noted, warned

_RESOURCES = "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
_VOLUMES = "https://kubernetes.io/docs/concepts/storage/volumes/"

SCALE = warned(
    "resource-scale",
    "Quantity with the wrong unit",
    "Memory and storage are not in bytes or thousandths of a byte, and a sidecar needs fewer than 64 cores.",
    why="m is a thousandth: memory of 128m is less than a byte, and 128 are 128 bytes; no container starts with less "
    "than 1Mi. cpu of 100 is 100 cores, more than most nodes have, and no pod is scheduled.",
    mend="write memory as 128Mi, and cpu as 100m",
    source=_RESOURCES,
    fails="resources: {limits: {memory: 128m}}",
    passes="resources: {limits: {memory: 128Mi}}",
    parameters={"cores": Parameter(64, "the number of cores from which on cpu is a mistake")},
)
MODE = warned(
    "file-mode-decimal",
    "File mode that was meant as octal",
    "The mode of a file is an octal number with a leading 0.",
    why="400 without the 0 is a decimal number: the mode 0620, with which the owner and the group can write.",
    mend="write 0400 in YAML; JSON needs the decimal number, which is 256",
    source="https://kubernetes.io/docs/concepts/configuration/secret/",
    within="volume",
    fails="{name: tokens, secret: {secretName: tokens, defaultMode: 400}}",
    passes="{name: tokens, secret: {secretName: tokens, defaultMode: 0400}}",
)
MEMORY = noted(
    "memory-volume",
    "Volume in memory above a limit",
    "An emptyDir in memory is not larger than the memory limit of the containers that write to it.",
    why="Its files count as memory of the container that writes them, which is killed at its limit, before the "
    "volume is full.",
    mend="lower the sizeLimit of the volume, or raise the limit of the container",
    source=_VOLUMES,
    within="spec",
    fails="""\
containers:
- name: agent
  image: agent:1.2
  resources: {limits: {memory: 64Mi}}
  volumeMounts: [{name: cache, mountPath: /cache}]
volumes: [{name: cache, emptyDir: {medium: Memory, sizeLimit: 128Mi}}]
""",
    passes="""\
containers:
- name: agent
  image: agent:1.2
  resources: {limits: {memory: 64Mi}}
  volumeMounts: [{name: cache, mountPath: /cache}]
volumes: [{name: cache, emptyDir: {medium: Memory, sizeLimit: 16Mi}}]
""",
)
HELD = noted(
    "update-held-back",
    "Update that reaches no pod",
    "The partition of a rolling update is below 100%, and below the number of the given pods.",
    why="The partition is how many pods keep the old version: with 100%, all of them do.",
    mend="lower the partition to start the update; to hold an update back, updateStrategy.paused says it plainly",
    source="docs/behavior/rollout.md",
    within="spec",
    fails="updateStrategy: {partition: 100%}",
    passes="updateStrategy: {partition: 90%}",
)
HISTORY = noted(
    "no-revision-history",
    "No earlier revisions",
    "A SidecarSet keeps earlier revisions.",
    why="With revisionHistoryLimit 0, Kruise deletes a revision as soon as no pod records it, and rollback and "
    "injectionStrategy.revision have nothing to go back to.",
    mend="delete revisionHistoryLimit; the default is 10",
    source="docs/behavior/hash-and-revisions.md",
    within="spec",
    fails="revisionHistoryLimit: 0",
    passes="revisionHistoryLimit: 3",
)

_OCTAL_LOOKS = frozenset((400, 404, 440, 444, 500, 505))
"""Decimal modes that are usual ones if read as octal; what is above 511 is rejected anyhow."""


def value_findings(spec: Object, given: Object) -> Iterator[Finding]:
    """Such values of a spec in v1beta1, defaults applied; `given` are parameters of the scale."""
    cores = SCALE.parameter("cores", given)
    for field in ("containers", "initContainers"):
        for container, path in placed(spec, field):
            yield from _quantities(container, path, cores)
    for index, volume in enumerate(spec.get("volumes") or ()):
        yield from _modes(volume, ("spec", "volumes", index))
        yield from _in_memory(volume, spec, ("spec", "volumes", index))
        if size := (volume.get("emptyDir") or {}).get("sizeLimit"):
            yield from _bytes(str(size), ("spec", "volumes", index, "emptyDir", "sizeLimit"))
    strategy = spec["updateStrategy"]
    partition = strategy.get("partition")
    if strategy.get("type") == "RollingUpdate" and isinstance(partition, str) and (percentage(partition) or 0) >= 100:
        yield held_back(partition, "every pod keeps")
    if spec.get("revisionHistoryLimit") == 0:
        yield HISTORY.at(("spec", "revisionHistoryLimit"), "no earlier revision is kept")


def held_back(partition: Value, keeping: str) -> Finding:
    """The finding that no pod gets the new version; `keeping` says who keeps the old one: `every pod keeps`."""
    return HELD.at(("spec", "updateStrategy", "partition"), f"with {partition}, {keeping} the old version")


def _quantities(container: Object, path: Path, cores: int) -> Iterator[Finding]:
    for kind, amounts in (container.get("resources") or {}).items():
        if kind not in ("limits", "requests"):
            continue
        for name, text in amounts.items():
            at, whole = (*path, "resources", kind, name), parse_quantity(text).nanos // 10**9
            if name == "cpu" and whole >= cores:
                hint = f"for thousandths write {text}m" if str(text).isdecimal() else ""
                yield SCALE.at(at, f"{text} is {whole:,} cores", hint)
            elif name in ("memory", "ephemeral-storage"):
                yield from _bytes(str(text), at, least=_LEAST if name == "memory" else 0)


_LEAST = 1 << 20
"""Bytes of memory with fewer of which no container starts."""


def _bytes(text: str, path: Path, *, least: int = 0) -> Iterator[Finding]:
    """A number of bytes whose unit was forgotten, or is m; or that is below `least`."""
    whole = parse_quantity(text).nanos // 10**9
    if text.endswith("m"):
        number = text.removesuffix("m")
        yield SCALE.at(path, f"{text} is {number} thousandths of a byte", f"write {number}Mi")
    elif 0 < whole < (_LEAST if text.isdecimal() else least):
        yield SCALE.at(path, f"{text} is {whole:,} byte{'s' * (whole > 1)}", f"write {text}Mi" * text.isdecimal())


def _modes(volume: Object, path: Path) -> Iterator[Finding]:
    """The modes anywhere in the source of a volume."""
    for name, value in volume.items():
        at = (*path, name)
        if name in ("defaultMode", "mode") and value in _OCTAL_LOOKS:
            hint = f"write 0{value} in YAML, or {int(str(value), 8)} in JSON"
            yield MODE.at(at, f"{value} is a decimal number: the mode is 0{value:o}", hint)
        elif isinstance(value, dict):
            yield from _modes(value, at)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from _modes(item, (*at, index)) if isinstance(item, dict) else ()


def _in_memory(volume: Object, spec: Object, path: Path) -> Iterator[Finding]:
    source = volume.get("emptyDir") or {}
    if source.get("medium") != "Memory" or not source.get("sizeLimit"):
        return
    size = parse_quantity(source["sizeLimit"])
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        limit = ((container.get("resources") or {}).get("limits") or {}).get("memory")
        mounts = container.get("volumeMounts") or ()
        writes = any(item.get("name") == volume.get("name") and not item.get("readOnly") for item in mounts)
        if writes and limit is not None and size.nanos > parse_quantity(limit).nanos:
            message = f"{source['sizeLimit']} is more than {container.get('name', '')} may use ({limit})"
            yield MEMORY.at((*path, "emptyDir", "sizeLimit"), message)
