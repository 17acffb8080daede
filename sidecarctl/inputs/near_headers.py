"""Documents that nearly name a SidecarSet: no command may pass over them without a word."""

from sidecarctl.documents.reading.document import Document
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.values import Value
from sidecarctl.sidecarset.sets import GROUP

_LIKE_A_SIDECARSET = "sidecars"


def near_headers(document: Document, file: str) -> list[Finding]:
    """Warnings about a document that some word at its top says is a SidecarSet, and that is none."""
    if not _is_suspicious(document.value):
        return []
    from sidecarctl.validation.practice.headers import header_findings  # few documents come here

    findings = [finding._replace(place=document.place(finding.path)) for finding in header_findings(document.value)]
    return in_file(findings, file)


def _is_suspicious(value: Value) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("kind") == "SidecarSet" and str(value.get("apiVersion")).startswith(f"{GROUP}/"):
        return False
    return any(isinstance(word, str) and _LIKE_A_SIDECARSET in word.lower() for word in value.values())
