"""`--config FILE`: a SidecarInjection, the object that the KRM function takes, as options of a command."""

import os
from typing import TYPE_CHECKING, Any

import typer

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.errors import InputError, SidecarctlError, input_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.placing import in_file, placed
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import reference_of
from sidecarctl.files.inputs import inputs
from sidecarctl.inputs.located import Located
from sidecarctl.reports.layout.lines import finding_line

if TYPE_CHECKING:  # every command loads this module, few of them read a config
    from sidecarctl.config.sidecar_injection import SidecarInjection


class Config(NamedTuple):
    """The file and its content; its paths are relative to its own folder."""

    file: str
    document: Document
    injection: "SidecarInjection"

    @property
    def paths(self) -> list[str]:
        """The files and folders with SidecarSets that it names."""
        return [self._from_here(path) for path in self.injection.paths]

    @property
    def located(self) -> list[Located]:
        """The objects inside it."""
        return [
            Located(manifest, reference_of(manifest), self.file, self.document, path)
            for path, manifest in self.injection.sidecarsets
        ]

    def defaults(self) -> dict[str, Any]:
        """Its options, by parameter name of the command; only those that it sets."""
        options = (self.document.value.get("spec") or {}).get("options") or {}
        said = {_PARAMETERS[key]: value for key, value in options.items() if value is not None}
        if "feature_gates" in said:
            gates = said["feature_gates"].items()
            said["feature_gates"] = [f"{gate}={str(bool(on)).lower()}" for gate, on in gates]
        if "template_path" in said:
            said["template_path"] = ["=".join(pair) for pair in said["template_path"].items()]
        if "revision_from" in said:
            said["revision_from"] = [self._from_here(path) for path in said["revision_from"]]
        return said

    def _from_here(self, path: str) -> str:
        return os.path.join(os.path.dirname(self.file), path)  # noqa: PTH118, PTH120 - what the user calls it


_PARAMETERS = {
    "only": "only",
    "namespace": "namespace",
    "timestamp": "timestamp",
    "seed": "seed",
    "featureGates": "feature_gates",
    "revisionFrom": "revision_from",
    "recursive": "recursive",
    "templatePaths": "template_path",
    "trustAnnotatedHash": "trust_annotated_hash",
    "force": "force",
    "strict": "strict",
    "allowEmpty": "allow_empty",
    "kruise": "kruise",
    "allowUnknown": "allow_unknown",
}


def parse_config(file: str) -> Config:
    """The config of a file, for Typer: an error ends the command as usual."""
    try:
        return read_config(file)
    except SidecarctlError as fault:
        typer.echo("".join(f"{finding_line(finding)}\n" for finding in fault.findings), err=True, nl=False)
        raise typer.Exit(fault.exit_code) from None


def read_config(file: str) -> Config:
    """The config of a file; InputError, with file and line, if it is not a SidecarInjection."""
    from sidecarctl.config.sidecar_injection import is_sidecar_injection, read_sidecar_injection

    reader = Reader()
    try:
        [source] = inputs([file], recursive=False, stdin=None)
        documents = [
            document
            for chunk in source.chunks(reader.limits.size)
            for document in reader.documents(chunk)
            if document.value is not None
        ]
    except ValueError:
        raise _no_config(file) from None
    except InputError as fault:
        raise InputError(*in_file(fault.findings, file)) from None
    if len(documents) != 1 or not is_sidecar_injection(documents[0].value):
        raise _no_config(file)
    config = documents[0]
    try:
        return Config(file, config, read_sidecar_injection(config.value))
    except InputError as fault:
        faults = placed(fault.findings, reference_of(config.value), config.place)
        raise InputError(*in_file(faults, file)) from None


def take_defaults(context: typer.Context, config: Config | None) -> Config | None:
    """Use the config's options as the command's defaults: the command line and the environment override them."""
    if config is not None:
        context.default_map = {**(context.default_map or {}), **config.defaults()}
    return config


def _no_config(file: str) -> InputError:
    message = f"{file}: expected a single object of kind SidecarInjection (sidecarctl.dev/v1alpha1)"
    return input_error(Reason.WRONG_TYPE, message)
