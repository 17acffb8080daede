"""Schemas, and other documents that are already plain objects."""

from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout import documents
from sidecarctl.reports.page import Page


def schema_json(report: Report[Object], page: Page) -> str:
    """The object as JSON."""
    del page
    return documents.json_text(report.facts)


def schema_yaml(report: Report[Object], page: Page) -> str:
    """The object as YAML."""
    del page
    return documents.yaml_text(report.facts)
