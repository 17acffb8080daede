"""`--config FILE`: a SidecarInjection, whose paths are inputs of a command, and its options the defaults."""

import os
from typing import Any, NamedTuple

from sidecarctl.engine.api.taught_kinds import all_texts
from sidecarctl.engine.config import SidecarInjection, is_sidecar_injection, read_sidecar_injection
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError, naming
from sidecarctl.engine.facts.findings import Place, error, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.files.inputs import inputs
from sidecarctl.engine.inputs.objects import read_only_document
from sidecarctl.engine.sidecarset.world import Located

_CAPITAL = lazy_pattern("[A-Z]")


class Config(NamedTuple):
    """The file and its content; its paths are relative to its own folder."""

    file: str
    document: Document
    injection: SidecarInjection

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
        said = {_parameter(key): value for key, value in options.items() if value is not None}
        if "feature_gates" in said:
            gates = said["feature_gates"].items()
            said["feature_gates"] = [f"{gate}={str(bool(on)).lower()}" for gate, on in gates]
        if "template_paths" in said:
            said["template_paths"] = list(all_texts(said["template_paths"]))
        if "namespace_labels" in said:
            labels = said["namespace_labels"].items()
            said["namespace_labels"] = [f"{name}={','.join(map(':'.join, own.items()))}" for name, own in labels]
        if "revision_from" in said:
            said["revision_from"] = [self._from_here(path) for path in said["revision_from"]]
        return said

    def _from_here(self, path: str) -> str:
        return os.path.join(os.path.dirname(self.file), path)  # noqa: PTH118, PTH120 - what the user calls it


def _parameter(option: str) -> str:
    """`featureGates` as `feature_gates`: what Typer calls the option of this name."""
    return _CAPITAL.sub(lambda found: f"_{found[0].lower()}", option)


def read_config(file: str) -> Config:
    """The config of a file; InputError, with file and line, if it is not a SidecarInjection."""
    found = inputs([file], recursive=False, stdin=None)

    def read(document: Document | None) -> Config:
        if document is None or not is_sidecar_injection(document.value):
            raise _no_config(Place(""))
        try:
            return Config(file, document, read_sidecar_injection(document.value))
        except InputError as fault:
            raise InputError(*naming(reference_of(document.value), fault.findings)) from None

    if len(found) != 1:
        raise _no_config(Place(file))
    return read_only_document(found[0], Reader(), read)


def _no_config(place: Place) -> InputError:
    message = "expected a single object of kind SidecarInjection (sidecarctl.dev/v1alpha1)"
    return InputError(error(Reason.WRONG_TYPE, message)._replace(place=place))
