"""The function: a ResourceList on stdin to its answer, by the steps that every call takes."""

from collections.abc import Mapping

from sidecarctl.config.injection_options import epoch_time
from sidecarctl.config.sidecar_injection import SidecarInjection
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.krm.function_config import read_function_config
from sidecarctl.krm.inputs import located_items, refuse_no_sets, world_of_call
from sidecarctl.krm.modes import VALIDATORS, work_of
from sidecarctl.krm.orchestrators.annotations import folder_of, is_local
from sidecarctl.krm.orchestrators.callers import Caller, caller_of
from sidecarctl.krm.output import Answer, answer_of
from sidecarctl.krm.resource_list import ResourceList, parse_resource_list
from sidecarctl.krm.work_results import Done
from sidecarctl.operations.transforming.documents import attempted

_ENVELOPE = 2  # levels: the list of items, and the ResourceList around it
READER = Reader(DEFAULT_LIMITS)


def answer_to(data: bytes, environ: Mapping[str, str]) -> Answer:
    """What the function answers to a text; InputError for one that is no ResourceList."""
    reader = READER.with_limits(DEFAULT_LIMITS._replace(depth=DEFAULT_LIMITS.depth + _ENVELOPE))
    call = parse_resource_list(data, reader)
    caller = caller_of(call.items, call.function_config)
    try:
        injection = with_epoch(read_function_config(call.function_config, READER), environ)
    except SidecarctlError as fault:
        return answer_of(call, Done().failed(fault), caller, reader)
    validates = injection.mode in VALIDATORS
    return answer_of(call, _done(call, injection, caller), caller, reader, validates=validates)


def with_epoch(injection: SidecarInjection, environ: Mapping[str, str]) -> SidecarInjection:
    """The same, with SOURCE_DATE_EPOCH as the default time to record; UsageError if that is invalid."""
    options = injection.options
    timestamp = options.timestamp or epoch_time(environ.get("SOURCE_DATE_EPOCH"))
    return injection._replace(options=options._replace(timestamp=timestamp))


def _done(call: ResourceList, injection: SidecarInjection, caller: Caller) -> Done:
    try:
        if caller is Caller.KUSTOMIZE and injection.mode in VALIDATORS:
            from sidecarctl.krm.orchestrators.kustomizations import refuse_deleting_validator

            refuse_deleting_validator(injection.mode, call.function_config or {}, "", READER)
        folder = folder_of(call.function_config, call.items)
        world = world_of_call(injection, located_items(call.objects()), READER, folder)
        if injection.mode != "uninject":
            refuse_no_sets(world, injection)
        work = work_of(injection, world)
    except SidecarctlError as fault:
        return Done().failed(fault)
    attempts = [attempted(found, work.transform) for found in call.objects() if not is_local(found.manifest)]
    return Done(tuple(attempts), work.findings, work.verb, injection.strict, release=injection.release)
