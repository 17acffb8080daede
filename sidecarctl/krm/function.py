"""The KRM function: the answer to a ResourceList, and to plain manifests.

The Go SDK calls a function with plain manifests standalone, kustomize as a legacy exec plugin. Source: kyaml,
fn/framework/command; kustomize, "Exec plugins".
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.text_forms import epoch_time
from sidecarctl.engine.config import SidecarInjection
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, usage_error
from sidecarctl.engine.facts.exit_codes import COMPLETED
from sidecarctl.engine.facts.findings import Finding, Place, Severity, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import STDIN, inputs
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.inputs.objects import ManifestObject, Source, Text, read_only_document
from sidecarctl.engine.inputs.unknown_templates import UnknownTemplates, take_out
from sidecarctl.engine.inputs.world import unknown_namespaces
from sidecarctl.engine.report import (
    ObjectChange,
    Outcome,
    Report,
    Transform,
    exit_code,
    lacks_namespace,
    release_notes,
)
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.validation.warnings import accepted, record_warnings, refusals_and_doubts, refuse_unknown
from sidecarctl.features.inject.batches import Batch, BatchResult, Transformation
from sidecarctl.features.inject.documents import Attempt, attempted
from sidecarctl.krm.function_config import located_items, read_function_config, refuse_no_sets, world_of_call
from sidecarctl.krm.output import FunctionAnswer, answer_of
from sidecarctl.krm.resource_list import (
    Caller,
    ResourceList,
    caller_of,
    folder_of,
    is_local,
    parse_resource_list,
    refuse_deleting_validator,
)
from sidecarctl.krm.work_results import Done
from sidecarctl.render.lines import finding_line


class ModeWork(NamedTuple):
    """The task, the word for what it does to an object, and the findings about the SidecarSets."""

    transform: Transform
    verb: str
    findings: tuple[Finding, ...] = ()


VALIDATORS = ("validate", "check")
"""The modes that change nothing."""


def work_of(injection: SidecarInjection, world: World) -> ModeWork:
    """The work of a mode; UsageError for options that do not fit the world."""
    return _WORK[injection.mode](injection, world)


def _inject(injection: SidecarInjection, world: World) -> ModeWork:
    return ModeWork(_injecting(injection, world), "injected", _warnings(injection, world))


def _check(injection: SidecarInjection, world: World) -> ModeWork:
    inject = _injecting(injection, world)

    def check(found: ManifestObject) -> ObjectChange:
        change = inject(found)
        if change.after is None:
            return change
        missing = error(Reason.INJECTION_DIFFERS, f"injected sidecars are missing or out of date: {change.summary}")
        return change._replace(after=None, findings=(*change.findings, missing))

    return ModeWork(check, "to inject", _warnings(injection, world))


def _validate(injection: SidecarInjection, world: World) -> ModeWork:
    inject = _injecting(injection, world)

    def validate(found: ManifestObject) -> ObjectChange:
        change = inject(found)
        outcome = Outcome.CHANGED if change.outcome is Outcome.UNCHANGED else change.outcome  # both are valid
        return change._replace(after=None, outcome=outcome)

    return ModeWork(validate, "valid", _objections(injection, world))


def _uninject(injection: SidecarInjection, world: World) -> ModeWork:
    from sidecarctl.engine.injection.removal_scope import RemovalRequest
    from sidecarctl.engine.transforming.uninject import Uninject

    only = injection.options.only
    context = injection_context(world, injection.options._replace(only=()))
    request = RemovalRequest(frozenset(only) if only else None, injection.force)
    return ModeWork(Uninject(_templates(injection, world), context, request), "uninjected")


def _injecting(injection: SidecarInjection, world: World) -> Inject:
    refuse_unknown(world, injection.options.feature_gates)
    context = injection_context(world, injection.options, "spec.options.only")
    return Inject(_templates(injection, world), context, notices=True)


def _templates(injection: SidecarInjection, world: World) -> Templates:
    return Templates(world, injection.reading.namespace, injection.reading.workloads)


def _warnings(injection: SidecarInjection, world: World) -> tuple[Finding, ...]:
    return tuple(accepted(world, injection.options.feature_gates, only=injection.options.only or None))


def _objections(injection: SidecarInjection, world: World) -> tuple[Finding, ...]:
    """Findings about the SidecarSets: what Kruise rejects is an error for a validator."""
    found = refusals_and_doubts(world, injection.options.feature_gates, injection.options.only or None)
    return (*map(_graver, found), *record_warnings(world))


def _graver(finding: Finding) -> Finding:
    """Fields that the API does not have are errors for a validator."""
    return finding._replace(severity=Severity.ERROR) if finding.reason is Reason.UNKNOWN_FIELD else finding


_WORK: dict[str, Callable[[SidecarInjection, World], ModeWork]] = {
    "inject": _inject,
    "uninject": _uninject,
    "check": _check,
    "validate": _validate,
}


_NAMESPACES = "add the Namespaces to the items, or their labels to namespaceLabels, or set allowEmpty"
_ENVELOPE = 2  # levels: the list of items, and the ResourceList around it
_NO_LIMIT = 1 << 62  # the orchestrator has held it in memory already
READER = Reader(DEFAULT_LIMITS)


def answer_to(data: bytes, environ: Mapping[str, str]) -> FunctionAnswer:
    """What the function answers to a text; InputError for one that is no ResourceList."""
    limits = DEFAULT_LIMITS._replace(size=_NO_LIMIT, depth=DEFAULT_LIMITS.depth + _ENVELOPE)
    reader = Reader(limits, for_edits=True)
    call = parse_resource_list(data, reader)
    caller = caller_of(call.items, call.function_config)
    try:
        injection = with_epoch(read_function_config(call.function_config, READER), environ)
    except SidecarctlError as fault:
        return answer_of(call, Done().failed(fault), caller, reader)
    validates = injection.mode in VALIDATORS
    return answer_of(call, _done(call, injection, caller), caller, reader, validates=validates)


def with_epoch(injection: SidecarInjection, environ: Mapping[str, str]) -> SidecarInjection:
    """The options with SOURCE_DATE_EPOCH as the default time to record; UsageError if that is invalid."""
    options = injection.options
    timestamp = options.timestamp or epoch_time(environ.get("SOURCE_DATE_EPOCH"))
    return injection._replace(options=options._replace(timestamp=timestamp))


def _done(call: ResourceList, injection: SidecarInjection, caller: Caller) -> Done:
    try:
        if caller is Caller.KUSTOMIZE and injection.mode in VALIDATORS:
            refuse_deleting_validator(injection.mode, call.function_config or {}, "", READER)
        folder = folder_of(call.function_config, call.items)
        world = world_of_call(injection, located_items(call.objects()), READER, folder)
        if injection.mode != "uninject":
            refuse_no_sets(world, injection)
        work = work_of(injection, world)
    except SidecarctlError as fault:
        return Done().failed(fault)
    attempts, unknown_kinds = _notes_by_kind(
        [attempted(found, work.transform) for found in call.objects() if not is_local(found.manifest)]
    )
    findings = (*release_notes(injection.reading.release), *work.findings, *unknown_kinds)
    done = Done(tuple(attempts), findings, work.verb, injection.strict, release=injection.reading.release)
    unknown = {attempt.found.reference.namespace for attempt in attempts if lacks_namespace(attempt.change)}
    outcomes = {attempt.change.outcome for attempt in attempts}
    if unknown and outcomes <= {Outcome.SKIPPED, Outcome.OTHER} and not injection.reading.allow_empty:
        return done.failed(unknown_namespaces((name or injection.reading.namespace for name in unknown), _NAMESPACES))
    return done


def _notes_by_kind(attempts: list[Attempt]) -> tuple[list[Attempt], list[Finding]]:
    """The attempts without notes on pod templates of unknown kinds, and one note for each kind."""
    unknown, kept = UnknownTemplates(), []
    for attempt in attempts:
        mine, others = take_out(attempt.change.findings)
        unknown.add(finding._replace(subject=attempt.found.reference) for finding in mine)
        kept.append(attempt._replace(change=attempt.change._replace(findings=tuple(others))))
    return kept, unknown.notes()


LEGACY_ROOT = "KUSTOMIZE_PLUGIN_CONFIG_ROOT"
"""Kustomize sets it for legacy plugins: the folder of the kustomization that the plugin's config belongs to."""


