"""What the function does to each object: inject, take out again, or only look."""

from collections.abc import Callable
from typing import NamedTuple

from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.tasks.changes import Change, Transform
from sidecarctl.tasks.inject import Inject
from sidecarctl.tasks.objects import ManifestObject
from sidecarctl.tasks.remarks import remarks
from sidecarctl.tasks.sidecar_injection import SidecarInjection
from sidecarctl.tasks.world import World


class Work(NamedTuple):
    """The task, the word for what it does to an object, and what there is to say about the sets."""

    transform: Transform
    verb: str
    findings: tuple[Finding, ...] = ()


VALIDATORS = ("validate", "check")
"""The modes that change nothing."""


def work_of(injection: SidecarInjection, world: World) -> Work:
    """The work of a mode; InputError for options that the world does not bear."""
    return _WORK[injection.mode](injection, world)


def _inject(injection: SidecarInjection, world: World) -> Work:
    return Work(_injecting(injection, world), "injected", tuple(remarks(world)))


def _check(injection: SidecarInjection, world: World) -> Work:
    inject = _injecting(injection, world)

    def check(found: ManifestObject) -> Change:
        change = inject(found)
        if change.after is None:
            return change
        missing = error(Reason.NOT_INJECTED, f"sidecars are missing or stale: {change.summary}")
        return change._replace(after=None, findings=(*change.findings, missing))

    return Work(check, "to inject", tuple(remarks(world)))


def _validate(injection: SidecarInjection, world: World) -> Work:
    inject = _injecting(injection, world)
    return Work(lambda found: inject(found)._replace(after=None), "valid", tuple(map(_graver, remarks(world))))


def _injecting(injection: SidecarInjection, world: World) -> Inject:
    context = injection.options.context(world, "spec.options.only")
    return Inject(world, context, injection.namespace, injection.workloads)


def _graver(finding: Finding) -> Finding:
    """Fields that the API does not have are errors for a validator."""
    return finding._replace(severity=Severity.ERROR) if finding.reason is Reason.UNKNOWN_FIELD else finding


_WORK: dict[str, Callable[[SidecarInjection, World], Work]] = {
    "inject": _inject,
    "check": _check,
    "validate": _validate,
}
