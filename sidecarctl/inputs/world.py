"""The world of a run: everything that decides about pods, from all inputs together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sidecarctl.api.decoding import check
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.findings import Finding, as_warning, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.deciding_kinds import is_whitelist
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.sidecarset_names import refuse_nameless
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.recorded_hashes import with_recorded_hashes
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, new_revision, read_revision
from sidecarctl.sidecarset.sets import SidecarSet


class World(NamedTuple):
    """What decides about pods. SidecarSets are admitted and in name order; namespaces are their labels by name."""

    sidecarsets: tuple[SidecarSet, ...] = ()
    namespaces: Mapping[str, Mapping[str, str]] = {}
    revisions: tuple[Revision, ...] = ()
    sources: Mapping[str, Located] = {}
    """Where each SidecarSet was read, by its name."""
    namespace_sources: Mapping[str, Located] = {}
    """Where each Namespace was read, by its name."""
    whitelist: Object | None = None
    """The ConfigMap that says which annotations may be patched, if it is among the inputs."""
    whitelist_sources: tuple[Located, ...] = ()
    """Every ConfigMap of the whitelist's name, also those in namespaces where Kruise does not look."""
    remarks: tuple[Finding, ...] = ()
    """What is odd about the documents that were read."""

    release: Release = MASTER
    """The Kruise that admitted all of it."""

    gaps: tuple[Finding, ...] = ()
    """What the SidecarSets ask for that this release does not know: errors, or warnings where that is allowed."""

    allow_unknown: bool = False

    names_release: bool = False
    """Whether the user named the release."""


def chosen_sidecarsets(world: World, only: Sequence[str], option: str = "--only") -> list[SidecarSet]:
    """The SidecarSets of these names, all of them for no names; UsageError for a name that none has."""
    refuse_unknown_sidecarsets(only, [sidecarset.name for sidecarset in world.sidecarsets], option)
    return [sidecarset for sidecarset in world.sidecarsets if not only or sidecarset.name in only]


def refuse_unknown_sidecarsets(only: Iterable[str], known: Iterable[str], option: str = "--only") -> None:
    """UsageError for a name that no SidecarSet has; `option` is where it was named."""
    names = sorted(set(known))
    for name in only:
        if name not in names:
            hint = f"SidecarSets: {', '.join(names)}" if names else ""
            raise usage_error(f"{option} {name}: SidecarSet not found", hint=hint)


def world_of(
    found: Iterable[Located],
    older: Iterable[Located] = (),
    *,
    trust_annotated_hash: bool = False,
    release: Release = MASTER,
    allow_unknown: bool = False,
    names_release: bool = False,
) -> tuple[World, list[Finding]]:
    """The world that some objects make, without what cannot be decoded in it, and the errors about that.

    `older` are earlier manifests of SidecarSets, used as their revisions. With `trust_annotated_hash` the hashes that
    a SidecarSet's manifest records are used, not the computed ones. `release` is the Kruise that admits all of them;
    with `allow_unknown` what it does not know is a warning, else an error. `names_release`: the user named it.
    """
    sources: dict[str, Located] = {}
    namespaces: dict[str, Mapping[str, str]] = {}
    namespace_sources: dict[str, Located] = {}
    revisions: list[Revision] = []
    whitelists: list[Located] = []
    faults: list[Finding] = []
    gaps: list[Finding] = []
    for located in found:
        manifest, name = located.manifest, located.reference.name
        match located.reference.kind:
            case "SidecarSet" if not _has_name(manifest):
                with _collecting(faults, located):
                    _admitted(located, release)
            case "SidecarSet":
                other = sources.setdefault(name, located)
                if other.manifest != manifest:
                    faults += located.findings([_second(name, other)])
            case "Namespace":
                with _collecting(faults, located):
                    namespaces[name] = _labels(manifest)
                    namespace_sources[name] = located
            case "ConfigMap":
                whitelists.append(located)
            case "ControllerRevision":
                with _collecting(faults, located):
                    revisions.append(read_revision(manifest))
    sets: list[SidecarSet] = []
    for located in sources.values():
        with _collecting(faults, located):
            admitted = _admitted(located, release)
            gaps += _gaps(located, release)
            sets.append(with_recorded_hashes(located.manifest, admitted) if trust_annotated_hash else admitted)
    for number, located in enumerate(older, len(revisions) + 1):
        with _collecting(faults, located):
            revisions.append(new_revision(_admitted(located, release), number))
            gaps += _gaps(located, release)
    sets.sort(key=lambda sidecarset: sidecarset.name)
    reported = tuple(map(as_warning, gaps) if allow_unknown else gaps)
    world = World(
        tuple(sets),
        namespaces,
        tuple(revisions),
        sources,
        namespace_sources,
        next(
            (config_map.manifest for config_map in reversed(whitelists) if is_whitelist(config_map.reference)), None
        ),
        tuple(whitelists),
        release=release,
        gaps=reported,
        allow_unknown=allow_unknown,
        names_release=names_release,
    )
    return world, faults


def _gaps(located: Located, release: Release) -> list[Finding]:
    """What an admitted SidecarSet asks for that a release does not know."""
    if release is MASTER:
        return []
    from sidecarctl.sidecarset.release_gaps import gaps  # the table of releases, which few runs need

    return located.findings(gaps(located.manifest, release))


def _has_name(manifest: Object) -> bool:
    """Whether a SidecarSet has a name of its own; `reference.name` may be a generateName."""
    metadata = manifest.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("name"))


def _admitted(located: Located, release: Release) -> SidecarSet:
    """The SidecarSet as the cluster would hold it; InputError for one that no cluster accepts."""
    admitted = admit(located.manifest, release)
    refuse_nameless(located.manifest)
    return admitted


@contextmanager
def _collecting(faults: list[Finding], located: Located) -> Iterator[None]:
    """Collect the findings of an unreadable object, so that all of them are reported at once."""
    try:
        yield
    except InputError as fault:
        faults += located.findings(fault.findings)


def _labels(namespace: Object) -> Mapping[str, str]:
    if problems := check(namespace, "core.Namespace"):
        raise InputError(*problems)
    labels = (namespace.get("metadata") or {}).get("labels") or {}
    return {key: value or "" for key, value in labels.items()}  # null is an empty text to the API


def _second(name: str, other: Located) -> Finding:
    message = f"SidecarSet {name} is also defined in {other.place()}, with different content"
    return error(Reason.DUPLICATE_SET, message, ("metadata", "name"), hint="keep only one of them")
