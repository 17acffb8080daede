"""The two objects that hold options: `.sidecarctl.yaml`, and SidecarInjection.

`.sidecarctl.yaml` has the settings of a repository, for every command and for continuous integration. It can
hold nothing that makes a command write, contact a cluster or run a program. Its schema is schemas/config.json.

A SidecarInjection is the configuration of the KRM function and of `--config`; schemas/sidecar-injection.json.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple, TypeVar

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.taught_kinds import all_texts, parse_workloads, template_texts
from sidecarctl.engine.api.text_forms import is_dns_label, parse_time, utc_text
from sidecarctl.engine.facts.errors import InputError, UsageError, input_error
from sidecarctl.engine.facts.findings import API_VERSION, Finding, PathRules, RuleSettings, Severity, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.inputs.settings import Cluster, RenderEntry, RenderLimits, RepositoryFile
from sidecarctl.engine.inputs.world import problems_of
from sidecarctl.engine.releases.feature_gates import GATES, OTHERS, gates_that_differ, is_known
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.sidecarset.webhook_scope import CHART

FILE_KIND = "Config"
RENDERERS = ("kustomize", "helm", "argocd", "flux")
AnyValue = TypeVar("AnyValue")
_KUBERNETES = lazy_pattern(r"v?1\.([0-9]{1,3})(?:\.[0-9A-Za-z.+-]*)?")  # as --kubernetes has it


def read_repository_file(value: Value) -> RepositoryFile:
    """The settings in the value of a file; InputError with all errors, each with its path."""
    from sidecarctl.engine.api.schema_checks import schema_check  # most runs have no such file

    if not isinstance(value, dict):
        raise input_error(Reason.INVALID_CONFIG, "expected settings, such as paths: [apps]")
    content: Object = value
    problems = list(schema_check(shipped_schema(FILE_KIND))(content)) or list(_further(content))
    if problems:
        raise InputError(*(problem._replace(reason=Reason.INVALID_CONFIG) for problem in problems))
    ignored, severities = _rules(content)
    return RepositoryFile(
        sidecarsets=tuple(content.get("sidecarsets") or ()),
        paths=tuple(content.get("paths") or ()),
        exclude=tuple(content.get("exclude") or ()),
        kruise=content.get("kruise") or "",
        kubernetes=content.get("kubernetes") or "",
        feature_gates=_gates(content),
        workloads=parse_workloads(all_texts(content.get("templatePaths"))),
        namespaces=content.get("namespaceLabels") or {},
        namespaces_by_path=content.get("namespaces") or {},
        fail_on={command: words for command, words in (content.get("failOn") or {}).items() if words},
        rules=RuleSettings(
            ignored,
            severities,
            by_path=tuple(
                PathRules(tuple(item["paths"]), *_rules(item), _parameters(item))
                for item in content.get("rulesByPath") or ()
            ),
            parameters=_parameters(content),
        ),
        strict=content.get("strict") or False,
        ignored_fields=tuple(content.get("ignoreFields") or ()),
        clusters=tuple(map(_cluster, content.get("clusters") or ())),
        render=tuple(map(_render_entry, content.get("render") or ())),
        limits=_limits(content.get("rendering") or {}),
    )


def _render_entry(content: Object) -> RenderEntry:
    [tool] = [tool for tool in RENDERERS if tool in content]
    values = tuple(content.get("values") or ())
    return RenderEntry(tool, content[tool], content.get("namespace") or "", content.get("release") or "", values)


def _limits(content: Object) -> RenderLimits:
    return RenderLimits(
        content.get("seconds") or RenderLimits().seconds,
        content.get("kubeVersion") or "",
        tuple(content.get("apiVersions") or ()),
    )


def _gates(content: Object) -> tuple[str, ...]:
    gates: Object = content.get("featureGates") or {}
    return tuple(f"{gate}={str(bool(on)).lower()}" for gate, on in gates.items() if on is not None)


def _cluster(content: str | Object) -> Cluster:
    """An entry of clusters; a text is the pattern of their folders."""
    if isinstance(content, str):
        return Cluster(paths=(content,))
    return Cluster(
        content.get("name") or "",
        tuple(content.get("paths") or ()),
        tuple(content.get("include") or ()),
        content.get("kruise") or "",
        _gates(content),
        tuple(content.get("pods") or ()),
        tuple(content.get("destinations") or ()),
    )


def _rules(content: Object) -> tuple[frozenset[str], dict[str, Severity]]:
    """The rules and reasons that are ignored, and the severities of other rules."""
    words: Mapping[str, str | bool] = _by_id(content.get("severities") or {})
    off = {rule for rule, word in words.items() if word in {"off", False}}  # YAML takes off for false
    severities = {rule: Severity(str(word)) for rule, word in words.items() if rule not in off}
    return frozenset(_by_id(dict.fromkeys(content.get("ignore") or ()))) | off, severities


def _parameters(content: Object) -> dict[str, Object]:
    return {rule: values for rule, values in (content.get("parameters") or {}).items() if values}


def _by_id(content: Mapping[str, AnyValue]) -> dict[str, AnyValue]:
    """The settings of rules, by their ids; some may be named by older ids."""
    if not content:
        return {}
    from sidecarctl.engine.validation.catalog import id_of  # loads every rule

    return {id_of(name): value for name, value in content.items()}


def _further(content: Object) -> Iterator[Finding]:
    """Checks that a schema cannot express."""
    yield from _kruise_checked(content, ())
    for index, item in enumerate(content.get("clusters") or ()):
        if isinstance(item, dict):
            yield from _kruise_checked(item, ("clusters", index))
            if not (item.get("name") or item.get("paths")):
                message = "neither a name nor paths"
                yield error(Reason.WRONG_TYPE, message, ("clusters", index), hint="such as paths: [clusters/*]")
    for path, item in (
        ((), content),
        *((("rulesByPath", index), item) for index, item in enumerate(content.get("rulesByPath") or ())),
    ):
        if item.get("severities") or item.get("ignore"):
            yield from _rules_checked(item, path)
    yield from _deployment_checked(content)
    if (text := content.get("kubernetes")) and _KUBERNETES.fullmatch(text) is None:
        message = f"{text} is not a release of Kubernetes"
        yield error(Reason.WRONG_TYPE, message, ("kubernetes",), hint='such as kubernetes: "1.27"')


def _deployment_checked(content: Object) -> Iterator[Finding]:
    for index, item in enumerate(content.get("render") or ()):
        if len(item.keys() & {*RENDERERS}) != 1:
            message = f"expected one of {', '.join(RENDERERS)}"
            yield error(Reason.WRONG_TYPE, message, ("render", index), hint="such as kustomize: clusters/*")
    for path, name in (content.get("namespaces") or {}).items():
        if not is_dns_label(name):
            yield error(Reason.WRONG_TYPE, f"{name} cannot be the name of a Namespace", ("namespaces", path))


def _kruise_checked(content: Object, at: Path) -> Iterator[Finding]:
    yield from option_problems(content, at)
    for gate in content.get("featureGates") or {}:
        if not is_known(gate):
            yield _unknown(f"feature gate {gate}", gate, [*GATES, *OTHERS], (*at, "featureGates", gate))


def _rules_checked(content: Object, at: Path) -> Iterator[Finding]:
    from sidecarctl.engine.validation.catalog import rule_called, rules  # loads every rule

    known = rules()
    for index, name in enumerate(content.get("ignore") or ()):
        reasons = () if at else tuple(Reason)  # every command knows them, wherever its files are
        if rule_called(name) is None and name not in reasons:
            yield _unknown(f"rule {name}", name, [*known, *reasons], (*at, "ignore", index))
    for name in content.get("severities") or {}:
        path, rule = (*at, "severities", name), rule_called(name)
        if rule is None:
            yield _unknown(f"rule {name}", name, known, path)
        elif refuser := rule.refuser:
            message = f"{refuser} rejects what breaks {name}, so it is an error whatever is written here"
            yield error(Reason.WRONG_TYPE, message, path, hint="leave it out")


def _unknown(what: str, name: str, known: Iterable[str], path: Path) -> Finding:
    meant = did_you_mean(name, known)
    hint = f"did you mean {meant}?" if meant else ""
    return error(Reason.UNKNOWN_FIELD, f"unknown {what}", path, hint=hint)


def changed_settings(before: Object, after: Object) -> Iterator[Finding]:
    """A warning for each key that differs between two versions of the file: it may switch off what checks it."""
    for key in dict.fromkeys([*after, *before]):
        old, new = before.get(key), after.get(key)
        if (old or None) != (new or None):
            content, path = _change(old, new), (key,) if key in after else ()
            yield warning(Reason.CONFIG_CHANGED, content if path else f"{key}: {content}", path)


def _change(old: Value, new: Value) -> str:
    if isinstance(old or [], list) and isinstance(new or [], list):
        was, now = old or [], new or []
        added, gone = ([str(item) for item in one if item not in other] for one, other in ((now, was), (was, now)))
        content = [f"adds {', '.join(added)}"] if added else []
        return " and ".join([*content, *([f"takes out {', '.join(gone)}"] if gone else [])]) or "the order changes"
    return f"{_value_text(old)} -> {_value_text(new)}"


def _value_text(value: Value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_value_text(member)}" for key, member in value.items()) + "}"
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


KIND = "SidecarInjection"
_OPTIONS: Path = ("spec", "options")


class SidecarInjection(NamedTuple):
    """The content of a SidecarInjection.

    `sidecarsets` are the objects inside it (SidecarSets and other inputs), with their paths in it; `paths` are
    files and folders with more of them. `reading`: how they are read.
    """

    mode: str = "inject"
    sidecarsets: tuple[tuple[Path, Object], ...] = ()
    paths: tuple[str, ...] = ()
    revision_from: tuple[str, ...] = ()
    recursive: bool = True
    options: InjectionOptions = InjectionOptions()
    reading: Reading = Reading()
    force: bool = False
    strict: bool = False


def is_sidecar_injection(manifest: Value) -> bool:
    """Whether a value is a SidecarInjection, of any version."""
    if not isinstance(manifest, dict):
        return False
    group = str(manifest.get("apiVersion")).partition("/")[0]
    return manifest.get("kind") == KIND and group == API_VERSION.partition("/")[0]


def read_sidecar_injection(manifest: Object) -> SidecarInjection:
    """The parsed object; InputError with all errors, each with its path in the object."""
    from sidecarctl.engine.api.schema_checks import schema_check  # most runs have no such object

    if problems := schema_check(_schema())(manifest):
        raise InputError(*problems)
    spec: Object = manifest.get("spec") or {}
    options: Object = spec.get("options") or {}
    if problems := list(option_problems(options, _OPTIONS)):
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
        options.get("recursive") is not False,
        InjectionOptions(
            only=tuple(options.get("only") or ()),
            seed=options.get("seed") or 0,
            feature_gates=gates_that_differ(gates),
            timestamp=utc_text(time) if time else None,
            without_kruise=options.get("withoutKruise") or False,
        ),
        Reading(
            namespace=options.get("namespace") or "default",
            workloads=parse_workloads(all_texts(options.get("templatePaths"))),
            trust_annotated_hash=options.get("trustAnnotatedHash") or False,
            release=release_named(options["kruise"]) if options.get("kruise") else DEFAULT,
            allow_unknown=options.get("allowUnknown") or spec.get("mode") == "uninject",
            allow_empty=options.get("allowEmpty") or False,
            installed_by=options.get("installedBy") or CHART,
            namespaces=options.get("namespaceLabels") or {},
        ),
        options.get("force") or False,
        options.get("strict") or False,
    )


def option_problems(options: Object, at: Path = ()) -> Iterator[Finding]:
    """Checks of options, which are at a path, that a schema cannot express."""
    if options.get("kruise"):
        try:
            release_named(options["kruise"])
        except UnknownReleaseError as unknown:
            hint = f"choose {' or '.join(unknown.nearest)}"
            yield error(Reason.WRONG_TYPE, str(unknown), (*at, "kruise"), hint=hint)
    for name, labels in (options.get("namespaceLabels") or {}).items():
        for problem in problems_of({name: labels}):
            yield error(Reason.WRONG_TYPE, f"{problem} cannot exist", (*at, "namespaceLabels", name))
    for kind, content in (options.get("templatePaths") or {}).items():
        try:
            parse_workloads(template_texts(kind, content))
        except UsageError as fault:
            path = (*at, "templatePaths", kind)
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
