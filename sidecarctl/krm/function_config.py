"""The functionConfig: nothing, a ConfigMap, a SidecarInjection, or a SidecarSet itself."""

from sidecarctl.api.unknown_fields import did_you_mean
from sidecarctl.config.sidecar_injection import (
    KIND,
    SidecarInjection,
    is_sidecar_injection,
    read_sidecar_injection,
    settings,
)
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.streams import split
from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.manifest_objects import objects_of
from sidecarctl.sidecarset.sets import GROUP


def read_function_config(config: Object | None, reader: Reader) -> SidecarInjection:
    """What a functionConfig asks for; InputError, about the functionConfig, where it cannot be meant."""
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
    return _objects(value, reader) if key == "sidecarSets" else _converted(value, known[key])


def _objects(text: str, reader: Reader) -> Value:
    """The objects of a YAML text; its error has the line and column within the text."""
    try:
        chunks = split([text.encode()], reader.limits.size)
        documents = [document for chunk in chunks for document in reader.documents(chunk)]
        return [found.manifest for document in documents for found in objects_of(document.value)]
    except InputError as fault:
        raise InputError(*(_inside(finding) for finding in fault.findings)) from None


def _inside(finding: Finding) -> Finding:
    line = finding.place.line if finding.place else None
    return finding._replace(message=f"line {line}: {finding.message}", place=None, path=("data", "sidecarSets"))


def _converted(text: str, schema: Object) -> Value:
    """A text as the value that a schema asks for; as it is where it cannot be meant, for the schema to refuse it."""
    kinds = schema.get("type", ())
    if "array" in kinds:
        return _words(text)
    if "boolean" in kinds:
        return {"true": True, "false": False}.get(text.strip(), text)
    if "integer" in kinds:
        return int(text) if text.strip().removeprefix("-").isdecimal() else text
    if "object" in kinds:
        members, others = schema.get("properties", {}), schema["additionalProperties"] or {}
        pairs = (word.partition("=") for word in _words(text))
        return {key: _converted(value, members.get(key, others)) for key, _, value in pairs}
    return text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


_SPEC = ("mode", "sidecarSets", "paths")
