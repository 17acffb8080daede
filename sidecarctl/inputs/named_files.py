"""Files that were named, or standard input, and hold no manifest: a table of kubectl, values of Helm, nothing.

A folder may hold such files; who names one by itself expects a manifest in it.
"""

from collections.abc import Container, Iterable, Iterator

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.opening import Source


def without_manifest(sources: Iterable[Source], holding: Container[str], reader: Reader) -> Iterator[Finding]:
    """An error for each named file without any manifest; those in `holding` are known to have one."""
    for source in sources:
        is_named = isinstance(source, Input) and source.is_named
        if is_named and source.name not in holding and not _holds_manifest(source, reader):
            name = "standard input" if source.name == "stdin" else source.name
            hint = "a Kubernetes object has apiVersion and kind; use --allow-empty to accept this"
            yield error(Reason.NO_MANIFEST, f"no manifest found in {name}", hint=hint)


def is_manifest(value: Value) -> bool:
    """Whether the value of a document is an object or a list of them, be it empty."""
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _holds_manifest(source: Source, reader: Reader) -> bool:
    """Whether a document of the file is a manifest; what cannot be read may be one."""
    try:
        return any(
            is_manifest(document.value)
            for chunk in source.chunks(reader.limits.size)
            for document in reader.documents(chunk)
        )
    except SidecarctlError:
        return True
