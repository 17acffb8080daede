"""Which cluster it is, and which Kruise runs there."""

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.kubectl.cluster import KRUISE_NAMESPACE, Cluster
from sidecarctl.plan_file.cluster_identity import ClusterIdentity

_SYSTEM = "/api/v1/namespaces/kube-system"
_MANAGER = f"/apis/apps/v1/namespaces/{KRUISE_NAMESPACE}/deployments/kruise-controller-manager"
_VERSION = lazy_pattern(r"v?([0-9]+\.[0-9]+\.[0-9]+.*)")


def identity_of(cluster: Cluster) -> tuple[ClusterIdentity, list[Finding]]:
    """What can be read of it, and a note for each part that cannot.

    InputError if the cluster does not answer at all.
    """
    notes: list[Finding] = []
    uid = ""
    try:
        uid = cluster.object(_SYSTEM)["metadata"]["uid"]
    except InputError as fault:
        notes.append(_note(Reason.CLUSTER_UNKNOWN, "the plan does not record its cluster", fault))
    kruise, more = kruise_of(cluster)
    return ClusterIdentity(uid, kruise), [*notes, *more]


def kruise_of(cluster: Cluster) -> tuple[str, list[Finding]]:
    """The version of Kruise that runs there; if it is unknown, an empty text and a note why."""
    try:
        image = manager_image(cluster.object(_MANAGER))
    except InputError as fault:
        return "", [_note(Reason.KRUISE_UNKNOWN, "the Kruise version is unknown", fault)]
    if kruise := version_in(image):
        return kruise, []
    message = f"the Kruise version is unknown: its image is {image or 'not named'}"
    return "", [Finding(Severity.NOTE, Reason.KRUISE_UNKNOWN, message)]


def manager_image(deployment: Object) -> str:
    """The image of Kruise's controller: of the container `manager`, else of the first."""
    containers = deployment["spec"]["template"]["spec"]["containers"]
    named = [container for container in containers if container["name"] == "manager"] or containers
    return str(named[0].get("image") or "")


def version_in(image: str) -> str:
    """The version that an image's tag names, without its v; empty for a digest, and for a tag that is no version."""
    if "@" in image:
        return ""
    tag = image.rpartition("/")[2].partition(":")[2]
    found = _VERSION.fullmatch(tag)
    return found[1] if found else ""


def _note(reason: Reason, message: str, fault: InputError) -> Finding:
    """The note, with what kubectl said; anything but a missing right or object is raised again."""
    (problem,) = fault.findings
    if problem.reason not in (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND):
        raise fault
    return Finding(Severity.NOTE, reason, f"{message}: {problem.message}", place=problem.place)
