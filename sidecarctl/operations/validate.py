"""Validation of all inputs: what is rejected, good practice, conflicts."""

from collections.abc import Collection, Iterator, Sequence

from sidecarctl.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.inputs.deciding_kinds import decides, is_sidecarset
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_manifests import Manifests
from sidecarctl.operations.checking.release_findings import unknown_gates_of
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.operations.validating.given_manifests import Sorted, Sorter
from sidecarctl.validation.baselines import Baseline, beyond
from sidecarctl.validation.checking import ZONE_LABEL, check
from sidecarctl.validation.given import Given
from sidecarctl.validation.own_findings import own_findings
from sidecarctl.validation.suppression import ignored_by, without


class ValidateOptions(NamedTuple):
    """The options of a validation: ignored rules, the baseline of known findings, the zone label."""

    gates: frozenset[str] = frozenset()
    strict: bool = False
    ignored: Collection[str] = ()
    baseline: Baseline | None = None
    zone_label: str = ZONE_LABEL


def validate_report(
    manifests: Manifests, older: Manifests, how: Reading, options: ValidateOptions
) -> Report[ValidationFacts]:
    """All findings about the manifests; `older` are the SidecarSets before the update."""
    found = Sorter(how).sorted(manifests.objects)
    gates = unknown_gates_of(how.release, options.gates, allow=how.allow_unknown)
    before = Sorter(how).sorted(older.objects)
    given = found.given._replace(
        gates=options.gates,
        strict=options.strict,
        older={sidecarset.name: sidecarset for sidecarset in before.given.sidecarsets},
    )
    every = _in_order(
        [*manifests.remarks, *gates, *found.findings, *_findings(found, given, options)], manifests.objects
    )
    kept = without(every, options.ignored)
    reported = kept if options.baseline is None else beyond(kept, options.baseline)
    failures = [*manifests.failures, *older.failures, *before.findings]
    facts = ValidationFacts(
        reported,
        failures,
        sidecarsets=sum(map(_is_sidecarset, manifests.objects)),
        files=manifests.files,
        suppressed=len(every) - len(reported),
        gates=options.gates,
    )
    failure = UNREADABLE if failures else COMPLETED
    return Report("validation", facts, [*failures, *reported], failure=failure, release=how.release)


def _is_sidecarset(found: Located) -> bool:
    return decides(found.reference) and is_sidecarset(found)


def _findings(found: Sorted, given: Given, options: ValidateOptions) -> Iterator[Finding]:
    for checked in check(given, zone_label=options.zone_label):
        yield from found.sources[checked.sidecarset.name].findings(checked.findings)
    by_name = {sidecarset.name: sidecarset for sidecarset in given.sidecarsets}
    for item, located in found.further:
        alone = given._replace(manifests={item.name: located.manifest})
        yield from located.findings(without(own_findings(item, alone, by_name), ignored_by(item.metadata)))


def _in_order(findings: Sequence[Finding], objects: Sequence[Located]) -> list[Finding]:
    """Findings in the order of files and lines."""
    files = {file: number for number, file in enumerate(dict.fromkeys(result.file for result in objects))}

    def position(finding: Finding) -> tuple[int, int, int]:
        place = finding.place
        if place is None:
            return len(files), 0, 0
        return files.get(place.file, len(files)), place.line or 0, place.column or 0

    return sorted(findings, key=position)
