"""Errors for inputs without manifests or SidecarSets: where they were looked for, and where they may be."""

from collections.abc import Sequence
from pathlib import Path

from sidecarctl.facts.errors import InputError, input_error, usage_error
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import inputs
from sidecarctl.inputs.opening import Named

_SHOWN = 3


def refuse_no_paths(named: Named) -> None:
    """UsageError if no PATHS are given."""
    if not named.paths:
        raise usage_error("no PATHS given", hint="name files or folders, or - for stdin")


def no_manifest(named: Named) -> InputError:
    """The error for paths that hold no manifest at all."""
    hint = _deeper(named.paths, recursive=named.recursive) or "--allow-empty accepts this"
    return input_error(Reason.NO_MANIFEST, f"no manifest found in {listed(named.paths)}", hint=hint)


def no_object(named: Named) -> Finding:
    """The warning for paths that hold documents, but no object of Kubernetes among them."""
    message = f"no Kubernetes object found in {listed(named.paths)}; nothing changes"
    return warning(Reason.NO_MANIFEST, message, hint="a Kubernetes object has apiVersion and kind")


def no_sidecarset(named: Named) -> InputError:
    """The error for inputs that hold no SidecarSet; -s is the place for them."""
    sets = named.deciders
    message = f"no SidecarSet found in {listed(sets)}" if sets else "no SidecarSet found in the inputs"
    usual = "--allow-empty accepts this" if sets else "add SidecarSets with -s, or use --allow-empty"
    hint = _deeper(sets or named.paths, recursive=named.recursive) or usual
    return input_error(Reason.NO_SIDECARSET, message, hint=hint)


def listed(paths: Sequence[str]) -> str:
    """The first few of some paths."""
    named = ["standard input" if path == "-" else path for path in paths]
    return ", ".join(named[:_SHOWN]) + (f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else "")


def _deeper(paths: Sequence[str], *, recursive: bool) -> str:
    """Tell where only folders of the named folders hold manifests."""
    for path in paths if not recursive else ():
        if Path(path).is_dir() and not _files(path, recursive=False) and _files(path, recursive=True):
            return f"use -R: {path} has manifests only in subfolders"
    return ""


def _files(path: str, *, recursive: bool) -> bool:
    return bool(inputs([path], recursive=recursive, stdin=None))
