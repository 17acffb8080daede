"""Two versions of SidecarSets, or two trees, as a page: verdicts, fields, pods, folded diffs."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.comparing.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.engine.comparing.pod_effects import RolloutNumbers
from sidecarctl.engine.comparing.recreated_pods import RecreatedPods
from sidecarctl.engine.comparing.set_diff import DiffFacts, SetDiff
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.diff.sentences import field_note, field_value, headline, reasons, what_changes, words_of
from sidecarctl.features.diff.sets import sets_summary
from sidecarctl.features.diff.tree_diff import TreeChange, TreeDiffFacts
from sidecarctl.features.diff.trees import Alike, alike, headed, trees_summary, unified, workload_said
from sidecarctl.features.diff.upgrade import (
    SHOWN_FIELDS as SHOWN_OF_A_POD,
)
from sidecarctl.features.diff.upgrade import (
    applied_sentence,
    effect_sentence,
    explanation,
    recreated_heading,
    running_sentence,
    summary,
    title,
)
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, PagePart, about, finding_rows
from sidecarctl.render.run.findings import every_finding, most_severe_first
from sidecarctl.render.unified_diff import hunks

_MARKS = {"+": "added", "-": "removed", "@": "place"}
_HASH = 12
_TREE_MOODS = {TreeChange.FAILED: "bad", TreeChange.REMOVED: "odd", TreeChange.ADDED: "good"}


class PodsPart(NamedTuple):
    """Some of the running pods of a SidecarSet: what the change means for them."""

    color: str
    word: str
    pods: int


class Section(NamedTuple):
    """Something that differs. `names` are further objects with the same difference, `diff` lines with their marks.

    `fields`: path, values before and after, note. `whose`: are running pods counted, or those of workloads.
    """

    name: str
    badge: str
    mood: str
    sentence: str
    reasons: tuple[str, ...] = ()
    versions: tuple[tuple[str, str, str], ...] = ()
    fields: tuple[tuple[str, str, str, str], ...] = ()
    more_fields: int = 0
    pods: tuple[PodsPart, ...] = ()
    whose: str = ""
    names: tuple[str, ...] = ()
    diff: tuple[tuple[str, str], ...] = ()


class DiffPage(NamedTuple):
    """A page of differences: a headline, groups of sections under their titles, the counts, the findings."""

    title: str
    headline: str
    groups: tuple[tuple[str, tuple[Section, ...]], ...]
    summary: str
    findings: tuple[FindingRow, ...]
    data: Object


def _parts(page: DiffPage) -> Iterator[PagePart]:
    """A page for each thing that differs."""
    for heading, sections in page.groups:
        for each in sections:
            findings = about(page.findings, each.name.removeprefix("SidecarSet "))
            own = page._replace(title=each.name, headline=page.title, groups=((heading, (each,)),), findings=findings)
            yield PagePart(each.name, each.badge, each.mood, each.sentence, own)


def diff_html(report: Report[DiffFacts], page: Page) -> HtmlPage:
    """The page of two versions."""
    facts = report.facts
    return _page(report, page, _title(facts), headline(facts), _set_groups(facts), sets_summary(facts).strip())


def tree_html(report: Report[TreeDiffFacts], page: Page) -> HtmlPage:
    """The page of two trees."""
    facts, sets = report.facts, report.facts.sets
    workloads = tuple(map(_workload_section, alike(facts.workloads)))
    groups = (*_set_groups(sets), ("What the pods get", workloads))
    counts = f"{sets_summary(sets).strip()}; {trees_summary(facts)}"
    return _page(report, page, _title(sets), headline(sets), groups, counts)


def upgrade_html(report: Report[UpgradeFacts], page: Page) -> HtmlPage:
    """The page of an upgrade of Kruise."""
    facts = report.facts
    groups = (
        ("SidecarSets", tuple(_upgrade_section(upgrade) for upgrade in facts.sets if upgrade.effects)),
        ("Pods that are injected differently when recreated", tuple(map(_pods_section, facts.recreated))),
    )
    model = DiffPage(title(facts), summary(facts), groups, "", finding_rows(report.findings), {})
    return HtmlPage("diff.html", model, page, f"{facts.before.behavior}, then {facts.after.behavior}", _parts(model))


def _page(
    report: Report[DiffFacts] | Report[TreeDiffFacts],
    page: Page,
    name: str,
    said: str,
    groups: tuple[tuple[str, tuple[Section, ...]], ...],
    counts: str,
) -> HtmlPage:
    findings = finding_rows(most_severe_first(every_finding(report)))
    model = DiffPage(name, said, groups, counts, findings, {})
    return HtmlPage("diff.html", model, page, report.release.behavior, _parts(model))


def _title(facts: DiffFacts) -> str:
    return f"Changes {facts.compared}" if facts.compared else "Changes of SidecarSets"


def _set_groups(facts: DiffFacts) -> tuple[tuple[str, tuple[Section, ...]]]:
    return (("SidecarSets", tuple(_set_section(difference) for difference in facts.sets if difference.differs)),)


def _set_section(difference: SetDiff) -> Section:
    change = difference.change
    rows = (
        (field.text, field_value(field.before), field_value(field.after), field_note(change, field))
        for field in change.fields
    )
    rollout = difference.rollout
    stalls = rollout is not None and rollout.waiting > 0 and change.verdict is Verdict.IN_PLACE
    what = what_changes(difference) if change.change == "changed" else ""
    return Section(
        name=f"SidecarSet {change.name}",
        badge=", ".join(words_of(difference)),
        mood="odd" if stalls else mood_of(change.verdict),
        sentence=". ".join(filter(None, [what, change.explanation])),
        reasons=tuple(reasons(difference)),
        versions=tuple(_versions(difference)),
        fields=tuple(rows),
        pods=_pods_parts(rollout),
        whose=_whose(rollout),
        diff=_spec_diff(difference),
    )


def _whose(rollout: RolloutNumbers | None) -> str:
    return "Pods of workloads" if rollout and rollout.synthetic else "Running pods"


def _spec_diff(difference: SetDiff) -> tuple[tuple[str, str], ...]:
    """The specs of both versions, as Kruise stores them."""
    old, new = difference.change.old, difference.change.new
    return _diff_lines(hunks(*(block_text({"spec": each.spec}) for each in (old, new)))) if old and new else ()


def _versions(difference: SetDiff) -> Iterator[tuple[str, str, str]]:
    old, new = difference.change.old, difference.change.new
    if old and new:
        yield "hash", old.hash[:_HASH], new.hash[:_HASH]
        yield "hash without image", old.hash_without_image[:_HASH], new.hash_without_image[:_HASH]
        yield "revision", *difference.change.revisions


def _workload_section(group: Alike) -> Section:
    workload, more, words = group.first, len(group.workloads) - 1, workload_said(group.first)
    text = (
        headed(workload, group.hunks) if workload.change is TreeChange.CHANGED and group.hunks else unified(workload)
    )
    return Section(
        name=f"{workload.reference}{f' and {more:,} more' if more else ''}",
        badge="" if words.startswith(str(workload.change)) else str(workload.change),
        mood=_TREE_MOODS.get(workload.change, "held"),
        sentence=words,
        reasons=("hashes change",) if workload.injection.hashes else (),
        names=tuple(str(each.reference) for each in group.workloads) if more else (),
        diff=_diff_lines(text),
    )


def _upgrade_section(upgrade: SetUpgrade) -> Section:
    return Section(
        name=f"SidecarSet {upgrade.name}",
        badge=str(upgrade.verdict),
        mood=mood_of(upgrade.verdict),
        sentence=explanation(upgrade),
        reasons=tuple(filter(None, (*map(effect_sentence, upgrade.effects), running_sentence(upgrade.running)))),
        pods=_pods_parts(upgrade.running),
        whose=_whose(upgrade.running),
    )


def _pods_section(recreated: RecreatedPods) -> Section:
    shown = recreated.fields[:SHOWN_OF_A_POD]
    return Section(
        name=recreated_heading(recreated),
        badge="",
        mood="odd",
        sentence="injected differently when recreated",
        reasons=tuple(applied_sentence(recreated)),
        fields=tuple((field.text, field_value(field.before), field_value(field.after), "") for field in shown),
        more_fields=max(len(recreated.fields) - SHOWN_OF_A_POD, 0),
    )


def mood_of(verdict: Verdict) -> str:
    """The mark of a verdict: `bad`, `odd`, `held` or `good`."""
    if verdict is Verdict.REJECTED:
        return "bad"
    if verdict in (Verdict.RECREATE, Verdict.SIDECAR_LOST):
        return "odd"
    return "good" if verdict in (Verdict.IN_PLACE, Verdict.NO_EFFECT) else "held"


def _pods_parts(rollout: RolloutNumbers | None) -> tuple[PodsPart, ...]:
    """The pods of a rollout by what it does to them; empty without pods."""
    if rollout is None or not rollout.matched:
        return ()
    parts = (
        PodsPart("updated", "already up to date", rollout.already),
        PodsPart("updating", "updated now", rollout.updated),
        PodsPart("held_back", "held back", rollout.held),
        PodsPart("waiting", "waiting: the rollout stalls", rollout.waiting),
        PodsPart("in_flight", "with an earlier update", rollout.busy),
        PodsPart("not_upgradable", "to be recreated", rollout.recreate),
    )
    return tuple(part for part in parts if part.pods)


def _diff_lines(text: str) -> tuple[tuple[str, str], ...]:
    """The lines of a unified diff, each with its kind."""
    return tuple(map(_diff_line, text.splitlines()))


def _diff_line(line: str) -> tuple[str, str]:
    if line.startswith(("--- ", "+++ ")):
        return "file", line
    return _MARKS.get(line[:1], "same"), line
