"""The functionConfig: nothing, a ConfigMap, a SidecarInjection, or a SidecarSet itself."""

from collections.abc import Callable

from sidecarctl.api.unknown_fields import did_you_mean
from sidecarctl.config.sidecar_injection import (
    KIND,
    SidecarInjection,
    is_sidecar_injection,
    read_sidecar_injection,
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
    if key not in _TYPES:
        meant = did_you_mean(key, _TYPES)
        hint = f"did you mean {meant}?" if meant else f"valid options: {', '.join(_TYPES)}"
        raise InputError(error(Reason.UNKNOWN_FIELD, f"unknown option {key}", ("data", key), hint=hint))
    if not isinstance(value, str):
        return value
    return _objects(value, reader) if key == "sidecarSets" else _TYPES[key](value)


def _objects(text: str, reader: Reader) -> Value:
    """The objects of a YAML text; its error tells line and column within the text."""
    try:
        chunks = split([text.encode()], reader.limits.size)
        documents = [document for chunk in chunks for document in reader.documents(chunk)]
        return [found.manifest for document in documents for found in objects_of(document.value)]
    except InputError as fault:
        raise InputError(*(_inside(finding) for finding in fault.findings)) from None


def _inside(finding: Finding) -> Finding:
    line = finding.place.line if finding.place else None
    return finding._replace(message=f"line {line}: {finding.message}", place=None, path=("data", "sidecarSets"))


def _text(text: str) -> Value:
    return text


def _words(text: str) -> Value:
    return [word.strip() for word in text.replace("\n", ",").split(",") if word.strip()]


def _flag(text: str) -> Value:
    return {"true": True, "false": False}.get(text.strip(), text)


def _number(text: str) -> Value:
    return int(text) if text.strip().removeprefix("-").isdecimal() else text


def _pairs(text: str) -> Value:
    words = (word.strip().partition("=") for word in text.replace("\n", ",").split(",") if word.strip())
    return {key: value for key, _, value in words}


def _gates(text: str) -> Value:
    return {gate: _flag(value) for gate, value in _pairs(text).items()}


_SPEC = ("mode", "sidecarSets", "paths")
_TYPES: dict[str, Callable[[str], Value]] = {
    "mode": _text,
    "sidecarSets": _text,
    "paths": _words,
    "only": _words,
    "namespace": _text,
    "timestamp": _text,
    "seed": _number,
    "featureGates": _gates,
    "revisionFrom": _words,
    "recursive": _flag,
    "templatePaths": _pairs,
    "trustAnnotatedHash": _flag,
    "force": _flag,
    "strict": _flag,
    "allowEmpty": _flag,
}
