"""Which release of Kruise is computed, and whether what it does not know stops the run."""

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
        help="The release of Kruise that is computed: 1.0 to 1.9, or master. [default: master]",
        show_default=False,
    ),
]
AllowUnknown = Annotated[
    bool,
    typer.Option(
        "--allow-unknown",
        help="Go on without what the release of Kruise does not know, as it would.",
    ),
]


class KruiseFlags(Flags):
    """The release of Kruise."""

    kruise: Kruise = ""
    allow_unknown: AllowUnknown = False

    @property
    def release(self) -> Release:
        """The release that is asked for, else master; UsageError for one whose behaviour is not known."""
        return named_release("--kruise", self.kruise) if self.kruise else MASTER


def named_release(option: str, name: str) -> Release:
    """The release of a name that an option gave; UsageError, with the nearest names, where there is none."""
    from sidecarctl.releases.versions import UnknownReleaseError, release_named  # few runs name one

    try:
        return release_named(name)
    except UnknownReleaseError as unknown:
        raise usage_error(f"{option}: {unknown}", hint=f"choose {' or '.join(unknown.nearest)}") from None
