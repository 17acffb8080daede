"""The rules as Markdown: a page of all of them, and the section of one."""

from collections.abc import Iterator

from sidecarctl.validation.catalogue import rules_by_theme
from sidecarctl.validation.rules import Rule

_WHERE = {
    "container": "In a container:",
    "init": "In an initContainer:",
    "volume": "As a volume:",
    "spec": "In spec:",
    "set": "In the SidecarSet:",
    "stream": "Together:",
    "update": "First the older version, then the new one:",
}
_HEAD = """\
# Rules of validation

Each rule has an id. To suppress a rule, use the annotation `sidecarctl.dev/ignore: ID[,ID]` or the option
`--ignore ID`. Errors are what Kruise's webhook or the API server reject, and what cannot work; warnings count as
errors under `--strict`; notes never do. This page is generated from the rules (`python -m tests.validation`).
"""


def rules_page() -> str:
    """The page with every rule, by theme (Markdown)."""
    parts = [_HEAD]
    for theme, rules in rules_by_theme().items():
        rows = "\n".join(_row(rule) for rule in rules)
        parts.append(f"## {theme}\n\n| rule | severity | requirement |\n| --- | --- | --- |\n{rows}\n")
        parts += ["\n".join(explanation(rule)) for rule in rules]
    return "\n".join(parts)


def explanation(rule: Rule) -> Iterator[str]:
    """The lines that explain one rule (Markdown)."""
    yield f"### {rule.id}\n"
    yield f"{rule.sentence} {rule.why}\n"
    yield f"{_weight(rule)} To fix it: {rule.mend}.\n"
    yield f"{_WHERE[rule.within]}\n"
    yield from _example("invalid", rule.fails)
    yield ""
    yield from _example("valid", rule.passes)
    yield ""


def _row(rule: Rule) -> str:
    return f"| [{rule.id}](#{rule.id}) | {rule.severity} | {rule.sentence.replace('|', '&#124;')} |"


def _weight(rule: Rule) -> str:
    until = f" up to {rule.until}" if rule.until else ""
    return f"{rule.severity.capitalize()}" + (
        f", rejected by {rule.refuser}{until}." if rule.refuser else f"{until}."
    )


def _example(comment: str, text: str) -> Iterator[str]:
    yield "```yaml"
    yield f"# {comment}"
    yield text.rstrip("\n")
    yield "```"
