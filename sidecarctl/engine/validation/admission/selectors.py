"""Label selectors: of pods, of namespaces, of the pods to update.

Source: docs/behavior/validation.md, "The set".
"""

from collections.abc import Iterator

from sidecarctl.engine.api.label_selectors import is_empty
from sidecarctl.engine.api.text_forms import LABEL_VALUE_FORM, is_label_value, is_qualified_name
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.rules import kruise, kubernetes

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")

MISSING = kruise(
    "selector-missing",
    "No selector",
    "A SidecarSet has a selector.",
    why="It decides which pods get the sidecars.",
    mend="write selector: {matchLabels: {app: web}}; for every pod: "
    "{matchExpressions: [{key: no-such-label, operator: DoesNotExist}]}",
    within="spec",
    fails="selector: null",
    passes="selector: {matchLabels: {app: web}}",
)
EMPTY = kruise(
    "selector-empty",
    "Empty selector",
    "A selector has at least one requirement.",
    why="Kruise rejects an empty selector, so that a mistake does not inject sidecars everywhere.",
    mend="write at least one label, such as matchLabels: {app: web}; a namespaceSelector can be left out instead",
    within="spec",
    fails="selector: {matchLabels: {}}",
    passes="selector: {matchLabels: {app: web}}",
)
KEY = kubernetes(
    "selector-key",
    "Invalid key in a selector",
    "The keys of a selector are label names.",
    why="Labels have no other names, so the selector could not match anything.",
    mend="a key is a name such as app or example.com/team",
    within="spec",
    fails="selector: {matchLabels: {'my app': web}}",
    passes="selector: {matchLabels: {my-app: web}}",
)
VALUE = kubernetes(
    "selector-value",
    "Invalid value in a selector",
    "The values of a selector are label values.",
    why="Labels have no other values, so the selector could not match anything.",
    mend=f"a label value is {LABEL_VALUE_FORM}",
    within="spec",
    fails="selector: {matchLabels: {app: 'the web'}}",
    passes="selector: {matchLabels: {app: web}}",
)
OPERATOR = kubernetes(
    "selector-operator",
    "Unknown operator in a selector",
    "The operator of a requirement is In, NotIn, Exists or DoesNotExist.",
    why="There are no other operators, and case matters.",
    mend="write In, NotIn, Exists or DoesNotExist",
    within="spec",
    fails="selector: {matchExpressions: [{key: app, operator: Equals, values: [web]}]}",
    passes="selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}",
)
VALUES = kubernetes(
    "selector-values",
    "Operator with the wrong number of values",
    "In and NotIn have values, Exists and DoesNotExist have none.",
    why="Other combinations have no meaning.",
    mend="write values: [...] for In and NotIn, and omit values for Exists and DoesNotExist",
    within="spec",
    fails="selector: {matchExpressions: [{key: app, operator: Exists, values: [web]}]}",
    passes="selector: {matchExpressions: [{key: app, operator: Exists}]}",
)


def pod_selector_findings(spec: Object, release: Release) -> Iterator[Finding]:
    """Errors in the selector of a spec."""
    if "selector" in spec:
        yield from selector_findings(spec["selector"], ("spec", "selector"), release)
    else:
        yield MISSING.at(("spec", "selector"), "the SidecarSet has no selector")


def selector_findings(selector: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in a selector, including that it is empty."""
    yield from form_findings(selector, path, release)
    if is_empty(selector):
        yield EMPTY.at(path, "the selector is empty")
    if not release.selector_value_paths:
        for expression in selector.get("matchExpressions", ()):
            for value in expression.get("values", ()):
                yield from _value(value, path)


def form_findings(selector: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in a selector, which may be empty."""
    for key, value in selector.get("matchLabels", {}).items():
        where = (*path, "matchLabels", key)
        yield from _key(key, where)
        yield from _value(value, where)
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        yield from _expression(expression, (*path, "matchExpressions", index), release)


def _expression(expression: Object, path: Path, release: Release) -> Iterator[Finding]:
    operator, values = expression.get("operator", ""), expression.get("values", ())
    yield from _key(expression.get("key", ""), (*path, "key"))
    if operator not in _WITH_VALUES + _WITHOUT_VALUES:
        yield OPERATOR.at((*path, "operator"), f'unknown operator "{operator}"')
    elif operator in _WITH_VALUES and not values:
        yield VALUES.at((*path, "values"), f"{operator} needs values")
    elif operator in _WITHOUT_VALUES and values:
        yield VALUES.at((*path, "values"), f"{operator} takes no values")
    for index, value in enumerate(values) if release.selector_value_paths else ():
        yield from _value(value, (*path, "values", index))


def _key(key: str, path: Path) -> Iterator[Finding]:
    if not is_qualified_name(key):
        yield KEY.at(path, f'"{key}" is not a label name')


def _value(value: str, path: Path) -> Iterator[Finding]:
    if not is_label_value(value):
        yield VALUE.at(path, f'"{value}" is not a valid label value')
