"""The functionConfig (nothing, a ConfigMap, a SidecarInjection, or a SidecarSet), and the world of a call."""

import os
from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.taught_kinds import template_options
from sidecarctl.engine.config import KIND, SidecarInjection, is_sidecar_injection, read_sidecar_injection, settings
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.findings import API_VERSION, Finding, error, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.inputs import LeftOut, inputs
from sidecarctl.engine.inputs.folders import chosen, included
from sidecarctl.engine.inputs.objects import ManifestObject, Source, Text, Unplaced, all_documents, objects_of
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import read_world
from sidecarctl.engine.inputs.world import decides, parse_namespace_labels
from sidecarctl.engine.sidecarset.sets import GROUP
from sidecarctl.engine.sidecarset.world import Located, World
from sidecarctl.krm.resource_list import as_authored, file_of


def read_function_config(config: Object | None, reader: Reader) -> SidecarInjection:
    """The request in a functionConfig; InputError, about the functionConfig, if it is invalid."""
    if not config:
        return SidecarInjection()
    try:
        return _read(config, reader)
    except InputError as fault:
        subject = reference_of(config)
        raise InputError(*(finding._replace(subject=subject) for finding in fault.findings)) from None


def _read(config: Object, reader: Reader) -> SidecarInjection:
    kind, api_version = config.get("kind"), str(config.get("apiVersion"))
    if is_sidecar_injection(config):
        return read_sidecar_injection(config)
    if kind == "SidecarSet" and api_version.partition("/")[0] == GROUP:
        return SidecarInjection(sidecarsets=(((), config),))
    if kind == "ConfigMap" and api_version == "v1":
        return _from_config_map(config, reader)
    message = f"unsupported functionConfig: kind {kind} ({api_version})"
    hint = f"use {KIND} ({API_VERSION}), SidecarSet ({GROUP}) or ConfigMap (v1)"
    raise input_error(Reason.WRONG_TYPE, message, ("kind",), hint=hint)


def _from_config_map(config: Object, reader: Reader) -> SidecarInjection:
    """The members of `data` are those of a SidecarInjection and its options, all of them as text."""
    data = config.get("data") or {}
    if not isinstance(data, dict):
        raise input_error(Reason.WRONG_TYPE, "expected a mapping", ("data",))
    typed = {key: _typed(key, value, reader) for key, value in data.items() if value is not None}
    spec = {key: typed.pop(key) for key in _SPEC if key in typed}
    try:
        manifest = {"apiVersion": API_VERSION, "kind": KIND, "spec": {**spec, "options": typed}}
        return read_sidecar_injection(manifest)
    except InputError as fault:
        raise InputError(*map(_in_data, fault.findings)) from None


def _in_data(finding: Finding) -> Finding:
    """A finding about the SidecarInjection as one about the ConfigMap."""
    steps = [step for step in finding.path[1:] if step != "options"]
    return finding._replace(path=("data", *steps[:1]))


def _typed(key: str, value: Value, reader: Reader) -> Value:
    known = settings()
    if key not in known:
        meant = did_you_mean(key, known)
        hint = f"did you mean {meant}?" if meant else f"valid options: {', '.join(known)}"
        raise InputError(error(Reason.UNKNOWN_FIELD, f"unknown option {key}", ("data", key), hint=hint))
    if not isinstance(value, str):
        return value
    if key == "namespaceLabels":
        return {**parse_namespace_labels(value.split())}
    if key == "templatePaths":
        return template_options(_words(value.replace("\\,", ",")))
    return _objects(value, reader) if key == "sidecarSets" else _converted(value, known[key])


def _objects(text: str, reader: Reader) -> Value:
    """The objects of a YAML text; its error has the line and column within the text."""
    try:
        documents = all_documents(Text("", text.encode()), reader)
        return [found.manifest for document in documents for found in objects_of(document.value)]
    except InputError as fault:
        raise InputError(*(_inside(finding) for finding in fault.findings)) from None


def _inside(finding: Finding) -> Finding:
    line = finding.place.line if finding.place else None
    return finding._replace(message=f"line {line}: {finding.message}", place=None, path=("data", "sidecarSets"))


def _converted(text: str, schema: Object) -> Value:
    """A text as a value of the schema's type; unchanged if that is impossible, so that the schema rejects it."""
    kinds = schema.get("type", ())
    if "array" in kinds:
        return _words(text)
    if "boolean" in kinds:
        return {"true": True, "false": False}.get(text.strip(), text)
    if "integer" in kinds:
        return int(text) if text.strip().removeprefix("-").isdecimal() else text
    if "object" in kinds:
        members, others = schema.get("properties", {}), schema["additionalProperties"] or {}
        pairs = (word.partition("=") for word in _words(text.replace("\\,", ",")))  # as Helm writes commas
        return {key: _converted(value, members.get(key, others)) for key, _, value in pairs}
    return text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


_SPEC = ("mode", "sidecarSets", "paths")


_NO_TEXT = Unplaced({})
"""In the place of a document: lines of a ResourceList are not those of any file that its reader knows."""


def world_of_call(
    injection: SidecarInjection,
    items: Iterable[Located],
    reader: Reader,
    folder: str = "",
    *,
    manifests: Sequence[Source] = (),
) -> World:
    """The world of the items, of manifests, and of what the functionConfig holds and names.

    Relative paths count from the folder. InputError if something that decides cannot be read.
    """
    sources = Sources[Source](
        paths=manifests,
        deciders=_files(injection, injection.paths, folder),
        older=_files(injection, injection.revision_from, folder),
        at_hand=[*_in_config(injection), *items],
    )
    return read_world(sources, injection.reading._replace(reader=reader))


def refuse_no_sets(world: World, injection: SidecarInjection) -> None:
    """InputError if there is no SidecarSet, unless that is allowed."""
    if not world.sidecarsets and not injection.reading.allow_empty:
        hint = "add it to spec.sidecarSets or spec.paths of a SidecarInjection, or set allowEmpty"
        message = "no SidecarSet found in the items or the functionConfig"
        raise input_error(Reason.NO_SIDECARSET, message, hint=hint)


def _in_config(injection: SidecarInjection) -> Iterator[Located]:
    for path, manifest in injection.sidecarsets:
        yield Located(as_authored(manifest), reference_of(manifest), "", _NO_TEXT, path)


def _files(injection: SidecarInjection, paths: Iterable[str], folder: str) -> Sequence[Source]:
    if not paths:
        return ()

    named = [os.path.join(folder, path) for path in paths]  # noqa: PTH118 - `./sets` stays what the user calls it
    try:
        left_out = LeftOut()
        files = inputs(named, recursive=injection.recursive, stdin=None, left_out=left_out)
        return chosen(included(files, (), left_out, named=False), left_out)
    except InputError as fault:  # the folder is not plain: each tool has its own
        hint = f"paths are relative to {os.path.abspath(folder)}"  # noqa: PTH100 - a text, as they are
        raise InputError(*(finding._replace(hint=hint) for finding in fault.findings)) from None


def located_items(objects: Iterable[ManifestObject]) -> Iterator[Located]:
    """The items of a ResourceList that decide about pods."""
    for found in objects:
        if decides(found.reference, found.manifest):
            manifest = as_authored(found.inherited | found.manifest)
            file = file_of(found.manifest)
            yield Located(manifest, found.reference, file.path if file else "", _NO_TEXT, ())
