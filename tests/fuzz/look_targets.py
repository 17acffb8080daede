"""Documents that the first look passes: parsed, none of them is one that a command would do anything with."""

import re

from sidecarctl.engine.api.workloads import workload_of
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk, DocumentLimits, header_of, split
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.inputs.first_look import FirstLook, near_headers
from sidecarctl.engine.inputs.objects import objects_of
from sidecarctl.engine.inputs.reading import is_manifest
from sidecarctl.engine.inputs.unknown_templates import kind_refused, unknown_templates
from sidecarctl.engine.inputs.world import decides

LOOK = FirstLook(is_on=True)
_LIMITS = DocumentLimits(size=1 << 16)
_KINDS = (b"Service", b"ConfigMap", b"CustomResourceDefinition", b"Widget", b"SidecarSte")
_KIND = re.compile(rb"^kind:.*$", re.MULTILINE)


def look(data: bytes) -> None:
    """What is passed would have been an object of that apiVersion and kind with nothing to do, or cannot be parsed.

    So that something is passed, the manifests are tried as those of other kinds too, and without containers.
    """
    others = (_KIND.sub(b"kind: " + kind, data) for kind in _KINDS)
    tried = [data, *others]
    for text in [*tried, *(text.replace(b"containers", b"contents") for text in tried)]:
        try:
            chunks = list(split([text], _LIMITS.size))
        except InputError:
            continue
        for chunk in chunks:
            passes_rightly(chunk)


def passes_rightly(chunk: Chunk) -> bool:
    """Whether the document is passed; it must not be if it matters."""
    header, passed = header_of(chunk.data), LOOK.passed(chunk.data)
    if header is None:
        assert passed is None
        return False
    try:
        documents = Reader(_LIMITS).documents(chunk)
    except InputError:
        return passed is not None
    [document] = documents
    [found] = objects_of({**document.value, "items": None})
    assert (found.reference.api_version, found.reference.kind) == (header.api_version, header.kind)
    assert not LOOK.decides_nothing(chunk.data) or not _decides(document.value)
    if passed is None:
        return False
    [found] = objects_of(document.value)
    assert passed == header
    assert is_manifest(document.value)
    assert not document.is_json
    assert near_headers(document, "a.yaml") == []
    assert workload_of(found.manifest) is None
    assert kind_refused(found.manifest, found.reference) is None
    assert unknown_templates(found.manifest, found.reference) == []
    return True


def _decides(value: object) -> bool:
    return any(decides(found.reference, found.manifest) for found in objects_of(value))
