"""Fields and variables of initContainers that Kruise ignores there, in this release or in all.

Source: docs/behavior/injection.md; docs/behavior/releases.md; docs/behavior/pod-webhook.md.
"""

from collections.abc import Callable, Iterator, Mapping

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, value_at
from sidecarctl.engine.injection.webhook_steps import PRIORITY
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.release_gaps import first_release
from sidecarctl.engine.sidecarset.sets import is_hot, is_native_sidecar
from sidecarctl.engine.validation.rules import warned

IGNORED = warned(
    "ignored-in-init-container",
    "Field that Kruise ignores in initContainers",
    "initContainers have only fields and variables that Kruise applies there.",
    why="Up to 1.4, Kruise shares no volumes with initContainers, and up to 1.0 it transfers no variables to them; "
    "older releases also ignore their podInjectPolicy. No release has launch priorities or hot upgrades of plain "
    "initContainers, or ends an initContainer when a Job is done.",
    mend="delete it, or move the container to containers",
    within="init",
    fails="env: [{name: KRUISE_CONTAINER_PRIORITY, value: '5'}]",
    passes="env: [{name: PRIORITY, value: '5'}]",
)


def _shares(release: Release) -> bool:
    return release.init_injection == "like containers"


_IN_RELEASES: Mapping[Path, Callable[[Release], bool]] = {
    ("podInjectPolicy",): lambda release: release.init_containers_replace,
    ("shareVolumePolicy",): _shares,
    ("shareVolumeDevicePolicy",): _shares,
    ("transferEnv",): lambda release: release.init_injection != "neither volumes nor envs",
}
"""The fields, and whether a release applies them."""
_TERMINATES = ("KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT", "KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE")


def ignored_findings(written: Object, release: Release) -> Iterator[Finding]:
    """What has no effect in the initContainers of a manifest, which has no defaults."""
    for index, container in enumerate(value_at(written, ("spec", "initContainers")) or ()):
        if container:
            yield from _in(container, ("spec", "initContainers", index), release)


def _in(container: Object, path: Path, release: Release) -> Iterator[Finding]:
    for field, applies in _IN_RELEASES.items():
        given = value_at(container, field)
        is_off = isinstance(given, dict) and given.get("type") == "disabled"
        if given and not is_off and not applies(release):
            message = f"it has no effect in initContainers before {first_release(release, applies)}"
            yield IGNORED.at((*path, *field), message, "delete it, or upgrade Kruise")
    if is_hot(container) and not is_native_sidecar(container):
        message = "it has no effect: an initContainer that runs to completion is never upgraded"
        yield IGNORED.at((*path, "upgradeStrategy"), message)
    for index, env in enumerate(container.get("env") or ()):
        name = (env or {}).get("name")
        if name == PRIORITY:
            message = f"{PRIORITY} has no effect: Kruise orders only the start of containers"
            yield IGNORED.at((*path, "env", index), message)
        elif name in _TERMINATES:
            message = f"{name} has no effect: Kruise ends only containers when a Job is done"
            yield IGNORED.at((*path, "env", index), message)
