"""patchPodMetadata, and the whitelist of annotations that may be patched.

Source: docs/behavior/validation.md, "Strategies".
"""

import json
from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.label_selectors import Labels, UnknownOperatorError, compile_selector
from sidecarctl.engine.api.text_forms import is_qualified_name
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.feature_gates import METADATA_DEFAULTS
from sidecarctl.engine.sidecarset.regex import Automaton, RegexError, compile_re2
from sidecarctl.engine.sidecarset.sets import WHITELIST as CONFIG_MAP
from sidecarctl.engine.sidecarset.sets import WHITELIST_KEY
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.metadata import is_too_large
from sidecarctl.engine.validation.rules import kruise, kubernetes

_PATH: Path = ("spec", "patchPodMetadata")
_ITEM = "patchPodMetadata: [{annotations: {example.com/scrape: 'true'}}]"
_LISTED = f"""\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  {_ITEM}
  containers: [{{name: log-agent, image: log-agent:1.2}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: {CONFIG_MAP.name}, namespace: {CONFIG_MAP.namespace}}}
data:
  {WHITELIST_KEY}: '{{"rules": [{{"allowedAnnotationKeyExprs": ["^%s[.]com/"]}}]}}'
"""

ANNOTATIONS = kubernetes(
    "patch-annotations",
    "Invalid patchPodMetadata",
    "Each item of patchPodMetadata has annotations with qualified names, each key once over all items.",
    why="Otherwise there is nothing to patch, and one key cannot have two values.",
    mend="write [{annotations: {example.com/scrape: 'true'}}], each key in one item",
    within="spec",
    fails="patchPodMetadata: [{patchPolicy: Retain}]",
    passes="patchPodMetadata: []",
)
WHITELIST = kruise(
    "patch-whitelist",
    "Annotation that the whitelist does not allow",
    "Only annotations that the whitelist of the cluster allows are patched.",
    why="Kruise rejects every other annotation. The whitelist is the ConfigMap "
    f"{CONFIG_MAP.namespace}/{CONFIG_MAP.name}, key {WHITELIST_KEY}.",
    mend="add a rule to the whitelist that allows the annotation; a rule's selector matches the labels of the "
    "SidecarSet",
    within="stream",
    fails=_LISTED % "other",
    passes=_LISTED % "example",
)
NO_WHITELIST = kruise(
    "patch-whitelist-unknown",
    "Unknown annotation whitelist",
    "A SidecarSet that patches annotations needs the whitelist among the inputs.",
    why="Without a whitelist in the cluster, Kruise rejects the SidecarSet; whether the cluster has one is "
    "not known here. "
    "A warning, and an error under --strict.",
    mend=f"add the ConfigMap {CONFIG_MAP.namespace}/{CONFIG_MAP.name} to the inputs, or "
    "--feature-gates SidecarSetPatchPodMetadataDefaultsAllowed=true if it is on in the cluster",
    within="spec",
    fails=_ITEM,
    passes="patchPodMetadata: []",
)


class WhitelistError(ValueError):
    """The whitelist is invalid, so Kruise rejects every SidecarSet that patches metadata."""


def metadata_patch_findings(items: Sequence[Object], labels: Labels, world: World) -> Iterator[Finding]:
    """Errors in patchPodMetadata of a SidecarSet with these labels."""
    if not items:
        return
    yield from _annotations(items)
    if world.whitelist is None and METADATA_DEFAULTS not in world.gates:
        severity = Severity.ERROR if world.rules.strict else Severity.WARNING
        message = f"annotations are patched without a whitelist{_elsewhere(world)}"
        yield NO_WHITELIST.at(_PATH, message)._replace(severity=severity)
    else:
        yield from _by_whitelist(items, labels, world)


def _elsewhere(world: World) -> str:
    """Where something like the whitelist is, that Kruise does not look at; empty if nowhere."""
    given = [name for name in world.others if name.kind == CONFIG_MAP.kind]
    if not given:
        return ""
    wanted = f"{CONFIG_MAP.namespace}/{CONFIG_MAP.name}"
    return f": Kruise reads the ConfigMap {wanted}, not {given[0].namespace}/{given[0].name}"


def _by_whitelist(items: Sequence[Object], labels: Labels, world: World) -> Iterator[Finding]:
    data = (world.whitelist or {}).get("data") or {}
    text = data.get(WHITELIST_KEY)
    if text is None and METADATA_DEFAULTS not in world.gates and (meant := did_you_mean(WHITELIST_KEY, data)):
        message = f"the ConfigMap has {meant}, and not {WHITELIST_KEY}: the whitelist is empty"
        yield WHITELIST.at(_PATH, message, "rename the key in the ConfigMap")
        return
    try:
        expressions = allowed_expressions(text, labels) if text is not None else []
    except WhitelistError as problem:
        yield WHITELIST.at(_PATH, f"the whitelist is invalid: {problem}", "fix the ConfigMap")
        return
    if expressions or METADATA_DEFAULTS not in world.gates:
        yield from _disallowed(items, expressions)


def allowed_expressions(text: str, labels: Labels) -> list[Automaton]:
    """The expressions of the whitelist rules for these labels; WhitelistError if the whitelist is invalid."""
    expressions: list[Automaton] = []
    for rule in _rules(text):
        selector = rule.get("selector") or {}
        if check(selector, "meta.LabelSelector"):
            raise WhitelistError("a selector is malformed")
        try:
            counts = compile_selector(selector)(labels)
            expressions += [
                compile_re2(allowedAnnotationKeyExpr)
                for allowedAnnotationKeyExpr in rule.get("allowedAnnotationKeyExprs") or ()
                if counts
            ]
        except (UnknownOperatorError, RegexError) as problem:
            raise WhitelistError(str(problem)) from problem
    return expressions


def _rules(text: str) -> list[Object]:
    try:
        value: Value = json.loads(text)
    except ValueError as problem:
        raise WhitelistError("it is not JSON") from problem
    rules = (value or {}).get("rules") or [] if isinstance(value, dict | None) else None
    if not isinstance(rules, list) or not all(isinstance(rule, dict | None) for rule in rules):
        raise WhitelistError("rules is not a list of objects")
    for rule in rules:
        if check((rule or {}).get("allowedAnnotationKeyExprs"), "[]string"):
            raise WhitelistError("allowedAnnotationKeyExprs is not a list of strings")
    return [rule or {} for rule in rules]


def _annotations(items: Sequence[Object]) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, item in enumerate(items):
        annotations, path = item.get("annotations", {}), (*_PATH, index, "annotations")
        if not annotations:
            yield ANNOTATIONS.at(path, "the item has no annotations")
        if is_too_large(annotations):
            yield ANNOTATIONS.at(path, "the annotations are too large")
        for key in annotations:
            if not is_qualified_name(key.lower()):
                yield ANNOTATIONS.at((*path, key), f'"{key}" is not a qualified name')
            if key in seen:
                yield ANNOTATIONS.at((*path, key), f'"{key}" is in two items')
            seen.add(key)


def _disallowed(items: Sequence[Object], expressions: list[Automaton]) -> Iterator[Finding]:
    for index, item in enumerate(items):
        for key in item.get("annotations", {}):
            if not any(expression.search(key) for expression in expressions):
                yield WHITELIST.at((*_PATH, index, "annotations", key), f"the whitelist does not allow {key}")
