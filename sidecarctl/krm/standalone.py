"""Manifests instead of a ResourceList: standalone, as the Go SDK has it, and as a legacy exec plugin of kustomize.

Source: kyaml, fn/framework/command; kustomize, "Exec plugins".
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.documents.reading.streams import Chunk, split
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.opening import Source
from sidecarctl.krm.function import READER, with_epoch
from sidecarctl.krm.function_config import read_function_config
from sidecarctl.krm.inputs import refuse_no_sets, world_of_call
from sidecarctl.krm.modes import VALIDATORS, work_of
from sidecarctl.krm.orchestrators.annotations import is_local
from sidecarctl.krm.orchestrators.kustomizations import refuse_deleting_validator
from sidecarctl.krm.output import Answer
from sidecarctl.operations.transforming.chunks import ChunkResult, Transformation
from sidecarctl.operations.transforming.object_changes import Change, Outcome, Transform
from sidecarctl.reports.layout.lines import finding_line

LEGACY_ROOT = "KUSTOMIZE_PLUGIN_CONFIG_ROOT"
"""Kustomize sets it for legacy plugins: the folder of the kustomization that the plugin's config belongs to."""


class Text(NamedTuple):
    """A source in memory."""

    name: str
    data: bytes

    def blocks(self) -> Iterator[bytes]:
        """The bytes."""
        yield self.data

    def chunks(self, size_limit: int) -> Iterator[Chunk]:
        """The documents."""
        return split([self.data], size_limit, self.name)


def standalone(config: Source, sources: Sequence[Source], environ: Mapping[str, str]) -> Answer:
    """The manifests of the sources after the work that a functionConfig file asks for; nothing where it fails.

    Paths in the file count from its folder, those of a legacy plugin from that of the kustomization. As a validator
    a legacy plugin answers nothing, as the function does to kustomize.
    """
    legacy = LEGACY_ROOT in environ
    function_config = _config(config)
    injection = with_epoch(read_function_config(function_config, READER), environ)
    folder = environ.get(LEGACY_ROOT) or os.path.dirname(config.name)  # noqa: PTH120 - `-` has no folder either
    if legacy and injection.mode in VALIDATORS:
        refuse_deleting_validator(injection.mode, function_config, folder, READER)
    world = world_of_call(injection, (), READER, folder, manifests=sources)
    if injection.mode != "uninject":
        refuse_no_sets(world, injection)
    work = work_of(injection, world)
    transformation = Transformation(_sparing_local(work.transform), READER)
    files = [list(_parts(source, transformation)) for source in sources]
    parts = [part for file in files for part in file]
    findings = list(dict.fromkeys([*work.findings, *_findings(parts)]))
    code = _exit_code(parts, findings, strict=injection.strict)
    important = [finding for finding in findings if finding.severity is not Severity.NOTE]
    silent = code or (legacy and injection.mode in VALIDATORS)
    return Answer("" if silent else _joined(files), tuple(map(finding_line, important)), code)


def _config(source: Source) -> Object:
    """The object that a functionConfig file holds."""
    try:
        documents = [document for chunk in source.chunks(READER.limits.size) for document in READER.documents(chunk)]
    except InputError as fault:
        raise InputError(*in_file(fault.findings, source.name)) from None
    values = [document.value for document in documents if document.value is not None]
    if len(values) != 1 or not isinstance(values[0], dict):
        raise input_error(Reason.WRONG_TYPE, f"{source.name}: expected one object, the functionConfig")
    return values[0]


def _sparing_local(transform: Transform) -> Transform:
    def spared(found: ManifestObject) -> Change:
        return Change(Outcome.OTHER) if is_local(found.manifest) else transform(found)

    return spared


def _parts(source: Source, transformation: Transformation) -> Iterator[ChunkResult]:
    for index, chunk in enumerate(source.chunks(READER.limits.size)):
        yield transformation.chunk(chunk, source.name, index)


def _findings(parts: Sequence[ChunkResult]) -> Iterator[Finding]:
    for part in parts:
        yield from part.failures
        for found in part.objects:
            yield from found.change.findings


def _exit_code(parts: Sequence[ChunkResult], findings: Sequence[Finding], *, strict: bool) -> int:
    failures = [part.exit_code for part in parts] + [found.exit_code for part in parts for found in part.objects]
    graves = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return max(failures, default=0) or int(any(finding.severity in graves for finding in findings))


def _joined(files: Sequence[Sequence[ChunkResult]]) -> str:
    """The files one after another, parted by document markers."""
    text = ""
    for parts in files:
        own = b"".join(part.data for part in parts).decode()
        if text and own:
            text += "" if text.endswith("\n") else "\n"
            text += "" if own.startswith("---") else "---\n"
        text += own
    return text
