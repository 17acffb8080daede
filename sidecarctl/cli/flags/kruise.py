"""The release of Kruise to compute, and whether unknown features stop the run."""

from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.facts.errors import usage_error
from sidecarctl.releases.release import MASTER, Release

Kruise = Annotated[
    str,
    typer.Option(
        "--kruise",
        metavar="VERSION",
        help="The release of Kruise to compute: 1.0 to 1.9, or master. [default: master]",
        show_default=False,
    ),
]
AllowUnknown = Annotated[
    bool,
    typer.Option(
        "--allow-unknown",
        help="Ignore features that the release of Kruise does not know, as it would.",
    ),
]


class ReleaseFlags(Flags):
    """The release of Kruise."""

    title = "Release of Kruise"
    kruise: Kruise = ""

    @property
    def release(self) -> Release:
        """The requested release, else master; UsageError if its behaviour is not known."""
        return named_release("--kruise", self.kruise) if self.kruise else MASTER


class KruiseFlags(ReleaseFlags):
    """The release of Kruise, of commands that read SidecarSets."""

    allow_unknown: AllowUnknown = False


def named_release(option: str, name: str) -> Release:
    """The release with the name in an option; UsageError, with the nearest names, if unknown."""
    from sidecarctl.releases.versions import UnknownReleaseError, release_named  # few runs name one

    try:
        return release_named(name)
    except UnknownReleaseError as unknown:
        raise usage_error(f"{option}: {unknown}", hint=f"choose {' or '.join(unknown.nearest)}") from None
