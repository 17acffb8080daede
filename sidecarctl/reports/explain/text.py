"""Explanations as a tree for people."""

from collections.abc import Iterator, Mapping
from itertools import islice
from textwrap import wrap

from sidecarctl.operations.explain import PodFacts, SetFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.explain.node import Node
from sidecarctl.reports.explain.nodes import group_node, pod_node
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page

MOST_PODS = 20
"""Pods that a text explains one by one; more of them only with --all-pods."""

_LEAST = 24


def pods_text(report: Report[PodFacts], page: Page) -> Iterator[str]:
    """A tree for each pod."""
    pods = report.facts.pods
    number = len(pods) if page.all_pods else min(len(pods), MOST_PODS)
    joint = ""
    for pod in islice(pods, number):
        yield joint + "".join(f"{line}\n" for line in _lines(pod_node(pod), page.width))
        joint = "\n"
    if left := len(pods) - number:
        yield f"{joint}{left:,} more pods; --all-pods explains them, --pod NAME one of them\n"


def set_text(report: Report[SetFacts], page: Page) -> str:
    """A tree for each group of pods."""
    facts = report.facts
    trees = [
        "".join(f"{line}\n" for line in _lines(group_node(group, all_pods=page.all_pods), page.width))
        for group in facts.groups
    ]
    rollout = f"rollout: {facts.rollout.sentence}\n" if facts.rollout else ""
    return f"SidecarSet {shown(facts.name)}\n{rollout}\n" + "\n".join(trees)


def reasons_text(report: Report[Mapping[str, str]], page: Page) -> str:
    """A line for each code."""
    lines = table(("CODE", "MEANING"), list(report.facts.items()), page.width)
    return "".join(f"{line}\n" for line in lines)


def _lines(node: Node, width: int | None, before: str = "", branch: str = "", further: str = "") -> Iterator[str]:
    said = shown(f"{node.mark:<4}{node.text}" if node.mark else node.text)
    room = None if width is None else max(width - len(before + branch), _LEAST)
    first, *more = [said] if room is None else wrap(said, room, break_on_hyphens=False) or [""]
    yield f"{before}{branch}{first}"
    yield from (f"{before}{further}{'│  ' if node.children else '   '}{line}" for line in more)
    for index, child in enumerate(node.children):
        is_last = index == len(node.children) - 1
        yield from _lines(child, width, before + further, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")
