"""Features in the inputs that the release of Kruise does not know.

Source: docs/behaviour/releases.md, "Known fields".
"""

from collections.abc import Iterable, Sequence

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity, as_warning
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.world import World
from sidecarctl.releases.release import MASTER, Release


def gate_findings(world: World, gates: Iterable[str]) -> list[Finding]:
    """An error, or a warning with --allow-unknown, for each feature gate that the release does not have."""
    return unknown_gates_of(world.release, gates, allow=world.allow_unknown)


def unknown_gates_of(release: Release, gates: Iterable[str], *, allow: bool) -> list[Finding]:
    """The same for a release; `allow`: as a warning."""
    if release is MASTER:
        return []
    from sidecarctl.sidecarset.release_gaps import unknown_gates  # the table of releases, which few runs need

    found = unknown_gates(gates, release)
    return list(map(as_warning, found)) if allow else found


def gaps_of(manifest: Object, release: Release, *, allow: bool) -> list[Finding]:
    """An error, or with `allow` a warning, for each field and value of a SidecarSet that a release does not know."""
    if release is MASTER:
        return []
    from sidecarctl.sidecarset.release_gaps import gaps

    found = gaps(manifest, release)
    return list(map(as_warning, found)) if allow else found


def gaps_among(world: World, older: Iterable[Located], only: Sequence[str]) -> list[Finding]:
    """The gaps of a world and of earlier manifests of its SidecarSets (of these names; all for none).

    The versions of a file in git often have the same gap: the first that has it says so.
    """
    found = [*world.gaps]
    for located in older:
        found += located.findings(gaps_of(located.manifest, world.release, allow=world.allow_unknown))
    first: dict[object, Finding] = {}
    for gap in found:
        name = gap.subject.name if gap.subject else ""
        if not only or name in only:
            first.setdefault((name, gap.path, gap.message), gap)
    return list(first.values())


def refuse_unknown(world: World, gates: Iterable[str] = ()) -> None:
    """ImpossibleError for what the release does not know, unless --allow-unknown is given."""
    refuse_errors([*world.gaps, *gate_findings(world, gates)])


def refuse_errors(found: Iterable[Finding]) -> None:
    """ImpossibleError for the errors among findings."""
    if errors := [item for item in found if item.severity is Severity.ERROR]:
        raise ImpossibleError(*errors)
