"""resourcesPolicy: resources computed from those of the app containers.

Source: docs/behavior/validation.md, "Sidecar fields".
"""

from collections.abc import Iterator

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.expression_operands import ExpressionError
from sidecarctl.engine.sidecarset.expressions import evaluated
from sidecarctl.engine.sidecarset.regex import RegexError, compile_re2
from sidecarctl.engine.sidecarset.sets import is_native_sidecar
from sidecarctl.engine.validation.rules import kruise

_ONE = 1.0
"""The values of the variables when Kruise evaluates an expression to check it."""

PLACE = kruise(
    "resources-policy-place",
    "Misplaced resourcesPolicy",
    "Only containers and native sidecars have a resourcesPolicy, and it excludes resources.",
    why="It computes the resources from those of the app containers; other initContainers run before these.",
    mend="delete resources or resourcesPolicy; an initContainer needs restartPolicy: Always",
    fails="{resources: {limits: {cpu: 100m}}, "
    "resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {limits: {cpu: cpu*50%}}}}",
    passes="resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {limits: {cpu: cpu*50%}}}",
)
MODE = kruise(
    "resources-policy-mode",
    "Unknown targetContainersMode",
    "targetContainersMode is sum or max.",
    why="Resources of several app containers are added up, or the largest is used. There is no default.",
    mend="write targetContainersMode: sum",
    fails="resourcesPolicy: {resourcesExpr: {limits: {cpu: cpu*50%}}}",
    passes="resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {limits: {cpu: cpu*50%}}}",
)
REGEX = kruise(
    "resources-policy-regex",
    "Invalid targetContainersNameRegex",
    "targetContainersNameRegex is a regular expression that Go understands.",
    why="Go's expressions (RE2) have no lookaround and no backreferences.",
    mend="write it like ^app-.*$",
    fails="resourcesPolicy: {targetContainersMode: sum, targetContainersNameRegex: 'app-(', "
    "resourcesExpr: {limits: {cpu: cpu*50%}}}",
    passes="resourcesPolicy: {targetContainersMode: sum, targetContainersNameRegex: '^app-', "
    "resourcesExpr: {limits: {cpu: cpu*50%}}}",
)
EXPRESSION = kruise(
    "resources-policy-expression",
    "Invalid expression of a resourcesPolicy",
    "An expression of resourcesPolicy can be evaluated, and is not negative if the variable is 1.",
    why="Kruise evaluates each expression once with 1 (core or byte), so it rejects cpu - 2 but not max(cpu - 2, 0). "
    "Expressions for cpu use the variable cpu, those for memory the variable memory.",
    mend="write an expression such as cpu*50% or max(memory*10%, 64Mi), in limits, requests or both",
    fails="resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {limits: {cpu: memory*50%}}}",
    passes="resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {limits: {cpu: 'max(cpu*50%, 50m)'}}}",
)


def resources_policy_findings(container: Object, path: Path, *, is_init: bool) -> Iterator[Finding]:
    """Errors in the resourcesPolicy of a container; among initContainers only native sidecars may have one."""
    policy = container.get("resourcesPolicy")
    if policy is None:
        return
    where = (*path, "resourcesPolicy")
    if is_init and not is_native_sidecar(container):
        yield PLACE.at(where, "an initContainer without restartPolicy: Always has no resourcesPolicy")
    mode = policy.get("targetContainersMode", "")
    if mode not in {"sum", "max"}:
        message = f'unknown targetContainersMode "{mode}"' if mode else "targetContainersMode is missing"
        yield MODE.at((*where, "targetContainersMode"), message)
    resources = container.get("resources", {})
    if resources.get("limits") or resources.get("requests"):
        yield PLACE.at(where, "resourcesPolicy and resources exclude each other")
        return
    yield from _regex(policy.get("targetContainersNameRegex", ""), (*where, "targetContainersNameRegex"))
    yield from _expressions(policy.get("resourcesExpr", {}), (*where, "resourcesExpr"))


def _regex(pattern: str, path: Path) -> Iterator[Finding]:
    try:
        compile_re2(pattern)
    except RegexError as problem:
        yield REGEX.at(path, f'the pattern "{pattern}": {problem}')


def _expressions(expressions: Object, path: Path) -> Iterator[Finding]:
    if "limits" not in expressions and "requests" not in expressions:
        yield EXPRESSION.at(path, "limits or requests are required")
    for kind in ("limits", "requests"):
        for resource in ("cpu", "memory"):
            text = expressions.get(kind, {}).get(resource, "")
            yield from _expression(text, resource, (*path, kind, resource))


def _expression(text: str, variable: str, path: Path) -> Iterator[Finding]:
    try:
        evaluated(text, _ONE, variable)
    except ExpressionError as problem:
        yield EXPRESSION.at(path, f'"{text}": {problem}')
