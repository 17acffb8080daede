"""An upgrade of Kruise, as `diff` and `validate` take it."""

import os
from typing import Annotated

import typer

from sidecarctl.cli.flags.kruise import named_release
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.inputs.opening import Named
from sidecarctl.releases.release import Release

KruiseFrom = Annotated[
    str, typer.Option("--kruise-from", metavar="VERSION", help="The release of Kruise that runs now.")
]
KruiseTo = Annotated[
    str, typer.Option("--kruise-to", metavar="VERSION", help="The release that it is to be upgraded to.")
]


class Upgrade(NamedTuple):
    """An upgrade of Kruise, and the SidecarSets and pods that it meets."""

    before: Release
    after: Release
    named: Named


def refuse_half_an_upgrade(kruise_from: str, kruise_to: str, kruise: str, hint: str) -> None:
    """UsageError if only one of both releases is named, or a third one by --kruise."""
    if not (kruise_from and kruise_to):
        raise usage_error("--kruise-from and --kruise-to must be used together", hint=hint)
    if kruise and kruise != os.environ.get("SIDECARCTL_KRUISE"):  # where it may be for other commands
        raise usage_error("--kruise-from and --kruise-to exclude --kruise", hint=hint)


def upgrade_of(kruise_from: str, kruise_to: str, named: Named) -> Upgrade:
    """The upgrade between two releases; UsageError for one whose behaviour is not known."""
    releases = named_release("--kruise-from", kruise_from), named_release("--kruise-to", kruise_to)
    return Upgrade(*releases, named)
