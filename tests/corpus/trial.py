"""One text: injected, injected again, uninjected; what of the promises was kept."""

import re
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk, split
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.inputs.world import deciding, world_of
from sidecarctl.engine.report import Outcome
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.transforming.uninject import Uninject
from sidecarctl.features.inject.batches import ChunkResult, Transformation

_TOLD = (Reason.NOT_REVERSIBLE, Reason.CONTAINER_REPLACED, Reason.BRANCH_REWRITTEN)
_EMPTY = re.compile(r"\{\s*\}|\[\s*\]|null|~")


class Verdict(StrEnum):
    """The outcomes of a trial; several may apply."""

    UNTOUCHED = "no pods in it, left as it came"
    REFUSED = "refused"
    INJECTED = "injected"
    CHANGED_OUTSIDE = "bytes changed outside the edit"
    NOT_IDEMPOTENT = "not idempotent"
    NOT_RESTORED = "not restored"
    NOT_REVERSIBLE = "not restored, and said so"
    REWRITTEN = "fallback used: a branch written anew"


class Trial(NamedTuple):
    """The verdicts on one document, and the findings that explain a refusal."""

    verdicts: list[Verdict]
    findings: list[Finding]


class Promises:
    """Tries documents with the given sets."""

    def __init__(self, sets: bytes, reader: Reader = Reader()) -> None:  # noqa: B008 - a constant: nothing changes it
        found = [item for chunk in split([sets], 1 << 20) for item in deciding(reader.documents(chunk), "sets")]
        world, _ = world_of(found)
        context, templates = InjectionContext(world.sidecarsets), Templates(world)
        self._inject = Transformation(Inject(templates, context), reader)
        self._uninject = Transformation(Uninject(templates, context, RemovalRequest()), reader)

    def trial(self, chunk: Chunk, file: str) -> Trial:
        """The result for one document."""
        once = self._inject.chunk(chunk, file, 0)
        findings = [*once.failures, *_findings(once)]
        if any(item.severity is Severity.ERROR for item in once.failures) or _failed(once):
            return Trial([Verdict.REFUSED], findings)
        if once.before is None:
            kept = once.data == chunk.data
            return Trial([Verdict.UNTOUCHED if kept else Verdict.CHANGED_OUTSIDE], findings)
        verdicts = [Verdict.INJECTED]
        if bytes_lost(chunk.data.decode(), once.data.decode()):
            verdicts.append(Verdict.CHANGED_OUTSIDE)
        injected = Chunk(once.data, 1)
        if self._inject.chunk(injected, file, 0).data != once.data:
            verdicts.append(Verdict.NOT_IDEMPOTENT)
        back = self._uninject.chunk(injected, file, 0)
        if back.data != chunk.data:
            told = any(finding.reason in _TOLD for finding in [*findings, *_findings(back)])
            verdicts.append(Verdict.NOT_REVERSIBLE if told else Verdict.NOT_RESTORED)
        if any(finding.reason is Reason.BRANCH_REWRITTEN for finding in findings):
            verdicts.append(Verdict.REWRITTEN)
        return Trial(verdicts, findings)


def bytes_lost(before: str, after: str) -> int:
    """How many characters of the text before are not in the text after, empty and null values apart."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lost = 0
    for tag, first, last, new_first, new_last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("delete", "replace"):
            rest = iter("".join(new[new_first:new_last]))
            lost += sum(character not in rest for character in _substance("".join(old[first:last])))
    return lost


def _substance(text: str) -> str:
    return "".join(_EMPTY.sub("", text).split())


def _findings(part: ChunkResult) -> list[Finding]:
    return [finding for report in part.objects for finding in report.change.findings]


def _failed(part: ChunkResult) -> bool:
    return any(report.change.outcome is Outcome.FAILED for report in part.objects)
