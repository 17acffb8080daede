"""Warnings about SidecarSets that every command reports."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from sidecarctl.engine.facts.errors import ImpossibleError, RefusedError
from sidecarctl.engine.facts.findings import Finding, Severity, as_warning, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import Selection
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.pod.set_plan import reference_to
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.sidecarset.admission import stale_hashes
from sidecarctl.engine.sidecarset.release_gaps import gaps, unknown_gates
from sidecarctl.engine.sidecarset.revisions.revision_choice import asked_revision
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import WebhookScope
from sidecarctl.engine.sidecarset.world import Located, World
from sidecarctl.engine.validation.practice.fields import null_member_findings, unknown_field_findings
from sidecarctl.engine.validation.suppression import ignored_by, refuses, regraded, without


def gate_findings(world: World, gates: Collection[str]) -> list[Finding]:
    """An error, or a warning with --allow-unknown, for each feature gate that the release does not have."""
    return unknown_gates_of(world.release, gates, allow=world.rules.allow_unknown)


def unknown_gates_of(release: Release, gates: Collection[str], *, allow: bool) -> list[Finding]:
    """An error for each feature gate that a release does not have; with `allow` a warning."""
    if release is MASTER:
        return []

    found = unknown_gates(gates, release)
    return list(map(as_warning, found)) if allow else found


def gaps_of(manifest: Object, release: Release, *, allow: bool) -> list[Finding]:
    """An error, or with `allow` a warning, for each field and value of a SidecarSet that a release does not know."""
    if release is MASTER:
        return []

    found = gaps(manifest, release)
    return list(map(as_warning, found)) if allow else found


def gaps_among(world: World, older: Iterable[Located], only: Sequence[str]) -> list[Finding]:
    """The gaps of a world and of earlier manifests of its SidecarSets (of these names; all for none).

    Versions of a file in git often share a gap: it is reported once, for the first of them.
    """
    found = [*world.gaps]
    for located in older:
        found += located.findings(gaps_of(located.manifest, world.release, allow=world.rules.allow_unknown))
    first: dict[object, Finding] = {}
    for gap in found:
        name = gap.subject.name if gap.subject else ""
        if not only or name in only:
            first.setdefault((name, gap.path, gap.message), gap)
    return list(first.values())


def refuse_unknown(world: World, gates: Collection[str] = ()) -> None:
    """ImpossibleError for what the release does not know, unless --allow-unknown is given."""
    refuse_errors([*world.gaps, *gate_findings(world, gates)])


def refuse_errors(found: Iterable[Finding]) -> None:
    """ImpossibleError for the errors among findings."""
    if errors := [item for item in found if item.severity is Severity.ERROR]:
        raise ImpossibleError(*errors)


def accepted(
    world: World, gates: frozenset[str], *, strict: bool = False, only: Collection[str] | None = None
) -> list[Finding]:
    """`checked`, but ImpossibleError if Kruise would reject one of the SidecarSets; conflicts show in the pods.

    Those with a uid are in a cluster, whose webhook has accepted them. What the release does not know comes first.
    """
    refuse_unknown(world, gates)
    found = list(refusals_and_doubts(world, gates, only))
    held = {item.name for item in world.sidecarsets if item.metadata.get("uid")}
    refuse_errors(item for item in found if refuses(item) and item.subject and item.subject.name not in held)
    return _graded(world, found, strict=strict)


def checked(
    world: World, gates: frozenset[str], *, strict: bool = False, only: Collection[str] | None = None
) -> list[Finding]:
    """Warnings about the SidecarSets, with places, except suppressed ones; RefusedError if `strict`.

    `only` names the SidecarSets to check; None for all.
    """
    return _graded(world, list(refusals_and_doubts(world, gates, only)), strict=strict)


def refuse_warnings(found: Iterable[Finding]) -> None:
    """RefusedError for findings that are more than notes."""
    if graver := [item for item in found if item.severity is not Severity.NOTE]:
        raise RefusedError(*(finding._replace(severity=Severity.ERROR) for finding in graver))


def _graded(world: World, found: list[Finding], *, strict: bool) -> list[Finding]:
    notes = [finding for finding in found if finding.severity is Severity.NOTE]  # about what was read
    graver = [finding for finding in found if finding.severity is not Severity.NOTE]
    if strict:
        refuse_warnings(graver)
    return [*notes, *map(as_warning, graver), *record_warnings(world), *ignored_failures(world.webhook)]


def ignored_failures(webhook: WebhookScope) -> Iterator[Finding]:
    """A note if the MutatingWebhookConfiguration lets pods through when the webhook cannot be reached."""
    if webhook.configured is not None and webhook.failure_policy == "Ignore":
        message = (
            "failurePolicy of Kruise's MutatingWebhookConfiguration is Ignore: while the webhook cannot be reached, "
            "pods are created without sidecars"
        )
        yield note(Reason.IGNORED_FAILURES, message)


def refusals_and_doubts(
    world: World, gates: frozenset[str], only: Collection[str] | None = None
) -> Iterator[Finding]:
    """Errors and warnings about the SidecarSets of a world, and about documents that are almost SidecarSets."""
    yield from world.remarks
    if not world.sidecarsets:
        return
    from sidecarctl.engine.validation.checking import own_findings

    asked, by_name = world._replace(gates=gates), world.by_name
    for sidecarset in world.sidecarsets:
        if only is not None and sidecarset.name not in only:
            continue
        ignored = ignored_by(sidecarset.metadata) | world.rules.ignored
        own = without(regraded(own_findings(sidecarset, asked, by_name), world.rules.severities), ignored)
        graver = (finding for finding in own if finding.severity is not Severity.NOTE)
        yield from world.sources[sidecarset.name].findings(graver)


_NAMED = 3
"""The number of namespaces that a warning names."""


def sidecarset_warnings(world: World) -> list[Finding]:
    """Documents that are almost SidecarSets, unknown fields, and `record_warnings`."""
    findings = [*world.remarks]
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        findings += source.findings(unknown_field_findings(source.manifest, sidecarset.release))
        findings += source.findings(null_member_findings(source.manifest))
    return [*findings, *record_warnings(world), *ignored_failures(world.webhook)]


def warnings_of(world: World, gates: Collection[str]) -> list[Finding]:
    """`sidecarset_warnings`, what Kruise rejects in the SidecarSets, and what is wrong with the feature gates.

    A SidecarSet of a cluster passed the webhook of its time, so nothing is refused here.
    """
    return [*sidecarset_warnings(world), *_rejections(world, gates), *gate_findings(world, gates)]


def _rejections(world: World, gates: Collection[str]) -> Iterator[Finding]:
    from sidecarctl.engine.validation.checking import own_findings

    asked, by_name = world._replace(gates=frozenset(gates)), world.by_name
    for sidecarset in world.sidecarsets:
        rejected = filter(refuses, own_findings(sidecarset, asked, by_name))
        yield from map(as_warning, world.sources[sidecarset.name].findings(rejected))


def unsaid(warnings: Iterable[Finding], findings: Iterable[Finding]) -> list[Finding]:
    """The warnings that are not among the findings, whatever their severity there."""
    said = {(item.subject, item.path, item.message) for item in findings}
    return [item for item in warnings if (item.subject, item.path, item.message) not in said]


def record_warnings(world: World) -> list[Finding]:
    """Warnings about recorded values: stale hashes, empty revisions.

    First, features that the release of Kruise does not know, as errors unless allowed (`World.gaps`).
    """
    findings = list(world.gaps)
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        findings += source.findings([*stale_hashes(source.manifest, sidecarset), *_empty_revision(sidecarset, world)])
    return findings


def _empty_revision(sidecarset: SidecarSet, world: World) -> Iterator[Finding]:
    """A warning if the revision that a SidecarSet names has no data."""
    revision = asked_revision(sidecarset, world.revisions)
    if revision is not None and revision.data is None:
        message = f"the ControllerRevision {revision.name} has no data, so the current SidecarSet is injected"
        yield warning(Reason.EMPTY_REVISION, message, ("spec", "injectionStrategy", "revision"))


def injected_pod_warnings(pod: Object, injection: PodInjection, selection: Selection) -> Iterator[Finding]:
    """Errors of the injected pod that the original pod did not have, with the SidecarSet as subject."""
    on_host = bool(injection.pod["spec"].get("hostNetwork"))
    if not (
        _has_a_name_twice(injection.pod) or any(_may_clash(each, on_host=on_host) for each in selection.sidecarsets)
    ):
        return
    sets = {choice.sidecarset.name: choice.sidecarset for choice in selection.applied}
    from sidecarctl.engine.validation.pods.invalid import refused_findings

    for name, finding in refused_findings(pod, injection, sets):
        yield as_warning(finding)._replace(subject=reference_to(sets[name]))  # the pod is injected anyway


def _may_clash(sidecarset: SidecarSet, *, on_host: bool) -> bool:
    """Whether a SidecarSet adds what is valid on its own but may be rejected in a pod, other than names.

    `on_host`: the pod has the network of its node, where each port is a hostPort.
    """
    if sidecarset.release.init_injection == "neither volumes nor envs" and sidecarset.spec.get("initContainers"):
        return True  # whose volumes are not added
    for field in ("containers", "initContainers"):  # a plain loop: this runs for every pod
        for container in sidecarset.spec.get(field, ()):
            if "resourcesPolicy" in container or any(
                on_host or "hostPort" in port for port in container.get("ports", ())
            ):
                return True
    return False


def _has_a_name_twice(pod: Object) -> bool:
    spec = pod["spec"]
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    names = [container.get("name") if container else None for container in containers]
    return len(names) != len(set(names))