def standalone(config: Source, sources: Sequence[Source], environ: Mapping[str, str]) -> FunctionAnswer:
    """The manifests of the sources after the work that a functionConfig file asks for; nothing if it fails.

    Paths in the file count from its folder, those of a legacy plugin from that of the kustomization. As a validator
    a legacy plugin answers nothing, as the function does to kustomize.
    """
    legacy = LEGACY_ROOT in environ
    function_config = read_only_document(config, READER, _config)
    injection = with_epoch(read_function_config(function_config, READER), environ)
    folder = environ.get(LEGACY_ROOT) or os.path.dirname(config.name)  # noqa: PTH120 - `-` has no folder either
    if legacy and injection.mode in VALIDATORS:
        refuse_deleting_validator(injection.mode, function_config, folder, READER)
    world = world_of_call(injection, (), READER, folder, manifests=sources)
    if injection.mode != "uninject":
        refuse_no_sets(world, injection)
    work = work_of(injection, world)
    transformation = Transformation(_sparing_local(work.transform), READER)
    files = [list(_batches(source, transformation)) for source in sources]
    report = _report(work.findings, [batch for file in files for batch in file])
    code = exit_code(report, strict=injection.strict)
    important = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
    silent = code or (legacy and injection.mode in VALIDATORS)
    return FunctionAnswer("" if silent else _joined(files), tuple(map(finding_line, important)), code)


