"""How `diff --before DIR --after DIR` runs."""

from collections.abc import Sequence
from itertools import chain

from sidecarctl.cli.colours import tell
from sidecarctl.cli.diff_readings import only_sets, read_version, refuse_emptiness
from sidecarctl.cli.flags.diff import FORMS, DiffRequest
from sidecarctl.cli.flags.outputs import AskedOutput, asked_outputs, write_outputs
from sidecarctl.cli.terminal import text_width
from sidecarctl.facts.findings import Finding
from sidecarctl.operations.diff import DiffReport, Pods, diff_of
from sidecarctl.operations.tree_diff import Tree, TreeChange, TreeDiff, tree_diff
from sidecarctl.reports.diff.markdown import diff_markdown
from sidecarctl.reports.diff.text import diff_text
from sidecarctl.reports.diff.tree_document import tree_document
from sidecarctl.reports.diff.tree_text import tree_markdown, tree_text
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.run.findings import folded_lines


def diff_trees(request: DiffRequest) -> int:
    """Compare what pods get; the exit code."""
    outputs, gates = asked_outputs(request.output, FORMS), request.gates()
    old, new = (read_version(request, paths) for paths in (request.old, request.new))
    refuse_emptiness(request, old, new)
    kinds = request.kinds()
    trees = [
        Tree(only_sets(one.world, request.only), one.workloads, request.namespace, kinds, gates) for one in (old, new)
    ]
    sets = diff_of(trees[0].world, trees[1].world, Pods((), new.workloads, request.namespace, kinds))
    diff = tree_diff(*trees)
    failures = list(dict.fromkeys([*old.failures, *new.failures]))
    findings = [*failures, *sets.findings, *diff.findings]
    for line in folded_lines(findings):
        tell(line)
    write_outputs(outputs, lambda output: _rendered(output, sets, diff, findings, gates))
    return 2 if failures or diff.exit_code == 2 else _exit_code(request, sets, diff)


def _rendered(
    output: AskedOutput, sets: DiffReport, diff: TreeDiff, findings: Sequence[Finding], gates: frozenset[str]
) -> str:
    if output.form == "text":
        return f"{diff_text(sets, None if output.file else text_width())}\n{tree_text(diff)}"
    if output.form == "markdown":
        return tree_markdown(diff, diff_markdown(sets))
    document = tree_document(sets, diff, findings, gates)
    return json_text(document) if output.form == "json" else yaml_text(document)


def _exit_code(request: DiffRequest, sets: DiffReport, diff: TreeDiff) -> int:
    if sets.is_objection or diff.exit_code:
        return 1
    changes = chain((one.change != TreeChange.UNCHANGED for one in diff.workloads), [sets.differs])
    return int(request.exit_code and any(changes))
