"""What an upgrade of Kruise does, as a page: SidecarSets that it changes, pods that are injected differently."""

from collections.abc import Iterator

from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.upgrade_sentences import (
    SHOWN_FIELDS,
    applied_sentence,
    effect_sentence,
    explanation,
    recreated_heading,
    running_sentence,
    summary,
    title,
)
from sidecarctl.reports.html.differences import DiffPage, Section, field_rows, mood_of, pods_parts
from sidecarctl.reports.html.findings import finding_rows
from sidecarctl.reports.page import Page


def upgrade_html(report: Report[UpgradeFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    from sidecarctl.reports.html.rendering import rendered

    return rendered("diff.html", upgrade_page(report, page))


def upgrade_page(report: Report[UpgradeFacts], page: Page) -> DiffPage:
    """The model of the page."""
    facts = report.facts
    return DiffPage(
        title=title(facts),
        behaviour=f"{facts.before.behaviour}, then {facts.after.behaviour}",
        json_file=page.json_file,
        headline=summary(facts),
        groups=(
            ("SidecarSets", tuple(_set_section(upgrade) for upgrade in facts.sets if upgrade.effects)),
            ("Pods that are injected differently when recreated", tuple(map(_pods_section, facts.recreated))),
        ),
        summary="",
        findings=finding_rows(report.findings),
        data={},
    )


def _set_section(upgrade: SetUpgrade) -> Section:
    running = (running_sentence(upgrade.running),) if upgrade.running else ()
    return Section(
        name=f"SidecarSet {upgrade.name}",
        badge=str(upgrade.verdict),
        mood=mood_of(upgrade.verdict),
        sentence=explanation(upgrade.verdict),
        reasons=(*map(effect_sentence, upgrade.effects), *running),
        pods=pods_parts(upgrade.running),
    )


def _pods_section(recreated: RecreatedPods) -> Section:
    return Section(
        name=recreated_heading(recreated),
        badge="",
        mood="odd",
        sentence="injected differently when recreated",
        reasons=tuple(applied_sentence(recreated)),
        fields=tuple(field_rows(recreated.fields[:SHOWN_FIELDS])),
        more_fields=max(len(recreated.fields) - SHOWN_FIELDS, 0),
    )
