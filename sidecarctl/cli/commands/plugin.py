"""`sidecarctl plugin install`."""

import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.facts.errors import impossible, usage_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.outputs import to_stdout


class Action(StrEnum):
    """What is done with plugins."""

    INSTALL = "install"


class Plugin(StrEnum):
    """A program that plugins are for: where its plugin has to stand below a folder."""

    KUBECTL = "kubectl-sidecarctl"
    KUSTOMIZE = "sidecarctl.dev/v1alpha1/sidecarinjection/SidecarInjection"


def command(
    action: Annotated[Action, typer.Argument(metavar="ACTION", help="install")],
    legacy: Annotated[
        bool, typer.Option("--legacy", help="The exec plugin that `kubectl kustomize --enable-alpha-plugins` runs.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Where to. [default: beside sidecarctl; with --legacy where kustomize looks for plugins]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Install `kubectl sidecarctl`, or with --legacy the plugin of kustomize that is built into kubectl.

    kubectl kustomize does not run KRM functions. With --legacy it injects by a config of kind SidecarInjection
    without the annotation config.kubernetes.io/function, named under transformers.

    Example:  sidecarctl plugin install --legacy
    """
    del action  # there is but one
    plugin = Plugin.KUSTOMIZE if legacy else Plugin.KUBECTL
    conclude(lambda: _install(plugin, Path(folder) if folder else _default_folder(plugin)))


def _install(plugin: Plugin, folder: Path) -> int:
    name = "sidecarctl-fn" if plugin is Plugin.KUSTOMIZE else "sidecarctl"
    program = Path(sys.executable).parent / name
    if not program.exists():
        raise usage_error(f"there is no {program}", hint="install sidecarctl with pip, which puts its programs there")
    path = folder / plugin
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {_quoted(str(program))} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    except OSError as fault:
        raise impossible(Reason.UNWRITABLE_FILE, f"{path}: cannot be written: {fault.strerror}") from None
    to_stdout(f"{path}\n")
    if plugin is Plugin.KUBECTL and shutil.which(plugin) is None:
        typer.echo(f"note: kubectl looks for plugins on PATH, where {folder} is not", err=True)
    return 0


def _default_folder(plugin: Plugin) -> Path:
    """Beside sidecarctl, which is on PATH; or the first of the folders where kustomize looks for plugins."""
    if plugin is Plugin.KUBECTL:
        return Path(sys.executable).parent
    if home := os.environ.get("KUSTOMIZE_PLUGIN_HOME"):
        return Path(home)
    configuration = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configuration) / "kustomize" / "plugin"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
