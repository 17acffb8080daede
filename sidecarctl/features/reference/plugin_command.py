"""`sidecarctl plugin install`."""

import os
import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import MessageFlags
from sidecarctl.engine.facts.errors import impossible, usage_error
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.report import Report


class PluginAction(StrEnum):
    """What to do with plugins."""

    INSTALL = "install"


class Plugin(StrEnum):
    """The program a plugin is for, with the path of the plugin inside the plugin folder."""

    KUBECTL = "kubectl-sidecarctl"
    KUSTOMIZE = "sidecarctl.dev/v1alpha1/sidecarinjection/SidecarInjection"


_COMPLETION = "kubectl_complete-sidecarctl"
"""What kubectl calls to complete the words of the plugin."""


class PluginFlags(Flags):
    """Which plugin to install, and where."""

    action: Annotated[PluginAction, typer.Argument(metavar="ACTION", help="install")]
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Install the exec plugin for `kubectl kustomize --enable-alpha-plugins`.")
    ] = False
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Target folder. [default: the folder of sidecarctl; with --legacy the plugin folder of kustomize]",
            show_default=False,
        ),
    ] = None


@typer_command
def command(plugin: PluginFlags, reporting: MessageFlags) -> None:
    """Install `kubectl sidecarctl`, with its completion, or, with --legacy, the plugin for the kustomize in kubectl.

    kubectl kustomize does not run KRM functions. The legacy plugin injects instead, configured by a SidecarInjection
    without the annotation config.kubernetes.io/function, listed under transformers.

    Example:  sidecarctl plugin install --legacy
    """
    kind = Plugin.KUSTOMIZE if plugin.legacy else Plugin.KUBECTL
    target = Path(plugin.folder) if plugin.folder else _default_folder(kind)
    conclude(lambda: _install(kind, target), reporting, "message")


def _install(plugin: Plugin, folder: Path) -> Report[str]:
    name = "sidecarctl-fn" if plugin is Plugin.KUSTOMIZE else "sidecarctl"
    program = Path(sys.executable).parent / name
    if not program.exists():
        raise usage_error(f"{program} not found", hint="install sidecarctl with pip, which installs it there")
    path = folder / plugin
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_script(path, program)
        if plugin is Plugin.KUBECTL:
            _write_script(folder / _COMPLETION, program, "__complete kubectl sidecarctl")
    except OSError as fault:
        raise impossible(Reason.UNWRITABLE_FILE, f"{path}: cannot be written: {fault.strerror}") from None
    found = plugin is not Plugin.KUBECTL or shutil.which(plugin) is not None
    return Report("message", f"{path}\n", [] if found else [_not_on_path(folder)])


def _write_script(path: Path, program: Path, words: str = "") -> None:
    called = " ".join(filter(None, ["exec", shlex.quote(str(program)), words, '"$@"']))
    path.write_text(f"#!/bin/sh\n{called}\n", encoding="utf-8")
    path.chmod(0o755)


def _not_on_path(folder: Path) -> Finding:
    message = f"kubectl looks for plugins on PATH, but {folder} is not on PATH"
    return Finding(Severity.NOTE, Reason.NOT_ON_PATH, message)


def _default_folder(plugin: Plugin) -> Path:
    """The folder of sidecarctl, which is on PATH, or the first folder where kustomize looks for plugins."""
    if plugin is Plugin.KUBECTL:
        return Path(sys.executable).parent
    if home := os.environ.get("KUSTOMIZE_PLUGIN_HOME"):
        return Path(home)
    configuration = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configuration) / "kustomize" / "plugin"
