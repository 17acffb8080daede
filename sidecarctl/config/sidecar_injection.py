"""An object of kind SidecarInjection: the configuration of the KRM function and of `--config`.

Its schema is schemas/sidecar-injection.json.
"""

from collections.abc import Iterator
from functools import cache

from sidecarctl.api.schema_checks import schema_check
from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.api.workloads import Workload, parse_workload
from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.errors import InputError, UsageError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.files.shipped_schemas import shipped_schema
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.releases.versions import UnknownReleaseError, release_named

KIND = "SidecarInjection"
_OPTIONS: Path = ("spec", "options")


class SidecarInjection(NamedTuple):
    """The content of a SidecarInjection.

    `sidecarsets` are the objects inside it (SidecarSets and other inputs), with their paths in it; `paths` are
    files and folders with more of them.
    """

    mode: str = "inject"
    sidecarsets: tuple[tuple[Path, Object], ...] = ()
    paths: tuple[str, ...] = ()
    revision_from: tuple[str, ...] = ()
    recursive: bool = False
    options: InjectionOptions = InjectionOptions()
    namespace: str = "default"
    workloads: tuple[Workload, ...] = ()
    trust_annotated_hash: bool = False
    force: bool = False
    strict: bool = False
    allow_empty: bool = False
    release: Release = MASTER
    allow_unknown: bool = False
    names_release: bool = False


def is_sidecar_injection(manifest: Value) -> bool:
    """Whether a value is a SidecarInjection, of any version."""
    if not isinstance(manifest, dict):
        return False
    group = str(manifest.get("apiVersion")).partition("/")[0]
    return manifest.get("kind") == KIND and group == API_VERSION.partition("/")[0]


def read_sidecar_injection(manifest: Object) -> SidecarInjection:
    """The parsed object; InputError with all errors, each with its path in the object."""
    if problems := schema_check(_schema())(manifest):
        raise InputError(*problems)
    spec: Object = manifest.get("spec") or {}
    options: Object = spec.get("options") or {}
    if problems := list(_further(options)):
        raise InputError(*problems)
    gates: Object = options.get("featureGates") or {}
    time = parse_time(options["timestamp"]) if options.get("timestamp") else None
    return SidecarInjection(
        spec.get("mode") or "inject",
        tuple(
            (("spec", "sidecarSets", index), manifest) for index, manifest in enumerate(spec.get("sidecarSets") or ())
        ),
        tuple(spec.get("paths") or ()),
        tuple(options.get("revisionFrom") or ()),
        options.get("recursive") or False,
        InjectionOptions(
            only=tuple(options.get("only") or ()),
            seed=options.get("seed") or 0,
            feature_gates=frozenset(gate for gate, on in gates.items() if on),
            timestamp=utc_text(time) if time else None,
        ),
        options.get("namespace") or "default",
        tuple(map(_workload, (options.get("templatePaths") or {}).items())),
        options.get("trustAnnotatedHash") or False,
        options.get("force") or False,
        options.get("strict") or False,
        options.get("allowEmpty") or False,
        release_named(options["kruise"]) if options.get("kruise") else MASTER,
        options.get("allowUnknown") or False,
        bool(options.get("kruise")),
    )


def _workload(pair: tuple[str, str]) -> Workload:
    return parse_workload("=".join(pair))


def _further(options: Object) -> Iterator[Finding]:
    """Checks of options that a schema cannot express."""
    if options.get("kruise"):
        try:
            release_named(options["kruise"])
        except UnknownReleaseError as unknown:
            hint = f"choose {' or '.join(unknown.nearest)}"
            yield error(Reason.WRONG_TYPE, str(unknown), (*_OPTIONS, "kruise"), hint=hint)
    for pair in (options.get("templatePaths") or {}).items():
        try:
            _workload(pair)
        except UsageError as fault:
            path = (*_OPTIONS, "templatePaths", pair[0])
            yield fault.findings[0]._replace(reason=Reason.WRONG_TYPE, path=path)


@cache
def _schema() -> Object:
    return shipped_schema(KIND)


@cache
def settings() -> dict[str, Object]:
    """The schema of each member of a spec and of its options, by name."""
    files = _schema()["$defs"]["files"]
    spec = _schema()["properties"]["spec"]["properties"]
    members = {**spec, **spec["options"]["properties"]}
    return {name: files if "$ref" in part else part for name, part in members.items() if name != "options"}
