"""Turns the examples of rules into documents and inputs."""

from collections.abc import Iterable

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.facts.findings import ObjectReference, RuleSettings, reference_of
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.inputs.world import decides
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_UPDATES
from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import read_revision
from sidecarctl.engine.sidecarset.world import GivenPod, Located, World, nowhere
from sidecarctl.engine.validation.practice import kubernetes
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.features.validate.given_manifests import template_pods
from tests.engine.inputs.worlds import located

CONTAINER: Object = {"name": "agent", "image": "agent:1.2"}
VOLUMES: list[Object] = [
    {"name": "spool", "emptyDir": {}},
    {"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}},
]


def sound_set(**spec: Value) -> Object:
    """A SidecarSet that nobody refuses, with other members of its spec."""
    members = {"selector": {"matchLabels": {"app": "web"}}, "containers": [CONTAINER], "volumes": VOLUMES}
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "agent"},
        "spec": members | spec,
    }


def documents_of(rule: Rule, text: str) -> list[Object]:
    """The documents that an example stands for."""
    if rule.within in {"stream", "update"}:
        return read(text)
    [value] = read(text)
    match rule.within:
        case "container":
            return [sound_set(containers=[CONTAINER | value])]
        case "init":
            native = {"type": "NotUpdate"}
            return [sound_set(initContainers=[{"name": "setup", "image": "s:1"} | value], updateStrategy=native)]
        case "volume":
            return [sound_set(volumes=[value])]
        case "spec":
            return [sound_set(**value)]
    return [sound_set() | value]


def sets_of(documents: Iterable[Object]) -> list[Object]:
    """The documents that are SidecarSets of a version that there is."""
    versions = {"apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"}
    return [
        document
        for document in documents
        if document.get("kind") == "SidecarSet" and document.get("apiVersion") in versions
    ]


def given_by(documents: Iterable[Object], older: Object | None = None, release: Release = MASTER) -> World:
    """The inputs that some documents make."""
    by_kind: dict[str, list[Object]] = {}
    for document in documents:
        by_kind.setdefault(document["kind"], []).append(document)
    sets = sets_of(by_kind.pop("SidecarSet", []))
    return World(
        sidecarsets=[admit(item, release) for item in sets],
        sources={item["metadata"].get("name", ""): located(item) for item in sets},
        namespaces={
            item["metadata"]["name"]: item["metadata"].get("labels") or {} for item in by_kind.pop("Namespace", [])
        },
        revisions=tuple(read_revision(item) for item in by_kind.pop("ControllerRevision", [])),
        others=whitelist_of(by_kind.get("ConfigMap", ())),
        budgets=tuple(map(located, by_kind.pop("PodUnavailableBudget", ()))),
        pods=[
            pod
            for kind in ("Pod", "Deployment", "DaemonSet", "Job")
            for item in by_kind.pop(kind, [])
            for pod in pods_of(item)
        ],
        objects=by_kind,
        older={older["metadata"]["name"]: admit(older, release)} if older else {},
    )


def whitelist_of(config_maps: Iterable[Object]) -> dict[ObjectReference, Located]:
    """The ConfigMap of the whitelist, and those that look like it, of some."""
    found = (located(item) for item in config_maps)
    return {item.reference: item for item in found if decides(item.reference, item.manifest)}


def pods_of(manifest: Object) -> Iterable[GivenPod]:
    """The pods of a manifest, with no place."""
    chunk = next(iter(split([b"{}"], 9)))
    document = next(iter(Reader().documents(chunk)))
    pods = template_pods(Located(manifest, reference_of(manifest), "", document, ()), "", ())
    return [pod._replace(place=nowhere) for pod in pods]


def given_of(rule: Rule, text: str) -> World:
    """The inputs that an example stands for."""
    documents = documents_of(rule, text)
    release = release_named(rule.until) if rule.until else MASTER
    if rule.within == "update":
        return given_by(documents[1:], documents[0])
    if rule in (kubernetes.NATIVE, kubernetes.FIELD):
        return given_by(documents)._replace(rules=RuleSettings(kubernetes=27))
    gates = frozenset({BUDGETS_FOR_UPDATES} if rule.within == "stream" else ())
    return given_by(documents, release=release)._replace(gates=gates)


def read(text: str) -> list[Object]:
    """The documents of YAML, as the program itself reads them."""
    chunks = split([text.encode()], len(text) + 1)
    return [document.value for chunk in chunks for document in Reader().documents(chunk)]
