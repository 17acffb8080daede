"""Likely mistakes in a single SidecarSet that nobody rejects: hot upgrades, images, limits, misused words.

About launch priorities see docs/behavior/pod-webhook.md, "Container launch priority".
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sidecarctl.engine.api.field_table import has_field
from sidecarctl.engine.api.label_selectors import matches
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, value_at
from sidecarctl.engine.injection.webhook_steps import ANNOTATION, ORDERED, PRIORITY
from sidecarctl.engine.releases.feature_gates import SORTS_CONTAINERS
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.defaults import parse_image
from sidecarctl.engine.sidecarset.sets import (
    NAMESPACE_NAME_LABEL,
    SidecarSet,
    bound_namespaces,
    is_left_alone,
    is_native_sidecar,
)
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import Parameter, Rule, noted, warned

_LONGEST = 63

_PAIRS = """\
containers:
- {{name: one, image: 'one:1', upgradeStrategy: {{upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1'}}}}
- {{name: two, image: 'two:1', upgradeStrategy: {{upgradeType: {}, hotUpgradeEmptyImage: 'empty:1'}}}}
"""
HOT_IMAGE = Rule(
    "hot-upgrade-image",
    "No hotUpgradeEmptyImage",
    "A container with HotUpgrade has a hotUpgradeEmptyImage.",
    why="Two containers are injected, and the second runs the empty image; without it the pod has a container "
    "without an image, and the API server rejects the pod.",
    mend="write upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: openkruise/hotupgrade-sample:empty}",
    fails="upgradeStrategy: {upgradeType: HotUpgrade}",
    passes="upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
)
HOT_NAME = Rule(
    "hot-pair-name",
    "Invalid name of a HotUpgrade container",
    "The name of a container with HotUpgrade has at most 61 characters, and NAME-1 and NAME-2 are unused.",
    why="Pods get the containers NAME-1 and NAME-2, which must be valid names too.",
    mend="shorten the name, or rename the other container",
    fails="name: a-container-with-a-name-that-is-as-long-as-names-may-be-in-kube\n"
    "upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
    passes="{name: proxy, upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}}",
)
HOT_PORT = Rule(
    "hot-upgrade-host-port",
    "hostPort of a HotUpgrade container",
    "A container with HotUpgrade has no hostPort.",
    why="Both containers that are injected have the port, and the API server rejects a pod with a hostPort twice.",
    mend="delete the hostPort, or write upgradeType: ColdUpgrade",
    fails="{ports: [{containerPort: 80, hostPort: 80}], upgradeStrategy: {upgradeType: HotUpgrade, "
    "hotUpgradeEmptyImage: 'empty:1.0'}}",
    passes="{ports: [{containerPort: 80}], upgradeStrategy: {upgradeType: HotUpgrade, "
    "hotUpgradeEmptyImage: 'empty:1.0'}}",
)
HOT_PAIRS = warned(
    "hot-upgrade-pairs",
    "Several HotUpgrade containers",
    "A SidecarSet has at most one container with HotUpgrade.",
    why="Up to Kruise 1.3, a pod records only the last of its HotUpgrade containers: for the others it counts as not "
    "injected, and they are never updated.",
    mend="keep one of them, or upgrade Kruise to 1.4 and recreate the pods",
    within="spec",
    until="1.3",
    fails=_PAIRS.format("HotUpgrade"),
    passes=_PAIRS.format("ColdUpgrade"),
)
ORDER_BY_GATE = noted(
    "order-by-gate",
    "Containers not sorted by name",
    "The containers of a SidecarSet are sorted by name.",
    why=f"With the feature gate {SORTS_CONTAINERS} Kruise sorts containers by name, so another "
    "order only holds while the gate is off, its default.",
    mend="rename the containers so that both orders are the same",
    within="spec",
    fails="containers: [{name: b, image: 'b:1'}, {name: a, image: 'a:1'}]",
    passes="containers: [{name: a, image: 'a:1'}, {name: b, image: 'b:1'}]",
)


def hot_upgrade_findings(spec: Object, release: Release) -> Iterator[Finding]:
    """Errors in the containers with HotUpgrade of a spec, defaults applied."""
    containers = placed(spec, "containers")
    hot = [path for container, path in containers if container["upgradeStrategy"].get("upgradeType") == "HotUpgrade"]
    if len(hot) > 1 and not release.all_hot_entries:
        yield HOT_PAIRS.at(hot[1], f"{release.behavior} records only the last HotUpgrade container of a pod")
    names = {container.get("name", "") for container, _ in (*containers, *placed(spec, "initContainers"))}
    for container, path in containers:
        strategy, name = container["upgradeStrategy"], container.get("name", "")
        if strategy.get("upgradeType") != "HotUpgrade":
            continue
        if not strategy.get("hotUpgradeEmptyImage"):
            where = (*path, "upgradeStrategy", "hotUpgradeEmptyImage")
            yield HOT_IMAGE.at(where, "HotUpgrade needs a hotUpgradeEmptyImage")
        pair = (f"{name}-1", f"{name}-2")
        if len(name) <= _LONGEST < len(pair[0]):
            yield HOT_NAME.at((*path, "name"), f"{pair[0]} and -2 have more than {_LONGEST} characters")
        for index, port in enumerate(container.get("ports") or ()):
            if port.get("hostPort"):
                message = f"both {pair[0]} and -2 get the hostPort {port['hostPort']}: every pod is rejected"
                yield HOT_PORT.at((*path, "ports", index, "hostPort"), message)
        for taken in names.intersection(pair):
            yield HOT_NAME.at((*path, "name"), f'the name "{taken}" is already used by a container')


TAG = warned(
    "image-without-tag",
    "Image without a fixed tag",
    "An image has a tag other than latest, or a digest.",
    why="Pods may run different images. Also, imagePullPolicy defaults to Always, and the first real tag "
    "changes it to IfNotPresent, so that the update changes more than images and pods must be recreated.",
    mend="write a tag, such as log-agent:1.2, or a digest",
    fails="image: log-agent",
    passes="image: log-agent:1.2",
    parameters={"tags": Parameter(["latest"], "the tags that are not fixed")},
)
DIGEST = warned(
    "digest-under-two-tags",
    "One digest under two tags",
    "A digest is not used with two different tags.",
    why="The image is the same, so the kubelet restarts nothing and the imageID stays: an update from one tag to the "
    "other never completes.",
    mend="use the same tag with the digest everywhere",
    within="spec",
    fails=f"""\
containers:
- {{name: one, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
- {{name: two, image: 'log-agent:1.3@sha256:{"a" * 64}'}}
""",
    passes=f"""\
containers:
- {{name: one, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
- {{name: two, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
""",
)

FORM = Rule(
    "image-form",
    "Invalid image reference",
    "An image is a reference such as registry.example.com/log-agent:1.2.",
    why="Nobody rejects another text, but the kubelet cannot pull it: the pod stays in InvalidImageName. Names are "
    "lower-case, a digest has 64 digits, and there is no scheme.",
    mend="write it as registry.example.com/log-agent:1.2, or with a whole digest",
    source="https://kubernetes.io/docs/concepts/containers/images/",
    fails="image: Log-Agent:1.2",
    passes="image: log-agent:1.2",
)
_FILLED_IN_LATER = lazy_pattern(r"\$|\{\{|<")
"""A placeholder of envsubst, kustomize or a template."""


def image_findings(spec: Object, given: Object) -> Iterator[Finding]:
    """Findings about the images of a spec; `given` are parameters."""
    moving = TAG.parameter("tags", given)
    for path, text in images_of(spec):
        reference = parse_image(text)
        if reference is None and text == text.strip() and not _FILLED_IN_LATER.search(text):
            hint = f"write {text.partition('://')[2]}" if "://" in text else ""
            yield FORM.at(path, f'"{text}" is not an image reference: pods stay in InvalidImageName', hint)
        elif reference and not reference.digest and reference.tag in {"", *moving}:
            said = f"the tag {reference.tag}" if reference.tag else "no tag"
            yield TAG.at(path, f"{text} has {said}")


def digest_findings(specs: Iterable[tuple[str, Object]]) -> Iterator[tuple[str, Finding]]:
    """Digests with two tags, across all SidecarSets, with the name of the SidecarSet."""
    tags: dict[tuple[str, str], str] = defaultdict(str)
    for name, spec in specs:
        for path, text in images_of(spec):
            reference = parse_image(text)
            if reference and reference.tag and reference.digest:
                first = tags[reference.repository, reference.digest] or reference.tag
                tags[reference.repository, reference.digest] = first
                if first != reference.tag:
                    yield name, DIGEST.at(path, f"the digest of {text} is also used with the tag {first}")


def images_of(spec: Object) -> Iterator[tuple[Path, str]]:
    """The path and text of each image of a spec."""
    for field in ("containers", "initContainers"):
        for container, path in placed(spec, field):
            if text := container.get("image", ""):
                yield (*path, "image"), text
            if text := container.get("upgradeStrategy", {}).get("hotUpgradeEmptyImage", ""):
                yield (*path, "upgradeStrategy", "hotUpgradeEmptyImage"), text


RESOURCES = noted(
    "no-resources",
    "No resources",
    "A sidecar has resources.",
    why="Without limits it can starve the app; without requests the scheduler does not count it, and a pod "
    "of QoS class Guaranteed becomes Burstable.",
    mend="write resources, or a resourcesPolicy",
    fails="name: log-agent",
    passes="resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {memory: 64Mi}}",
    parameters={"required": Parameter([], "what a sidecar must have, such as requests.cpu and limits.memory")},
)
NAMESPACES = noted(
    "no-namespace-limit",
    "No namespaceSelector",
    "A SidecarSet has a namespaceSelector.",
    why="Without it, pods of all namespaces are selected, system namespaces included.",
    mend="write namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}, or the labels of your "
    "namespaces",
    within="spec",
    fails="namespaceSelector: null",
    passes="namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}",
    parameters={"namespaces": Parameter(["kube-system"], "the namespaces whose pods must not be selected")},
)


def namespace_findings(sidecarset: SidecarSet, spec: Object, world: World, given: Object) -> Iterator[Finding]:
    """Namespaces that a spec in v1beta1 selects by mistake; `given` are parameters."""
    if not spec.get("selector"):
        return
    release, namespaces, meant = sidecarset.release, world.namespaces, bound_namespaces(sidecarset) or ()
    seen = [
        (name, namespaces.get(name) or {NAMESPACE_NAME_LABEL: name})
        for name in NAMESPACES.parameter("namespaces", given)
        if not is_left_alone(name, release) and world.webhook.unseen(name, namespaces.get(name)) is None
    ]
    if "namespaceSelector" not in spec:
        hint = "" if has_field("v1alpha1.SidecarSetSpec", "namespaceSelector", release) else "write namespace: NAME"
        named = f", {_and(name for name, _ in seen)} included" if seen else ""
        yield NAMESPACES.at(("spec",), f"the pods of every namespace are selected{named}", hint)
    elif taken := [name for name, labels in seen if name not in meant and matches(spec["namespaceSelector"], labels)]:
        message = f"the pods of {_and(taken)} are selected too"
        them = "them" if len(taken) > 1 else "it"
        hint = f"exclude {them}: {{key: {NAMESPACE_NAME_LABEL}, operator: NotIn, values: [{', '.join(taken)}]}}"
        yield NAMESPACES.at(("spec", "namespaceSelector"), message, hint)


def resource_practice(spec: Object, release: Release, given: Object) -> Iterator[Finding]:
    """Missing resources of a spec in v1beta1; initContainers that run to completion need none."""
    required = RESOURCES.parameter("required", given)
    native = [item for item in placed(spec, "initContainers") if is_native_sidecar(item[0])]
    for container, path in (*native, *placed(spec, "containers")):
        if "resourcesPolicy" in container:
            continue
        own, title = container.get("resources") or {}, f'the container "{container.get("name", "")}"'
        if not own:
            hint = "" if has_field("v1alpha1.SidecarContainer", "resourcesPolicy", release) else "write resources"
            yield RESOURCES.at(path, f"{title} has no resources", hint)
        elif lacking := [text for text in required if value_at(own, tuple(text.split(".", 1))) is None]:
            message = f"{title} has no {_and(lacking)}, which the settings of this repository require"
            yield RESOURCES.at((*path, "resources"), message, "write it" if len(lacking) == 1 else "write them")


def _and(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


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
    "Value that Kruise does not know",
    "An enumerated field has a value that Kruise knows.",
    why="Kruise accepts any value here, and silently treats it as another: Hot is not HotUpgrade, and "
    "Overwrite | Retain, as manuals show the choice, is neither.",
    mend="write one of the values that the message names",
    fails="upgradeStrategy: {upgradeType: Hot}",
    passes="upgradeStrategy: {upgradeType: ColdUpgrade}",
)


def word_findings(spec: Object) -> Iterator[Finding]:
    """Each meaningless value in a spec, defaults applied."""
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


def own_order_findings(sidecarset: SidecarSet, gates: frozenset[str]) -> Iterator[Finding]:
    """Containers of one side that the feature gate would reorder."""
    if SORTS_CONTAINERS in gates or not sidecarset.release.sort_gate:
        return
    for names in sides(sidecarset.spec).values():
        if names != sorted(names):
            message = f"the feature gate {SORTS_CONTAINERS} would sort them by name: {', '.join(sorted(names))}"
            yield ORDER_BY_GATE.at(("spec", "containers"), message)


def sides(spec: Object) -> dict[str, list[str]]:
    """The names of the containers of each side of the app containers, in order."""
    sides: dict[str, list[str]] = {}
    for container in spec.get("containers", ()):
        sides.setdefault(container.get("podInjectPolicy", ""), []).append(container.get("name", ""))
    return sides


NUMBER = warned(
    "launch-priority",
    "Launch priority that is not an integer",
    "A launch priority is an integer.",
    why="Kruise admits the SidecarSet, but rejects every pod that it is injected into.",
    mend="write an integer in quotes as the value; valueFrom does not count as a number",
    within="container",
    fails="env: [{name: KRUISE_CONTAINER_PRIORITY, value: first}]",
    passes="env: [{name: KRUISE_CONTAINER_PRIORITY, value: '5'}]",
)
ORDER_OF_ALL = warned(
    "launch-priority-ordered",
    "SidecarSet that orders the containers of its pods",
    "No SidecarSet orders the containers of its pods.",
    why="The annotation Ordered starts all containers one after another, and their priorities do not count.",
    mend="give the sidecar a KRUISE_CONTAINER_PRIORITY instead",
    within="spec",
    fails="patchPodMetadata: [{annotations: {apps.kruise.io/container-launch-priority: Ordered}}]",
    passes="patchPodMetadata: [{annotations: {example.com/team: a}}]",
)


def launch_priority_findings(spec: Object) -> Iterator[Finding]:
    """Warnings about priorities of containers, and about an order for all containers of the pods."""
    for index, container in enumerate(spec.get("containers") or ()):
        for at, env in enumerate(container.get("env") or ()):
            if env.get("name") == PRIORITY and (fault := _fault(env)):
                yield NUMBER.at(("spec", "containers", index, "env", at), fault)
    for index, item in enumerate(spec.get("patchPodMetadata") or ()):
        if (item.get("annotations") or {}).get(ANNOTATION) == ORDERED:
            path = ("spec", "patchPodMetadata", index, "annotations", ANNOTATION)
            yield ORDER_OF_ALL.at(path, "all containers of the pods start one after another")


def _fault(env: Object) -> str:
    from sidecarctl.engine.injection.launch_priority import launch_priority  # few SidecarSets have one

    try:
        launch_priority(env.get("value") or "")
    except ValueError as fault:
        return f"Kruise rejects the pods: {fault}"
    return ""
