"""Explanations as nested lists in Markdown."""

from collections.abc import Iterator, Mapping

from sidecarctl.operations.explain import PodFacts, SetFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.explain.node import Node
from sidecarctl.reports.explain.nodes import group_node, pod_node
from sidecarctl.reports.layout.markdown import cell, fitting
from sidecarctl.reports.page import Page

_MARKS = {"yes": "✅ ", "NO": "❌ ", "-": "➖ ", "": ""}  # noqa: RUF001 - signs that tables of GitHub show


def pods_markdown(report: Report[PodFacts], page: Page) -> str:
    """A section for each pod."""
    del page
    pods = report.facts.pods
    return fitting(
        "## Why pods have what they have\n", (_section(pod_node(pod)) for pod in pods), "pod", number=len(pods)
    )


def set_markdown(report: Report[SetFacts], page: Page) -> str:
    """A section for each group of pods."""
    facts = report.facts
    groups = [_section(group_node(group, all_pods=page.all_pods)) for group in facts.groups]
    rollout = f"\nRollout: {cell(facts.rollout.sentence)}.\n" if facts.rollout else ""
    return fitting(f"## Pods of SidecarSet {cell(facts.name)}\n{rollout}", groups, "group")


def reasons_markdown(report: Report[Mapping[str, str]], page: Page) -> str:
    """A table of all codes."""
    del page
    rows = "".join(f"| {cell(code)} | {cell(sentence)} |\n" for code, sentence in report.facts.items())
    return f"| code | meaning |\n| --- | --- |\n{rows}"


def _section(node: Node) -> str:
    return f"### {cell(node.text)}\n\n" + "".join(line for child in node.children for line in _items(child, ""))


def _items(node: Node, indent: str) -> Iterator[str]:
    yield f"{indent}- {_MARKS[node.mark]}{cell(node.text)}\n"
    for child in node.children:
        yield from _items(child, f"{indent}  ")
