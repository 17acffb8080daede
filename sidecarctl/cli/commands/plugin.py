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
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import impossible, usage_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.report import Report


class Action(StrEnum):
    """What is done with plugins."""

    INSTALL = "install"


class Plugin(StrEnum):
    """The program a plugin is for, with the path of the plugin inside the plugin folder."""

    KUBECTL = "kubectl-sidecarctl"
    KUSTOMIZE = "sidecarctl.dev/v1alpha1/sidecarinjection/SidecarInjection"


def command(
    action: Annotated[Action, typer.Argument(metavar="ACTION", help="install")],
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Install the exec plugin for `kubectl kustomize --enable-alpha-plugins`.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Target folder. [default: the folder of sidecarctl; with --legacy the plugin folder of kustomize]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Install `kubectl sidecarctl` or, with --legacy, the plugin for the kustomize in kubectl.

    kubectl kustomize does not run KRM functions. The legacy plugin injects instead, configured by a SidecarInjection
    without the annotation config.kubernetes.io/function, listed under transformers.

    Example:  sidecarctl plugin install --legacy
    """
    del action  # install is the only action
    plugin = Plugin.KUSTOMIZE if legacy else Plugin.KUBECTL
    target = Path(folder) if folder else _default_folder(plugin)
    conclude(lambda: _install(plugin, target), DocumentFlags(), "message")


def _install(plugin: Plugin, folder: Path) -> Report[str]:
    name = "sidecarctl-fn" if plugin is Plugin.KUSTOMIZE else "sidecarctl"
    program = Path(sys.executable).parent / name
    if not program.exists():
        raise usage_error(f"{program} not found", hint="install sidecarctl with pip, which installs it there")
    path = folder / plugin
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    except OSError as fault:
        raise impossible(Reason.UNWRITABLE_FILE, f"{path}: cannot be written: {fault.strerror}") from None
    found = plugin is not Plugin.KUBECTL or shutil.which(plugin) is not None
    return Report("message", f"{path}\n", [] if found else [_not_on_path(folder)])


def _not_on_path(folder: Path) -> Finding:
    message = f"kubectl looks for plugins on PATH, but {folder} is not on PATH"
    return Finding(Severity.NOTE, Reason.NOT_ON_PATH, message)


def _default_folder(plugin: Plugin) -> Path:
    """Beside sidecarctl, which is on PATH; or the first of the folders where kustomize looks for plugins."""
    if plugin is Plugin.KUBECTL:
        return Path(sys.executable).parent
    if home := os.environ.get("KUSTOMIZE_PLUGIN_HOME"):
        return Path(home)
    configuration = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configuration) / "kustomize" / "plugin"
