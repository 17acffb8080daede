"""What the function does to each object: inject, take out again, or only look."""

from collections.abc import Callable

from sidecarctl.config.sidecar_injection import SidecarInjection
from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World
from sidecarctl.operations.checking.release_findings import refuse_unknown
from sidecarctl.operations.checking.sidecarset_checks import checked, refusals_and_doubts
from sidecarctl.operations.checking.sidecarset_warnings import record_warnings
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.transforming.object_changes import Change, Outcome, Transform
from sidecarctl.operations.transforming.pod_templates import Templates


class ModeWork(NamedTuple):
    """The task, the word for what it does to an object, and the findings about the SidecarSets."""

    transform: Transform
    verb: str
    findings: tuple[Finding, ...] = ()


VALIDATORS = ("validate", "check")
"""The modes that change nothing."""


def work_of(injection: SidecarInjection, world: World) -> ModeWork:
    """The work of a mode; UsageError for options that do not fit the world."""
    return _WORK[injection.mode](injection, world)


def _inject(injection: SidecarInjection, world: World) -> ModeWork:
    return ModeWork(_injecting(injection, world), "injected", _warnings(injection, world))


def _check(injection: SidecarInjection, world: World) -> ModeWork:
    inject = _injecting(injection, world)

    def check(found: ManifestObject) -> Change:
        change = inject(found)
        if change.after is None:
            return change
        missing = error(Reason.INJECTION_DIFFERS, f"injected sidecars are missing or out of date: {change.summary}")
        return change._replace(after=None, findings=(*change.findings, missing))

    return ModeWork(check, "to inject", _warnings(injection, world))


def _validate(injection: SidecarInjection, world: World) -> ModeWork:
    inject = _injecting(injection, world)

    def validate(found: ManifestObject) -> Change:
        change = inject(found)
        outcome = Outcome.CHANGED if change.outcome is Outcome.UNCHANGED else change.outcome  # both are valid
        return change._replace(after=None, outcome=outcome)

    return ModeWork(validate, "valid", _objections(injection, world))


def _uninject(injection: SidecarInjection, world: World) -> ModeWork:
    from sidecarctl.injection.remove.removal_scope import RemovalRequest
    from sidecarctl.operations.uninject import Uninject

    only = injection.options.only
    context = injection_context(world, injection.options._replace(only=()))
    request = RemovalRequest(frozenset(only) if only else None, injection.force)
    return ModeWork(Uninject(_templates(injection, world), context, request), "uninjected")


def _injecting(injection: SidecarInjection, world: World) -> Inject:
    refuse_unknown(world, injection.options.feature_gates)
    return Inject(_templates(injection, world), injection_context(world, injection.options, "spec.options.only"))


def _templates(injection: SidecarInjection, world: World) -> Templates:
    return Templates(world, injection.namespace, injection.workloads)


def _warnings(injection: SidecarInjection, world: World) -> tuple[Finding, ...]:
    return tuple(checked(world, injection.options.feature_gates, only=injection.options.only or None))


def _objections(injection: SidecarInjection, world: World) -> tuple[Finding, ...]:
    """Findings about the SidecarSets: what Kruise rejects is an error for a validator."""
    found = refusals_and_doubts(world, injection.options.feature_gates, injection.options.only or None)
    return (*map(_graver, found), *record_warnings(world))


def _graver(finding: Finding) -> Finding:
    """Fields that the API does not have are errors for a validator."""
    return finding._replace(severity=Severity.ERROR) if finding.reason is Reason.UNKNOWN_FIELD else finding


_WORK: dict[str, Callable[[SidecarInjection, World], ModeWork]] = {
    "inject": _inject,
    "uninject": _uninject,
    "check": _check,
    "validate": _validate,
}
