"""Objects that an operation created, as manifests."""

from collections.abc import Iterator, Sequence

from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_text
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.page import Page


def manifests_yaml(report: Report[Sequence[Object]], page: Page) -> Iterator[str]:
    """A YAML document per object."""
    del page
    for index, manifest in enumerate(report.facts):
        yield ("---\n" if index else "") + block_text(manifest)


def manifests_json(report: Report[Sequence[Object]], page: Page) -> str:
    """A single object as JSON; several, or none, as a List."""
    del page
    if len(report.facts) == 1:
        return json_text(report.facts[0])
    return json_text({"apiVersion": "v1", "kind": "List", "items": list(report.facts)})


def manifest_names(report: Report[Sequence[Object]], page: Page) -> Iterator[str]:
    """A line per object, `controllerrevision.apps/NAME`."""
    del page
    for manifest in report.facts:
        reference = reference_of(manifest)
        group = reference.api_version.rpartition("/")[0]
        kind = f"{reference.kind.lower()}.{group}" if group else reference.kind.lower()
        yield shown(f"{kind}/{reference.name}") + "\n"
