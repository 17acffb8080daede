"""The examples of rules, made into what they stand for."""

from collections.abc import Iterable

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.releases.versions import release_named
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.revisions.controller_revisions import read_revision
from sidecarctl.validation.given import Given, whitelist_in
from sidecarctl.validation.rules import Rule

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


def given_by(documents: Iterable[Object], older: Object | None = None, release: Release = MASTER) -> Given:
    """The inputs that some documents make."""
    by_kind: dict[str, list[Object]] = {}
    for document in documents:
        by_kind.setdefault(document["kind"], []).append(document)
    sets = sets_of(by_kind.pop("SidecarSet", []))
    return Given(
        sidecarsets=[admit(item, release) for item in sets],
        manifests={item["metadata"].get("name", ""): item for item in sets},
        namespaces={
            item["metadata"]["name"]: item["metadata"].get("labels") or {} for item in by_kind.pop("Namespace", [])
        },
        revisions=[read_revision(item) for item in by_kind.pop("ControllerRevision", [])],
        pods=by_kind.pop("Pod", []),
        whitelist=whitelist_in(by_kind.get("ConfigMap", ())),
        others=by_kind,
        older={older["metadata"]["name"]: admit(older, release)} if older else {},
    )


def given_of(rule: Rule, text: str) -> Given:
    """The inputs that an example stands for."""
    documents = documents_of(rule, text)
    release = release_named(rule.until) if rule.until else MASTER
    return given_by(documents[1:], documents[0]) if rule.within == "update" else given_by(documents, release=release)


def read(text: str) -> list[Object]:
    """The documents of YAML, as the program itself reads them."""
    chunks = split([text.encode()], len(text) + 1)
    return [document.value for chunk in chunks for document in Reader().documents(chunk)]
