"""`sidecarctl validate`, and the options for what it compares with and what it suppresses."""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.documents import OutputFiles
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.earlier import based, changes_since, earlier
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import GateFlags, KruiseFrom, KruiseTo, upgrade_of
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.flags.repository import repository, settings
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.findings import Finding, PathRules, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.objects import read_only_document
from sidecarctl.engine.inputs.opening import Live
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.report import Report
from sidecarctl.engine.validation.catalog import known_rule
from sidecarctl.engine.validation.checking import ZONE_LABEL
from sidecarctl.features.validate.validate import ValidateOptions, ValidationFacts, validate, without_known

if TYPE_CHECKING:  # few runs have one
    from sidecarctl.engine.validation.baselines import Baseline


class ValidationFlags(GateFlags):
    """How to validate."""

    title = "Rules"
    old: Annotated[
        list[str] | None,
        typer.Option(
            "--old",
            metavar="PATH",
            help="The current SidecarSets, to check what an update must not change; git:REV is where HEAD left REV, "
            "git:=REV is REV itself. Repeatable.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULE", help="Suppress findings of this rule or reason; repeatable."),
    ] = None
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="RULE=WORD", help="A rule's severity: off, note, warning, error; repeatable."),
    ] = None
    no_inline_ignore: Annotated[
        bool, typer.Option("--no-inline-ignore", help="Disregard the annotation sidecarctl.dev/ignore.")
    ] = False
    show_suppressed: Annotated[bool, typer.Option("--show-suppressed", help="List suppressed findings too.")] = False
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="FILE", help="Suppress the findings in this file.")
    ] = None
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="Write all findings to the file of --baseline.")
    ] = False
    by_node: Annotated[
        str, typer.Option("--by-node", metavar="LABEL", help="The Node label with the zone, for maxUnavailable.")
    ] = ZONE_LABEL
    kubernetes: Annotated[
        str,
        typer.Option(
            "--kubernetes",
            metavar="VERSION",
            help="The release of Kubernetes, for fields that it drops: 1.27. [default: with --live that of the "
            "server]",
        ),
    ] = ""
    lists: Annotated[
        bool, typer.Option("--list", help="With --render: list what would be rendered, run nothing, and exit.")
    ] = False
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""

    @property
    def is_upgrade(self) -> bool:
        """Whether the question is about an upgrade of Kruise."""
        return bool(self.kruise_from or self.kruise_to)

    def upgrade(self, kruise: str) -> tuple[Release, Release]:
        """The releases of the upgrade; UsageError for half an upgrade, or options that have no meaning there."""
        hint = "sidecarctl validate --kruise-from 1.6 --kruise-to 1.9 PATHS"
        releases = upgrade_of(self.kruise_from, self.kruise_to, kruise, hint)
        if self.old:
            raise usage_error("--kruise-from and --kruise-to cannot be combined with --old", hint=hint)
        return releases

    def options(self, *, strict: bool) -> ValidateOptions:
        """The options of the operation; UsageError for an unknown rule, InputError for a bad baseline."""
        if self.write_baseline and not self.baseline:
            raise usage_error("--write-baseline needs a file", hint="--baseline FILE --write-baseline")
        of_repository, words = settings().rules, _words(self.rule or ())
        ignored = dict.fromkeys(of_repository.ignored, "settings")
        ignored = {rule: by for rule, by in ignored.items() if rule not in words}
        ignored |= {
            name if name in set(Reason) else known_rule("--ignore", name).id: "option"
            for item in self.ignore or ()
            for name in item.split(",")
        }
        ignored |= {rule: "option" for rule, word in words.items() if word == _OFF}
        severities = {rule: Severity(word) for rule, word in words.items() if word != _OFF}
        return ValidateOptions(
            self.gates(),
            strict,
            ignored,
            self._known(),
            self.by_node,
            _minor(self.named_kubernetes),
            {**of_repository.severities, **severities},
            not self.no_inline_ignore,
            self.show_suppressed,
            tuple(_by_path(words)),
            str(Path.cwd()),
        )

    @property
    def named_kubernetes(self) -> str:
        """The release of Kubernetes that the user or the settings name; empty if neither does."""
        return self.kubernetes or settings().kubernetes

    def of_cluster(self, options: ValidateOptions, live: Live) -> ValidateOptions:
        """The options with what a cluster says where the user did not: feature gates, the release of Kubernetes."""
        kubernetes = options.kubernetes if self.named_kubernetes else _minor(live.kubernetes)
        return options._replace(gates=self.over(live.gates).gates(), kubernetes=kubernetes)

    def _known(self) -> "Baseline | None":
        if not self.baseline or self.write_baseline:
            return None
        from sidecarctl.engine.validation.baselines import read_baseline

        return read_only_document(Input(self.baseline, Path(self.baseline), Path()), Reader(), read_baseline)


def _by_path(words: Collection[str]) -> Iterator[PathRules]:
    """The settings of rules for some paths, which become absolute; without rules that options name."""
    found = repository()
    for item in found.settings.rules.by_path if found else ():
        at = [os.path.join(found.folder, path) for path in item.paths] if found else []  # noqa: PTH118 - a text
        severities = {rule: severity for rule, severity in item.severities.items() if rule not in words}
        yield PathRules(tuple(at), item.ignored - set(words), severities, item.parameters)