def _config(document: Document | None) -> Object:
    """The object that a functionConfig file holds."""
    if document is None or not isinstance(document.value, dict):
        problem = error(Reason.WRONG_TYPE, "expected one object, the functionConfig")
        raise InputError(problem._replace(place=Place("")))
    return document.value


def _sparing_local(transform: Transform) -> Transform:
    def spared(found: ManifestObject) -> ObjectChange:
        return ObjectChange(Outcome.OTHER) if is_local(found.manifest) else transform(found)

    return spared


def _batches(source: Source, work: Transformation) -> Iterator[BatchResult]:
    for index, chunk in enumerate(source.chunks(READER.limits.size)):
        yield work.result(Batch(0, source.name, index, [chunk]))


def _report(findings: Sequence[Finding], batches: Sequence[BatchResult]) -> Report[None]:
    of_batches = (finding for batch in batches for finding in _findings(batch))
    failure = max((batch.exit_code for batch in batches), default=COMPLETED)
    return Report("run", None, list(dict.fromkeys([*findings, *of_batches])), failure=failure)


def _findings(batch: BatchResult) -> Iterator[Finding]:
    yield from batch.failures
    for found in batch.objects:
        yield from found.change.findings


def _joined(files: Sequence[Sequence[BatchResult]]) -> str:
    """The files one after another, parted by document markers."""
    text = ""
    for batches in files:
        own = b"".join(batch.data for batch in batches).decode()
        if text and own:
            text += "" if text.endswith("\n") else "\n"
            text += "" if own.startswith("---") else "---\n"
        text += own
    return text


def answer_to_arguments(
    words: Sequence[str], environ: Mapping[str, str], stdin: Callable[[], bytes]
) -> FunctionAnswer:
    """The answer to a functionConfig file and inputs; a legacy plugin has its input on stdin.

    UsageError for options, and if no input is named.
    """
    for word in words:
        if word.startswith("-") and word != STDIN:
            raise usage_error(f"there is no option {word}", hint="see sidecarctl-fn --help")
    named = [words[0], STDIN] if LEGACY_ROOT in environ else list(words)
    if len(named) < 2:
        raise usage_error("no inputs besides the functionConfig file", hint="name inputs, or - for stdin")
    if named.count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    sources: list[Source] = []
    for name in named:
        sources += [Text("stdin", stdin())] if name == STDIN else inputs([name], recursive=False, stdin=None)
    return standalone(sources[0], sources[1:], environ)
