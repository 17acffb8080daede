"""Which release of Kruise a cluster runs, by the image of its controller.

Source: docs/behaviour/releases.md, "Profiles".
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, note
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.kubectl.cluster import KRUISE_NAMESPACE, MANAGER, Cluster
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.releases.versions import UnknownReleaseError, release_of_image

_CONTAINER = "manager"
_WHERE = f"the Deployment {MANAGER} in {KRUISE_NAMESPACE}"


class RunningRelease(NamedTuple):
    """The release, None where it cannot be told; and what there is to say about it."""

    release: Release | None
    findings: Sequence[Finding]


def running_release(cluster: Cluster) -> RunningRelease:
    """The release whose behaviour is that of the cluster."""
    try:
        answer = cluster.manager()
    except InputError as fault:
        return _unknown(fault.findings[0].message)
    try:
        with answer.path.open("rb") as file:
            return release_of_deployment(json.load(file))
    except ValueError:
        return _unknown(f"{_WHERE} is no JSON")


def release_of_deployment(deployment: Value) -> RunningRelease:
    """The same by the manifest of the controller's Deployment, whatever it holds."""
    image = _image(deployment)
    if not image:
        return _unknown(f"{_WHERE} names no image")
    try:
        release = release_of_image(image)
    except UnknownReleaseError as unknown:
        return _unknown(str(unknown))
    message = f"the cluster runs {image}: the behaviour of {release.behaviour} is computed"
    return RunningRelease(release, [note(Reason.RUNNING_RELEASE, message)])


def _unknown(why: str) -> RunningRelease:
    message = (
        f"the release of Kruise in the cluster is not known ({why}): the behaviour of {MASTER.behaviour} is computed"
    )
    hint = "name it with --kruise"
    return RunningRelease(None, [note(Reason.RUNNING_RELEASE, message)._replace(hint=hint)])


def _image(deployment: Value) -> str:
    """The image of the controller's container, else that of the only container; empty where there is none."""
    containers = [
        one for one in _at(deployment, "spec", "template", "spec", "containers") or () if isinstance(one, dict)
    ]
    named = [one for one in containers if one.get("name") == _CONTAINER]
    chosen = named or (containers if len(containers) == 1 else [])
    image = chosen[0].get("image") if chosen else None
    return image if isinstance(image, str) else ""


def _at(value: Value, *path: str) -> list[Value] | None:
    """The list at a path of mappings; None where there is none."""
    found: Value = value
    for step in path:
        members: Object = found if isinstance(found, dict) else {}
        found = members.get(step)
    return found if isinstance(found, list) else None
