"""Values that Kruise accepts although they have no meaning.

Source: docs/behaviour/validation.md, "The set".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import warned

_SWITCH = ("enabled", "disabled")
_OF_ALL: dict[Path, tuple[str, ...]] = {
    ("upgradeStrategy", "upgradeType"): ("ColdUpgrade", "HotUpgrade"),
    ("shareVolumeDevicePolicy", "type"): _SWITCH,
}
_OF_INIT: dict[Path, tuple[str, ...]] = {
    **_OF_ALL,
    ("podInjectPolicy",): ("BeforeAppContainer", "AfterAppContainer"),
    ("shareVolumePolicy", "type"): _SWITCH,
}

WORD = warned(
    "word-without-meaning",
    "An enumerated field has a value that Kruise knows.",
    why="Kruise accepts any value here, and silently treats it as another: Hot is not HotUpgrade, and "
    "Overwrite | Retain, as manuals show the choice, is neither.",
    mend="write one of the values that the message names",
    fails="upgradeStrategy: {upgradeType: Hot}",
    passes="upgradeStrategy: {upgradeType: ColdUpgrade}",
)


def word_findings(spec: Object) -> Iterator[Finding]:
    """Each value in a spec, defaults applied, that has no meaning."""
    kinds = ("RollingUpdate", "NotUpdate")
    yield from _word(spec, ("spec",), ("updateStrategy", "type"), kinds)
    for container, path in placed(spec, "containers"):
        for field, known in _OF_ALL.items():
            yield from _word(container, path, field, known)
    for container, path in placed(spec, "initContainers"):
        for field, known in _OF_INIT.items():
            yield from _word(container, path, field, known)
    policies = ("Retain", "Overwrite", "MergePatchJson")
    for index, item in enumerate(spec.get("patchPodMetadata", ())):
        yield from _word(item, ("spec", "patchPodMetadata", index), ("patchPolicy",), policies)


def _word(value: Object, path: Path, field: Path, known: tuple[str, ...]) -> Iterator[Finding]:
    word = value_at(value, field)
    if word is not None and word not in known:
        yield WORD.at((*path, *field), f'"{word}" is not one of {", ".join(known)}', f"write {' or '.join(known)}")
