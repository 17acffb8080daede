"""Validation of all inputs: what is rejected, good practice, conflicts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.engine.facts.findings import Finding, PathRules, Severity
from sidecarctl.engine.files.inputs import Input, excerpts
from sidecarctl.engine.inputs.broken_files import broken_by_change, not_said
from sidecarctl.engine.inputs.manifests import Manifests, read_manifests
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading, of_base, refuse_no_sidecarset
from sidecarctl.engine.inputs.world import decides, is_sidecarset
from sidecarctl.engine.report import Checked, Report, release_notes
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import with_gates
from sidecarctl.engine.sidecarset.world import Located, World
from sidecarctl.engine.validation.checking import ZONE_LABEL, checked_with_pods, own_findings
from sidecarctl.engine.validation.practice.fields import WRONG_TYPE, admitted, beside, corrected
from sidecarctl.engine.validation.suppression import (
    Parted,
    by_annotation,
    parted,
    refuses,
    regraded,
    regraded_by_path,
)
from sidecarctl.engine.validation.warnings import unknown_gates_of
from sidecarctl.features.validate.given_manifests import Sorted, Sorter
from sidecarctl.render.lines import count
from sidecarctl.render.run.findings import base_words

if TYPE_CHECKING:  # few runs upgrade, or have a baseline
    from sidecarctl.engine.validation.baselines import Baseline


class ValidationFacts(NamedTuple):
    """All findings, in the order of files and lines, and how much was checked.

    - `failures`: inputs that could not be read.
    - `upgraded_from`: the release before the requested upgrade of Kruise; it may be a downgrade.
    - `suppressed`: the number of findings that an annotation, an option, the settings or the baseline suppress; they
      are in the report, and listed if `shows_suppressed`.
    - `is_live`: a cluster was read too. `of_base`: the suppressed ones that were there before
      the update.
    - `excerpts`: of each file the lines around findings, by number, where a page is to show them.
    """

    findings: Sequence[Finding]
    failures: Sequence[Finding]
    sidecarsets: int
    manifests: int
    files: int
    suppressed: int
    gates: frozenset[str]
    upgraded_from: str = ""
    shows_suppressed: bool = False
    is_downgrade: bool = False
    excerpts: Mapping[str, Mapping[int, str]] = {}
    is_live: bool = False
    of_base: Sequence[Finding] = ()

    @property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity, most severe first."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in Severity}

    @property
    def summary(self) -> str:
        """`2 SidecarSets of 9 manifests in 3 files: 1 error, 4 notes; 2 suppressed; 1 error while reading`."""
        found = [count(number, str(severity)) for severity, number in self.counts.items() if number]
        others = f" of {count(self.manifests, 'manifest')}" if self.manifests > self.sidecarsets else ""
        cluster = ["the cluster"] if self.is_live else []
        where = [*cluster, count(self.files, "file")] if self.files or not cluster else cluster
        looked_at = f"{count(self.sidecarsets, 'SidecarSet')}{others} in {' and '.join(where)}"
        direction = "downgrade" if self.is_downgrade else "upgrade"
        upgrade = f"{direction} from {self.upgraded_from}, " if self.upgraded_from else ""
        parts = [f"{upgrade}{looked_at}: {', '.join(found) or 'no findings'}"]
        if suppressed := self.suppressed - len(self.of_base):
            parts.append(f"{suppressed} suppressed")
        parts += filter(None, [base_words(self.of_base)])
        if self.failures:
            parts.append(f"{count(len(self.failures), 'error')} while reading")
        return "; ".join(parts)


class ValidateOptions(NamedTuple):
    """The options of a validation: the baseline of known findings, the zone label.

    - `ignored`: the suppressed rules, each with what suppresses it: `option` or `settings`.
    - `severities`: those of rules, instead of their own; `by_path` for findings in some files, which
      are named from `here`.
    - `obeys_annotations`: whether annotations suppress findings; `shows_suppressed`: whether those that anything
      suppresses are listed.
    - `kubernetes`: the minor release of Kubernetes 1; None if it was not named.
    """

    gates: frozenset[str] = frozenset()
    strict: bool = False
    ignored: Mapping[str, str] = {}
    baseline: "Baseline | None" = None
    zone_label: str = ZONE_LABEL
    kubernetes: int | None = None
    severities: Mapping[str, Severity] = {}
    obeys_annotations: bool = True
    shows_suppressed: bool = False
    by_path: Sequence[PathRules] = ()
    here: str = ""


def validate(
    sources: Sources[Input], old: Sources[Input], how: Reading, options: ValidateOptions, *, shows_lines: bool = False
) -> Report[ValidationFacts]:
    """All findings about the files; `old` are those before the update.

    `shows_lines`: keep the lines that findings are about. InputError if there is nothing to check.
    """
    how = how.of_cluster(sources.live.release)
    manifests = read_manifests(sources, how)
    report = validate_report(manifests, read_manifests(old, how), how, options, old, sources.every)
    facts = report.facts._replace(is_live=bool(sources.live.inputs))
    report = report._replace(facts=facts, read_at=sources.live.versions)
    if shows_lines:
        places = (finding.place for finding in (*facts.findings, *facts.failures))
        report = report._replace(facts=facts._replace(excerpts=excerpts(sources.every, filter(None, places))))
    if not (report.facts.failures or manifests.is_odd):
        refuse_no_sidecarset(report.checked, sources, how)
    return report


def without_known(report: Report[ValidationFacts]) -> tuple[Report[ValidationFacts], list[Finding]]:
    """The report without the findings for a new baseline, and those findings.

    A baseline cannot suppress what the running Kruise rejects, but it can suppress what an upgrade will reject.
    """
    every = report.facts.findings
    refused = [] if report.facts.upgraded_from else [item for item in every if refuses(item)]
    known = [item for item in every if item not in refused]
    suppressed = [*report.suppressed, *(item._replace(suppressed_by="baseline") for item in known)]
    facts = report.facts._replace(findings=refused, suppressed=report.facts.suppressed + len(known))
    return report._replace(facts=facts, findings=refused, suppressed=suppressed), known


_NOTHING: Sources[Input] = Sources()
_NO_MANIFESTS = Manifests([], [], [], 0)


def validate_report(
    manifests: Manifests,
    older: Manifests,
    how: Reading,
    options: ValidateOptions,
    old: Sources[Input] = _NOTHING,
    files: Sequence[Input] = (),
) -> Report[ValidationFacts]:
    """All findings about the manifests in `files`; `older` are those before the update, in the files `old`.

    Findings that were there before the update are suppressed, whatever their severity.
    """
    found = Sorter(how, obeys_annotations=options.obeys_annotations).sorted(manifests.objects)
    of_release = [
        *release_notes(how.release),
        *unknown_gates_of(how.release, options.gates, allow=how.allow_unknown),
    ]
    before = Sorter(how).sorted(older.objects)
    world = found.world._replace(
        webhook=with_gates(found.world.webhook, options.gates),
        gates=options.gates,
        rules=found.world.rules._replace(
            strict=options.strict,
            kubernetes=options.kubernetes,
            obeys_annotations=options.obeys_annotations,
            by_path=tuple(options.by_path),
            here=options.here,
        ),
        older=before.world.by_name,
    )
    about, suppressed = _findings(found, world, options)
    every = _in_order([*manifests.remarks, *of_release, *found.findings, *about], manifests.objects)
    reported, further = parted_by_options(
        regraded_by_path(regraded(every, options.severities), options.by_path, options.here), options
    )
    every_suppressed = _in_order([*found.suppressed, *suppressed, *further], manifests.objects)
    not_there, of_older = of_base([*older.failures, *before.findings], old)
    broken, kept = broken_by_change(manifests.failures, older.failures, old.every, files)
    reported, not_new = _new_in_change(reported, older, how, options)
    every_suppressed += not_new
    reported, failures = [*not_said(of_older, kept), *kept, *reported], [*broken, *not_there]
    sidecarsets = list(filter(_is_sidecarset, manifests.objects))
    facts = ValidationFacts(
        reported,
        failures,
        sidecarsets=len(sidecarsets),
        manifests=len(manifests.objects),
        files=manifests.files,
        suppressed=len(every_suppressed),
        of_base=not_new,
        gates=options.gates,
        shows_suppressed=options.shows_suppressed,
    )
    failure = UNREADABLE if failures else COMPLETED
    checked = [Checked(found.reference, found.place()) for found in sidecarsets]
    return Report(
        "validation",
        facts,
        [*failures, *reported],
        checked=checked,
        suppressed=every_suppressed,
        failure=failure,
        release=how.release,
    )


def _new_in_change(findings: list[Finding], older: Manifests, how: Reading, options: ValidateOptions) -> Parted:
    """The findings of the update, and those that were there before it."""
    if not older.objects:
        return findings, []
    from sidecarctl.engine.validation.baselines import new_in_change

    before = validate_report(older, _NO_MANIFESTS, how, options)
    return new_in_change(findings, before.facts.findings)


def parted_by_options(findings: Iterable[Finding], options: ValidateOptions, *, keeps_refused: bool = True) -> Parted:
    """The findings that are reported, and those that options, settings or the baseline suppress."""
    kept, suppressed = parted(findings, options.ignored, keeps_refused=keeps_refused)
    if options.baseline is None:
        return kept, suppressed
    from sidecarctl.engine.validation.baselines import parted_by

    new, known = parted_by(options.baseline, kept, keeps_refused=keeps_refused)
    return new, [*suppressed, *known]


def _is_sidecarset(found: Located) -> bool:
    return decides(found.reference, found.manifest) and is_sidecarset(found)


def _findings(found: Sorted, world: World, options: ValidateOptions) -> Parted:
    """The findings about SidecarSets and pods, and those that annotations suppress."""
    told: list[Finding] = []
    suppressed: list[Finding] = []
    result = checked_with_pods(world, zone_label=options.zone_label)
    for checked in result.sets:
        source = world.sources[checked.sidecarset.name]
        told += source.findings(checked.findings)
        suppressed += source.findings(checked.suppressed)
    told += result.of_pods
    for item, findings in _of_others(found, world):
        kept, ignored = parted(findings, by_annotation(item.metadata, obeys=options.obeys_annotations))
        told += kept
        suppressed += ignored
    return told, suppressed


def _of_others(found: Sorted, world: World) -> Iterator[tuple[SidecarSet, list[Finding]]]:
    """SidecarSets that repeat a name, and the rest of those with values of wrong types, with their own findings."""
    for item, located in found.further:
        alone = world._replace(sources={item.name: located})
        yield item, located.findings(own_findings(item, alone, world.by_name))
    for located, wrong in found.undecodable:
        manifest, left_out = corrected(located.manifest, [item for item in wrong if item.rule == WRONG_TYPE.id])
        rest = admitted(manifest, world.release)
        if isinstance(rest, SidecarSet):
            alone = world._replace(sources={})
            yield rest, located.findings(beside(left_out, own_findings(rest, alone, world.by_name)))


def _in_order(findings: Sequence[Finding], objects: Sequence[Located]) -> list[Finding]:
    """Findings in the order of files and lines."""
    files = {file: number for number, file in enumerate(dict.fromkeys(result.file for result in objects))}

    def position(finding: Finding) -> tuple[int, int, int]:
        place = finding.place
        if place is None:
            return len(files), 0, 0
        return files.get(place.file, len(files)), place.line or 0, place.column or 0

    return sorted(findings, key=position)
