"""The patches that stand in a plan document, read back (schemas/rollout-plan.json)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value

KIND = "RolloutPlan"


class PlannedImage(NamedTuple):
    """A container that gets another image: where it stands in the pod's spec, its image before and after."""

    container: str
    among: str
    place: int
    before: str
    after: str


class PlannedAnnotation(NamedTuple):
    """An annotation that changes; `before` is None where it was absent.

    `invented`: it holds a simulated imageID. `hash`: what it then records as that of the patch's set.
    """

    key: str
    before: str | None
    after: str
    invented: bool
    hash: str = ""


class PlannedPatch(NamedTuple):
    """One pod patched in one wave of one set; waves of a set count from 1.

    `was_ready`: before it, as a rollout sees readiness, so that it took a place of maxUnavailable. `is_first`: of the
    pod in the whole plan. `resource_version`: that of the pod before a first patch; empty where it is not known.
    """

    set_name: str
    wave: int
    round: int
    namespace: str
    name: str
    uid: str
    kind: str
    images: tuple[PlannedImage, ...]
    annotations: tuple[PlannedAnnotation, ...]
    was_ready: bool
    is_first: bool = True
    resource_version: str = ""

    @property
    def pod(self) -> tuple[str, str]:
        """The namespace and the name."""
        return self.namespace, self.name

    @property
    def is_invented(self) -> bool:
        """Whether it writes an imageID that only the simulated cluster knows."""
        return any(annotation.invented for annotation in self.annotations)


class PlannedCondition(NamedTuple):
    """The condition SidecarSetUpgradable that a round writes on a pod."""

    set_name: str
    round: int
    namespace: str
    name: str
    uid: str
    condition: Object


class PlannedRollout(NamedTuple):
    """Everything in a plan that is to be written on pods, in the order of writing."""

    patches: list[PlannedPatch]
    conditions: list[PlannedCondition]
    synthetic: bool


def read_plan(document: Value) -> PlannedRollout:
    """The patches of a plan, by round, then set, then their order in the wave.

    Raises InputError for what is no RolloutPlan.
    """
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise input_error(Reason.WRONG_TYPE, "this is no RolloutPlan", ("kind",), hint="make one: plan -o json=FILE")
    if document.get("apiVersion") != API_VERSION:
        message = f"the version {document.get('apiVersion')} is not known"
        raise input_error(Reason.UNKNOWN_VERSION, message, ("apiVersion",), hint=f"this program writes {API_VERSION}")
    path: list[str | int] = ["sidecarSets"]
    try:
        patches = [patch for index, one in enumerate(document["sidecarSets"]) for patch in _patches(one, index, path)]
        conditions = [entry for one in document["sidecarSets"] for entry in _conditions(one)]
        synthetic = bool(document["synthetic"])
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise _malformed(fault, tuple(path)) from None
    patches.sort(key=lambda patch: (patch.round, patch.set_name))
    conditions.sort(key=lambda entry: (entry.round, entry.set_name))
    return PlannedRollout(list(_told_apart(patches)), conditions, synthetic)


def _patches(one: Object, set_index: int, path: list[str | int]) -> Iterator[PlannedPatch]:
    name = _text(one["name"])
    for number, wave in enumerate(one["waves"], 1):
        for index, pod in enumerate(wave["pods"]):
            path[1:] = [set_index, "waves", number - 1, "pods", index]
            yield PlannedPatch(
                name,
                number,
                _number(wave["round"]),
                _text(pod["namespace"]),
                _text(pod["name"]),
                _text(pod.get("uid", "")),
                _text(pod["kind"]),
                tuple(map(_image, pod["images"])),
                tuple(_annotation(value, name) for value in pod["annotations"]),
                bool(pod["wasReady"]),
                resource_version=_text(pod.get("resourceVersion", "")),
            )


def _told_apart(patches: Iterable[PlannedPatch]) -> Iterator[PlannedPatch]:
    """The patches, those of a pod after its first without the version that the first one changes."""
    patched: set[tuple[str, str]] = set()
    for patch in patches:
        yield patch._replace(is_first=False, resource_version="") if patch.pod in patched else patch
        patched.add(patch.pod)


def _image(value: Object) -> PlannedImage:
    if value["in"] not in ("containers", "initContainers"):
        raise ValueError("in must be containers or initContainers")
    texts = (value["container"], value["in"], value["before"], value["after"])
    container, among, before, after = map(_text, texts)
    return PlannedImage(container, among, _number(value["index"]), before, after)


def _annotation(value: Object, set_name: str) -> PlannedAnnotation:
    before = None if value["before"] is None else _text(value["before"])
    invented = any(entry.get("simulatedImageIDs") for entry in value["entries"])
    hashes = (_text(one["value"].get("hash", "")) for one in value["entries"] if one["sidecarSet"] == set_name)
    return PlannedAnnotation(_text(value["key"]), before, _text(value["after"]), invented, next(hashes, ""))


def _conditions(one: Object) -> Iterator[PlannedCondition]:
    for entry in one["conditions"]:
        after = {key: _text(entry["after"][key]) for key in ("status", "reason", "message")}
        yield PlannedCondition(
            _text(one["name"]),
            _number(entry["round"]),
            _text(entry["namespace"]),
            _text(entry["name"]),
            _text(entry.get("uid", "")),
            {"type": "SidecarSetUpgradable", **after},
        )


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {value!r}")
    return value


def _number(value: Value) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError(f"expected a number, got {value!r}")
    return value


def _malformed(fault: Exception, path: Path) -> InputError:
    said = f"{fault.args[0]} is missing" if isinstance(fault, KeyError) else str(fault)
    return input_error(Reason.WRONG_TYPE, f"this is no RolloutPlan as this program writes it: {said}", path)
