"""Findings about a SidecarSet on its own: the cheap checks, for every command that reads it."""

from collections.abc import Iterator, Mapping

from sidecarctl.facts.findings import Finding
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.admission.spec import refusals
from sidecarctl.validation.given import Given, spec_in_v1beta1
from sidecarctl.validation.practice.fields import unknown_field_findings
from sidecarctl.validation.practice.hot_upgrade import hot_upgrade_findings
from sidecarctl.validation.practice.images import image_findings
from sidecarctl.validation.practice.limits import limit_findings
from sidecarctl.validation.practice.order import own_order_findings
from sidecarctl.validation.practice.words import word_findings
from sidecarctl.validation.suppression import ignore_findings, ignored_by


def own_findings(sidecarset: SidecarSet, given: Given, by_name: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """The findings about a SidecarSet, in the order of the rules; `by_name` are all SidecarSets."""
    spec = spec_in_v1beta1(sidecarset)
    if sidecarset.name in given.manifests:
        yield from unknown_field_findings(given.manifests[sidecarset.name], sidecarset.release)
    yield from refusals(sidecarset, given, by_name)
    if sidecarset.name in given.older:
        from sidecarctl.validation.updates import update_refusals

        yield from update_refusals(given.older[sidecarset.name], sidecarset)
    yield from word_findings(spec)
    yield from hot_upgrade_findings(spec, sidecarset.release)
    yield from image_findings(spec)
    yield from limit_findings(spec, sidecarset.release)
    yield from own_order_findings(sidecarset, given.gates)
    if ignored_by(sidecarset.metadata):
        from sidecarctl.validation.catalogue import rules

        yield from ignore_findings(sidecarset.metadata, rules())
