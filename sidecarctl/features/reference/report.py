"""Reports of the reference commands: workload kinds, messages, schemas and hashes."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.api.workload_kinds import BY_OPERATOR
from sidecarctl.engine.api.workload_rows import Factor, TemplateRow, WorkloadKind
from sidecarctl.engine.facts.findings import API_VERSION, document_head, findings_json, place_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.validation.catalog import explanation
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.render.documents import as_json, as_yaml
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table

Kinds = Sequence[WorkloadKind]
"""The rows of the table, those of the user first."""

_NUMBERS = {"nodes": "one on each node", "scaled": "whatever scales it", "none": "none of its own"}


def kinds_text(report: Report[Kinds], _page: Page) -> Iterator[str]:
    """A line for each template of a kind, and the kinds whose pods no file has."""
    is_taught = any(item.place for item in report.facts)
    rows = [
        (item.name, row.path, pods_of(item, row), *([str(item.place or "the table")] if is_taught else []))
        for item in report.facts
        for row in item.templates
    ]
    for line in table(("KIND", "TEMPLATE", "PODS", *(["FROM"] if is_taught else [])), rows):
        yield f"{line}\n"
    yield "\nPods that an operator makes, so that no file has them:\n"
    yield from (f"  {kind}.{group}  {operator}\n" for (kind, group), operator in BY_OPERATOR.items())


def kinds_markdown(report: Report[Kinds], _page: Page) -> Iterator[str]:
    """The kinds as two tables, with labels and owners."""
    yield "| kind | versions | template | pods | labels that its controller adds | owner of the pods |\n"
    yield "| --- | --- | --- | --- | --- | --- |\n"
    for item in report.facts:
        versions = ", ".join(item.versions)
        for row in item.templates:
            labels = ", ".join(
                [*(f"`{key}`" for key in row.label_keys), *(f"those of `{path}`" for path in row.more.maps)]
            )
            cells = (f"`{item.name}`", versions, f"`{row.path}`", _code(pods_of(item, row)), labels, _owner(row))
            yield f"| {' | '.join(cells)} |\n"
    yield "\n| pods that an operator makes | operator |\n| --- | --- |\n"
    yield from (f"| `{kind}.{group}` | {operator} |\n" for (kind, group), operator in BY_OPERATOR.items())


def kinds_data(report: Report[Kinds]) -> Object:
    """The kinds as a document of kind WorkloadKindList (schemas/workload-kind-list.json)."""
    kinds = [
        {
            "kind": item.kind,
            "group": item.group,
            "versions": list(item.versions),
            "pods": item.pods,
            "restriction": item.restriction or None,
            "taughtBy": _taught_by(item),
            "templates": [_template(item, row) for row in item.templates],
        }
        for item in report.facts
    ]
    operators = [{"kind": kind, "group": group, "operator": name} for (kind, group), name in BY_OPERATOR.items()]
    return {"apiVersion": API_VERSION, "kind": "WorkloadKindList", "kinds": kinds, "byOperator": operators}


def _template(item: WorkloadKind, row: TemplateRow) -> Object:
    api_version, kind = row.owner
    return {
        "path": row.path,
        "pods": pods_of(item, row),
        "podName": row.pod,
        "labels": dict(row.labels),
        "defaultLabels": dict(row.defaults),
        "fieldLabels": {label.key: label.path for label in row.more.fields},
        "hashedLabels": dict(row.more.hashed),
        "masterLabels": dict(row.more.of_masters),
        "labelsAt": list(row.more.maps),
        "owner": {"apiVersion": api_version, "kind": kind} if kind else None,
    }


def _taught_by(item: WorkloadKind) -> Object | None:
    if item.place is None:
        return None
    is_option = item.place.line is None
    return (
        {"option": item.place.file, "place": None} if is_option else {"option": None, "place": place_json(item.place)}
    )


def pods_of(item: WorkloadKind, row: TemplateRow) -> str:
    """How the number of pods of a template is computed: `spec.replicas * (spec.size - 1)`."""
    if item.pods in _NUMBERS:
        return _NUMBERS[item.pods]
    number = " * ".join(map(_factor, row.counts)) or "1"
    off = " or ".join(row.none_if).replace("=", " ")
    return f"{number}; 0 with {off}" if off else number


def _factor(factor: Factor) -> str:
    fields = [f"({field.path} - {field.less})" if field.less else field.path for field in factor.fields]
    least = f"min({', '.join(fields)})" if len(fields) > 1 else fields[0]
    return f"max({factor.at_least}, {least})" if factor.at_least else least


def _code(text: str) -> str:
    return f"`{text}`" if "." in text else text


def _owner(row: TemplateRow) -> str:
    api_version, kind = row.owner
    return f"{kind} {api_version}" if kind else "itself"


def message_text(report: Report[str], _page: Page) -> str:
    """The text."""
    return report.facts


def schema_data(report: Report[Object]) -> Object:
    """The object."""
    return report.facts


def hash_text(report: Report[Sequence[SidecarSet]], _page: Page) -> Iterator[str]:
    """A line per SidecarSet: name, hash, hash without image."""
    for fact in report.facts:
        yield shown(f"{fact.name}  {fact.hash}  {fact.hash_without_image}") + "\n"


def hash_data(report: Report[Sequence[SidecarSet]]) -> Object:
    """The hashes as an object of kind SidecarSetHashes (schemas/sidecarset-hashes.json)."""
    return {
        **document_head("SidecarSetHashes", report.release.behavior),
        "sidecarSets": [
            {"name": fact.name, "hash": fact.hash, "hashWithoutImage": fact.hash_without_image}
            for fact in report.facts
        ],
        "findings": findings_json(report.findings),
    }


Rules = Mapping[str, Sequence[Rule]]
"""The rules of each theme."""


def rules_text(report: Report[Rules], _page: Page) -> Iterator[str]:
    """A line for each rule, by theme: severity, id and requirement."""
    width = max(len(rule.id) for rules in report.facts.values() for rule in rules)
    for number, (theme, rules) in enumerate(report.facts.items()):
        yield "\n" if number else ""
        yield f"{theme}\n"
        for rule in rules:
            yield f"  {rule.severity:<7}  {rule.id:<{width}}  {rule.sentence}\n"


def rule_text(report: Report[Rules], _page: Page) -> Iterator[str]:
    """The explanation of each rule."""
    yield from (f"{line}\n" for rules in report.facts.values() for rule in rules for line in explanation(rule))


def rules_data(report: Report[Rules]) -> Object:
    """The rules, each with its theme, as an object of kind RuleList (schemas/rule-list.json)."""
    rules = [_rule(theme, rule) for theme, rules in report.facts.items() for rule in rules]
    return {"apiVersion": API_VERSION, "kind": "RuleList", "rules": rules}


def _rule(theme: str, rule: Rule) -> Object:
    return {
        "id": rule.id,
        "theme": theme,
        "severity": str(rule.severity),
        "rejectedBy": rule.refuser or None,
        "defect": rule.defect,
        "requirement": rule.sentence,
        "why": rule.why,
        "fix": rule.mend,
        "until": rule.until or None,
        "source": rule.source or None,
        "parameters": {
            name: {"default": parameter.default, "description": parameter.sentence}
            for name, parameter in rule.parameters.items()
        },
        "invalid": rule.fails,
        "valid": rule.passes,
    }


FORMATS: Mapping[str, Formats] = {
    "kinds": data_formats(kinds_data, text=kinds_text, markdown=kinds_markdown),
    "schema": {"text": as_json(schema_data), "json": as_json(schema_data), "yaml": as_yaml(schema_data)},
    "rules": data_formats(rules_data, text=rules_text),
    "rule": data_formats(rules_data, text=rule_text),
    "hash": data_formats(hash_data, text=hash_text),
    "message": {"text": message_text},
}
"""The formats of the reference commands."""
