"""Which cluster it is, and which Kruise runs there."""

import re

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.kubectl.cluster import KRUISE_NAMESPACE, Cluster
from sidecarctl.plan_file.cluster_identity import ClusterIdentity

_SYSTEM = "/api/v1/namespaces/kube-system"
_MANAGER = f"/apis/apps/v1/namespaces/{KRUISE_NAMESPACE}/deployments/kruise-controller-manager"
_VERSION = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+.*)")


def identity_of(cluster: Cluster) -> tuple[ClusterIdentity, list[Finding]]:
    """What can be read of it, and a note for each part that cannot.

    InputError where the cluster does not answer at all.
    """
    notes: list[Finding] = []
    uid = kruise = ""
    try:
        uid = cluster.object(_SYSTEM)["metadata"]["uid"]
    except InputError as fault:
        notes.append(_note(Reason.CLUSTER_UNKNOWN, "the plan does not record which cluster it is for", fault))
    try:
        image = manager_image(cluster.object(_MANAGER))
    except InputError as fault:
        notes.append(_note(Reason.KRUISE_UNKNOWN, "the version of Kruise is not known", fault))
    else:
        kruise = version_in(image)
        if not kruise:
            message = f"the version of Kruise is not known: its image is {image or 'not named'}"
            notes.append(Finding(Severity.NOTE, Reason.KRUISE_UNKNOWN, message))
    return ClusterIdentity(uid, kruise), notes


def manager_image(deployment: Object) -> str:
    """The image of Kruise's controller: of the container `manager`, else of the first."""
    containers = deployment["spec"]["template"]["spec"]["containers"]
    named = [one for one in containers if one["name"] == "manager"] or containers
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
