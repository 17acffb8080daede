"""Validation of everything that the inputs hold: what is refused, what nobody checks, conflicts."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.facts.findings import Finding
from sidecarctl.inputs.deciding_kinds import decides, is_sidecarset
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_manifests import Manifests
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.operations.validating.given_manifests import Sorted, Sorter
from sidecarctl.validation.checking import ZONE_LABEL, check
from sidecarctl.validation.given import Given
from sidecarctl.validation.own_findings import own_findings
from sidecarctl.validation.suppression import Baseline, beyond, ignored_by, without


class ValidateOptions(NamedTuple):
    """What is told and what counts: rules that are ignored, findings that were there before, the label of zones."""

    gates: frozenset[str] = frozenset()
    strict: bool = False
    ignored: Collection[str] = ()
    baseline: Baseline | None = None
    zone_label: str = ZONE_LABEL


def validate_report(
    manifests: Manifests, older: Manifests, how: Reading, options: ValidateOptions
) -> Report[ValidationFacts]:
    """Everything that there is to say about the manifests; `older` are SidecarSets as the cluster has them."""
    found = Sorter(how).sorted(manifests.objects)
    before = Sorter(how).sorted(older.objects)
    given = found.given._replace(
        gates=options.gates, strict=options.strict, older={one.name: one for one in before.given.sidecarsets}
    )
    every = _in_order([*manifests.remarks, *found.findings, *_findings(found, given, options)], manifests.objects)
    kept = without(every, options.ignored)
    told = kept if options.baseline is None else beyond(kept, options.baseline)
    failures = [*manifests.failures, *older.failures, *before.findings]
    facts = ValidationFacts(
        told,
        failures,
        sidecarsets=sum(map(_is_sidecarset, manifests.objects)),
        files=manifests.files,
        suppressed=len(every) - len(told),
        gates=options.gates,
    )
    return Report("validation", facts, [*failures, *told], failure=UNREADABLE if failures else COMPLETED)


def _is_sidecarset(found: Located) -> bool:
    return decides(found.reference) and is_sidecarset(found)


def _findings(found: Sorted, given: Given, options: ValidateOptions) -> Iterator[Finding]:
    for checked in check(given, zone_label=options.zone_label):
        yield from found.sources[checked.sidecarset.name].findings(checked.findings)
    by_name = {one.name: one for one in given.sidecarsets}
    for one, located in found.further:
        alone = given._replace(manifests={one.name: located.manifest})
        yield from located.findings(without(own_findings(one, alone, by_name), ignored_by(one.metadata)))


def _in_order(findings: Sequence[Finding], objects: Sequence[Located]) -> list[Finding]:
    """Findings in the order of the files and of the lines in them."""
    files = {file: number for number, file in enumerate(dict.fromkeys(one.file for one in objects))}

    def position(finding: Finding) -> tuple[int, int, int]:
        place = finding.place
        if place is None:
            return len(files), 0, 0
        return files.get(place.file, len(files)), place.line or 0, place.column or 0

    return sorted(findings, key=position)
