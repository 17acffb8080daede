"""An object of kind SidecarInjection: what the KRM function and `--config` are told about injection.

The same rules stand in schemas/sidecar-injection.json, for editors.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.api.workloads import Workload, parse_workload
from sidecarctl.config.checks import Check, list_of, mapping, of_type, one_of, wrong
from sidecarctl.config.injection_options import GATES
from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.errors import InputError, UsageError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.inputs.deciding_kinds import DECIDING_KINDS

KIND = "SidecarInjection"
MODES = ("inject", "uninject", "validate", "check")


class SidecarInjection(NamedTuple):
    """What such an object asks for.

    `sidecarsets` are the objects that stand in it (sets, and what else decides), with their paths in it; `paths` are
    files and folders that hold more of them.
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


def is_sidecar_injection(manifest: Value) -> bool:
    """Whether a value is one, of whatever version."""
    if not isinstance(manifest, dict):
        return False
    group = str(manifest.get("apiVersion")).partition("/")[0]
    return manifest.get("kind") == KIND and group == API_VERSION.partition("/")[0]


def read_sidecar_injection(manifest: Object) -> SidecarInjection:
    """The object's meaning; InputError with all that is wrong with it, each with its path in the object."""
    problems = list(mapping(_ROOT)(manifest, ()))
    if problems:
        raise InputError(*problems)
    spec: Object = manifest.get("spec") or {}
    options: Object = spec.get("options") or {}
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
    )


def _workload(pair: tuple[str, str]) -> Workload:
    return parse_workload("=".join(pair))


def _time(value: Value, path: Path) -> Iterator[Finding]:
    if not isinstance(value, str) or parse_time(value) is None:
        yield wrong(value, "a time in RFC 3339, such as 2026-01-31T12:00:00Z", path)


def _template_paths(value: Value, path: Path) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield wrong(value, "a mapping", path)
        return
    for pair in value.items():
        try:
            _workload((pair[0], str(pair[1])))
        except UsageError as fault:
            yield fault.findings[0]._replace(reason=Reason.WRONG_TYPE, path=(*path, pair[0]))


def _file(value: Value, path: Path) -> Iterator[Finding]:
    if not isinstance(value, str) or value in ("", "-"):
        yield wrong(value, "the path of a file or folder", path)


def _decider(value: Value, path: Path) -> Iterator[Finding]:
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in DECIDING_KINDS:
        yield wrong(value, f"an object of kind {' or '.join(DECIDING_KINDS)}", path)


_TEXT = of_type(str, "a string")
_FLAG = of_type(bool, "true or false")
_OPTIONS: dict[str, Check] = {
    "only": list_of(_TEXT),
    "namespace": _TEXT,
    "timestamp": _time,
    "seed": of_type(int, "a whole number"),
    "featureGates": mapping(dict.fromkeys(GATES, _FLAG)),
    "revisionFrom": list_of(_file),
    "recursive": _FLAG,
    "templatePaths": _template_paths,
    "trustAnnotatedHash": _FLAG,
    "force": _FLAG,
    "strict": _FLAG,
    "allowEmpty": _FLAG,
}
_ROOT: dict[str, Check] = {
    "apiVersion": one_of(API_VERSION),
    "kind": one_of(KIND),
    "metadata": of_type(dict, "a mapping"),
    "spec": mapping(
        {
            "mode": one_of(*MODES),
            "sidecarSets": list_of(_decider),
            "paths": list_of(_file),
            "options": mapping(_OPTIONS),
        }
    ),
}
