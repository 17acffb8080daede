"""Files and folders to inputs, for scripts and for the tests of a repository."""

from collections.abc import Iterable, Mapping
from os import PathLike

from sidecarctl.engine.api.decoding import described
from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.taught_kinds import parse_workloads
from sidecarctl.engine.facts.errors import InputError, usage_error
from sidecarctl.engine.inputs.manifests import read_manifests
from sidecarctl.engine.inputs.opening import Named, opened
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.releases.feature_gates import GATES, OTHERS, gates_that_differ, is_known
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.library.inputs import Inputs


def load(
    paths: Iterable[str],
    *,
    kruise: str = "",
    namespace: str = "default",
    feature_gates: Mapping[str, bool] | None = None,
    namespace_labels: Mapping[str, Mapping[str, str]] | None = None,
    template_paths: Iterable[str] = (),
) -> Inputs:
    """Read SidecarSets, pods, workloads and Namespaces from files, folders and `git:REV[:PATH]`.

    `kruise` is a release such as `1.8`, the newest one by default. `namespace` is that of objects without one.
    `namespace_labels` are the labels of Namespaces that no file has. `template_paths` are those of other kinds,
    as for --template-path. InputError for what cannot be read, UsageError for arguments that make no sense.
    """
    if isinstance(paths, str | PathLike):
        raise usage_error(f"paths is a list of paths, not only {paths}", hint=f'write ["{paths}"]')
    _refuse_types(kruise=(kruise, str), namespace=(namespace, str))
    for name, labels in (namespace_labels or {}).items():
        _refuse_types(**{f"namespace_labels[{name}]": (labels, Mapping)})
    how = Reading(
        namespace=namespace,
        workloads=parse_workloads(tuple(template_paths)),
        release=named_release(kruise),
        namespaces=namespace_labels or {},
    )
    return loaded(Named([str(path) for path in paths]), how, gates_of(feature_gates or {}))


def _refuse_types(**given: tuple[object, type]) -> None:
    for name, (value, kind) in given.items():
        if not isinstance(value, kind):
            wanted = "a text" if kind is str else "a mapping"
            raise usage_error(f"{name} is {wanted}, not {described(value)}")


def loaded(named: Named, how: Reading, gates: frozenset[str] = frozenset()) -> Inputs:
    """The inputs behind some paths; InputError with everything in them that cannot be read."""
    with opened(named) as (sources,):
        manifests = read_manifests(sources, how)
    if manifests.failures:
        raise InputError(*manifests.failures)
    return Inputs(manifests, how, gates)


def named_release(name: str) -> Release:
    """The release with a name, the default for none; UsageError for one that is not known."""
    if not name:
        return DEFAULT
    try:
        return release_named(name)
    except UnknownReleaseError as unknown:
        raise usage_error(f"kruise {name} {unknown.why}", hint=f"one of {', '.join(unknown.nearest)}") from None


def gates_of(said: Mapping[str, bool]) -> frozenset[str]:
    """The feature gates that differ from their defaults; UsageError for one that is not known."""
    _refuse_types(feature_gates=(said, Mapping))
    for gate, on in said.items():
        if not isinstance(on, bool):
            raise usage_error(f"feature gate {gate} is True or False, not {described(on)}")
        if not is_known(gate):
            meant = did_you_mean(gate, [*GATES, *OTHERS])
            raise usage_error(f"unknown feature gate {gate}", hint=f"did you mean {meant}?" if meant else "")
    return gates_that_differ(dict(said))
