"""docs/rules.md, made of the rules."""

from collections.abc import Callable, Mapping

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.validation.catalog import rules, section
from sidecarctl.engine.validation.rules import Rule

_HEAD = """\
# Rules of validation

Each rule has an id. To suppress a rule, use the annotation `sidecarctl.dev/ignore: ID[,ID]` or the option
`--ignore ID`. Errors are what Kruise's webhook or the API server reject, and what cannot work; warnings count as
errors under `--strict`; notes never do. What Kruise or the API server rejects is reported even if its rule is
suppressed. The tables are grouped by what goes wrong, and link to a section for each rule. `sidecarctl rules ID`
prints the section with an invalid and a valid example. Some rules have parameters, which `parameters` of
`.sidecarctl.yaml` sets ([settings](reference/settings.md)). This page is generated from the rules
(`python -m tests.engine.validation`).
"""


_OUTCOMES: Mapping[str, Callable[[Rule], bool]] = {
    "Kruise or the API server rejects it": lambda rule: bool(rule.refuser),
    "Pods are rejected, do not start, or do not work": lambda rule: rule.severity is Severity.ERROR,
    "Something has no effect, or a different effect than it seems": lambda rule: rule.severity is Severity.WARNING,
    "Good to know": lambda rule: rule.severity is Severity.NOTE,
}
"""What goes wrong; each rule belongs to the first that holds."""


def rules_page() -> str:
    """The page with every rule: a table for each thing that goes wrong, then a section for each rule (Markdown)."""
    rest, parts = list(rules().values()), [_HEAD]
    for outcome, belongs in _OUTCOMES.items():
        rows = "\n".join(_row(rule) for rule in rest if belongs(rule))
        rest = [rule for rule in rest if not belongs(rule)]
        parts.append(f"## {outcome}\n\n| rule | finds |\n| --- | --- |\n{rows}\n")
    parts.append("## Each rule\n")
    parts += ["\n".join(section(rule)) for rule in rules().values()]
    return "\n".join(parts)


def _row(rule: Rule) -> str:
    return f"| [{rule.id}](#{rule.id}) | {rule.defect} |"