_OFF = "off"
_WORDS = (_OFF, *map(str, reversed(Severity)))


def _words(texts: Iterable[str]) -> dict[str, str]:
    """The rules of --rule, each with its word; UsageError for an unknown rule or word, or one that is enforced."""
    words: dict[str, str] = {}
    for text in (part for item in texts for part in item.split(",")):
        name, _, word = text.partition("=")
        rule = known_rule("--rule", name)
        if word not in _WORDS:
            raise usage_error(f"--rule {text}: write {rule.id}= and one of {', '.join(_WORDS)}")
        if rule.refuser and word != Severity.ERROR:
            message = f"--rule {text}: {rule.refuser} rejects what breaks {rule.id}, so it stays an error"
            raise usage_error(message, hint="leave it out")
        words[rule.id] = word
    return words


def _minor(text: str) -> int | None:
    if not text:
        return None
    from sidecarctl.engine.validation.practice.kubernetes import (
        parse_kubernetes,  # rules, which other commands do not load
    )

    return parse_kubernetes(text)


@typer_command
def command(
    inputs: DumpFlags,
    validation: ValidationFlags,
    cluster: ClusterFlags,
    fleet: FleetFlags,
    reporting: DocumentFlags,
) -> None:
    """Check SidecarSets: errors that Kruise or the API server rejects, conflicts, and good practice.

    PATHS contain the SidecarSets, and related objects: pods or workloads, and what is in their namespaces:
    Services, LimitRanges, ResourceQuotas, HorizontalPodAutoscalers, Secrets, ConfigMaps; Namespaces and Nodes.
    With --live, SidecarSets, pods, Namespaces, and the releases of Kruise and Kubernetes are read from a cluster;
    SidecarSets in PATHS replace its own, and other kinds come from PATHS alone. With --old, also checks what an
    update must not change. A finding ends with the id of its rule, which `sidecarctl rules ID` explains; suppress it
    with the annotation sidecarctl.dev/ignore or --ignore. Exit code 1: an error was found, with --strict also a
    warning; 2: an input cannot be read (the others are still checked).

    With --kruise-from and --kruise-to: what an upgrade of Kruise breaks, or changes; what both releases find is
    left out.

    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all.

    Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl validate sidecarsets/ deploy.yaml
      sidecarctl validate sidecarsets/ --baseline known.json --write-baseline
      sidecarctl validate --live sidecarsets/
      sidecarctl validate --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> Report[Any]:
        own, rules = inputs.of_cluster(of), validation.over(of.gates)
        asks_kubernetes = not validation.named_kubernetes
        live = cluster.options(
            inputs.namespace, inputs.kruise, validation.feature_gates, asks_kubernetes=asks_kubernetes
        )
        if live and validation.is_upgrade:
            raise usage_error("--kruise-from and --kruise-to cannot be combined with --live")
        options, how = rules.options(strict=reporting.strict), own.reading(jobs=fleet.jobs)
        named = own.named(optional=live is not None)
        if validation.is_upgrade:
            from sidecarctl.features.validate.upgrade_gate import gated

            releases = validation.upgrade(inputs.kruise)
            with WithoutCollector():
                return _with_baseline(gated(releases, named, how, options), validation)
        before = validation.old or ()
        shows_lines = any(output.form == "html" for output in reporting.documents())
        with opened_with_cluster(live, named, earlier(own, based(before)), lenient=True) as (sources, old):
            options = rules.of_cluster(options, sources.live)
            report = validate(sources, old, how, options, shows_lines=shows_lines)
        further = [*changes_since(before, of), *sources.live.findings]
        return _with_further(_with_baseline(report, validation), further)

    if validation.lists:
        conclude(lambda: _to_render(inputs), reporting, "message")
    for_one = "--write-baseline" if validation.write_baseline else ""
    conclude_over_clusters(run, inputs, fleet, reporting, "validation", for_one=for_one)


def _with_further(report: Report[ValidationFacts], further: Sequence[Finding]) -> Report[ValidationFacts]:
    """The report with findings that nothing suppresses: changed settings, and what a cluster did not show."""
    facts = report.facts._replace(findings=[*further, *report.facts.findings])
    return report._replace(facts=facts, findings=[*further, *report.findings])


def _to_render(inputs: DumpFlags) -> Report[str]:
    from sidecarctl.engine.inputs.rendering.rendered import listed  # few runs render

    named = inputs.named()
    if named.render is None:
        raise usage_error("--list lists what --render would render", hint="sidecarctl validate --render --list")
    return Report("message", "".join(f"{line}\n" for line in listed(named, named.render)))


def _with_baseline(report: Report[ValidationFacts], validation: ValidationFlags) -> Report[ValidationFacts]:
    """The report, after writing its findings to the baseline if requested and nothing failed."""
    if not validation.write_baseline or not validation.baseline or report.failure:
        return report
    from sidecarctl.engine.validation.baselines import baseline_of

    report, known = without_known(report)
    text = json.dumps(baseline_of(known), indent=2, ensure_ascii=False) + "\n"
    with written(OutputFiles()) as files:
        files.add(Path(validation.baseline), [text])
        files.commit()
    return report
