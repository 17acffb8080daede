"""The two hashes by which Kruise knows whether a pod runs a set's present version.

Source: docs/behaviour/hash-and-revisions.md, "The two hashes".
"""

from sidecarctl.api.canonical import encoded
from sidecarctl.api.go_json import compact
from sidecarctl.facts.digests import sha256
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.sidecarset.safe_encoding import safely_encoded


class Hashes(NamedTuple):
    """The hash of a set, and the one that leaves out the images."""

    hash: str
    hash_without_image: str


def hashes(spec: Object, written: Object, release: Release = MASTER) -> Hashes:
    """Both hashes of a spec in typed form, over the fields that a release knows.

    `written` is the spec that it was made from: a list of containers that is empty there counts differently
    from an absent one, and the typed form has neither.
    """
    containers, init_containers = (
        spec.get(name, [] if written.get(name) == [] else None) for name in ("containers", "initContainers")
    )
    return Hashes(
        _hash(containers, init_containers, release),
        _hash(_without_image(containers), _without_image(init_containers), release),
    )


def annotations_of(computed: Hashes) -> dict[str, str]:
    """The annotations by which a set carries its hashes."""
    return {HASH: computed.hash, HASH_WITHOUT_IMAGE: computed.hash_without_image}


def _hash(containers: Value, init_containers: Value, release: Release) -> str:
    hashed = {"containers": _encoded(containers, release)}
    if any(map(is_native_sidecar, init_containers or ())):
        hashed["initContainers"] = _encoded(init_containers, release)
    return safely_encoded(sha256(compact(hashed).encode()).hexdigest())


def _encoded(containers: Value, release: Release) -> Value:
    # The type is the same in both API versions.
    return None if containers is None else encoded(containers, "[]v1beta1.SidecarContainer", release)


def _without_image(containers: Value) -> Value:
    return containers and [container | {"image": ""} for container in containers]
