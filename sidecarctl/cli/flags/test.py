"""The options of `test`: which cases, and what to do with them."""

from typing import Annotated

import typer

from sidecarctl.cli.flags.inputs import InputFlags
from sidecarctl.expectations.run import RunRequest
from sidecarctl.inputs.opening import Named

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS",
        help="Files with tests, and folders in which names end in .sidecartest.yaml. [default: .]",
        show_default=False,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", "-k", metavar="NAME", help="Only cases whose names contain this; repeatable."),
]
Lists = Annotated[bool, typer.Option("--list", envvar="SIDECARCTL_LIST", help="List the cases, and run none.")]
Stops = Annotated[bool, typer.Option("--fail-fast", "-x", help="Stop at the first case that fails.")]


Init = Annotated[
    bool,
    typer.Option(
        "--init",
        help="Write a first file, sidecars.sidecartest.yaml, of what is true now; PATHS and -s hold manifests.",
    ),
]


Update = Annotated[
    bool,
    typer.Option(
        "--update",
        help="Write what is true now into the tests, in place of what does not hold, and show the diff.",
    ),
]


class TestFlags(InputFlags):
    """Which tests, and what their files leave open."""

    title = "Inputs"
    leaves_out = frozenset(("trust_annotated_hash", "allow_empty", "filename"))
    paths: Paths = None
    name: Names = None
    lists: Lists = False
    fail_fast: Stops = False
    init: Init = False
    update: Update = False

    def files(self) -> Named:
        """The files and folders with tests; the current folder by default."""
        return self.alone(self._paths() or ["."])

    def manifests(self) -> Named:
        """The manifests of --init; UsageError without any."""
        return super().named()

    def request(self) -> RunRequest:
        """Which cases, and what to do with them."""
        return RunRequest(self.name or (), self.lists, self.fail_fast)
