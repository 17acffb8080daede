"""`sidecarctl test`, and the options that say which cases, and what to do with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sidecarctl.cli.documents import OutputFiles
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import InputFlags
from sidecarctl.cli.flags.kruise import GateFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.files.inputs import STDIN
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.report import Report
from sidecarctl.features.expectations.document import UpdatedFile
from sidecarctl.features.expectations.run import RunRequest, run_tests
from sidecarctl.features.expectations.running import Settings, Subjects
from sidecarctl.features.expectations.starting import first_test
from sidecarctl.library.loading import loaded


class TestFlags(InputFlags):
    """Which tests, and what their files leave open."""

    title = "Inputs"
    leaves_out = frozenset(("trust_annotated_hash", "allow_empty", "filename"))
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files with tests, and folders with files named *.sidecartest.yaml. [default: .]",
            show_default=False,
        ),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option("--name", "-k", metavar="NAME", help="Only cases whose names contain this; repeatable."),
    ] = None
    lists: Annotated[bool, typer.Option("--list", envvar="SIDECARCTL_LIST", help="List the cases, and run none.")] = (
        False
    )
    fail_fast: Annotated[bool, typer.Option("--fail-fast", "-x", help="Stop at the first case that fails.")] = False
    init: Annotated[
        bool,
        typer.Option(
            "--init",
            help="Write a first file, sidecars.sidecartest.yaml, with the current state; PATHS and -s hold "
            "manifests.",
        ),
    ] = False
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="Replace expectations that fail by the current values, and show the diff.",
        ),
    ] = False

    def files(self) -> Named:
        """The files and folders with tests; the current folder by default."""
        return self.alone(self._paths() or ["."])

    def manifests(self) -> Named:
        """The manifests of --init; UsageError without any."""
        return super().named()

    def request(self) -> RunRequest:
        """Which cases, and what to do with them."""
        return RunRequest(self.name or (), self.lists, self.fail_fast)


@typer_command
def command(tests: TestFlags, gates: GateFlags, reporting: DocumentFlags) -> None:
    """Test expectations about sidecars, which are in files next to the manifests.

    PATHS are files of kind SidecarTest, and folders that are searched for *.sidecartest.yaml. A case selects pods and
    workloads, or has its own pod, and says what to expect once SidecarSets are injected. docs/expectations.md
    has every expectation. Exit code 1: a case fails; 2: a test or its inputs cannot be read.

    Formats (-o): text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl test tests/ --report junit=junit.xml
      sidecarctl test -k payments -x
      sidecarctl test --init -s sidecarsets/ apps/
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        settings = Settings(tests.reading(), gates.gates(), tests.alone(()))
        if tests.init:
            return _begun(tests.manifests(), settings)
        request = tests.request()
        return run_tests(tests.files(), settings, request._replace(updates=_write) if tests.update else request)

    conclude(run, reporting, "message" if tests.init else "test")


def _write(updated: Sequence[UpdatedFile]) -> None:
    """Replace the files, all or none."""
    with written(OutputFiles()) as files:
        for file in updated:
            files.add(Path(file.name), [file.after])
        files.commit()


def _begun(named: Named, settings: Settings) -> Report[str]:
    """The report of a first file that was written; UsageError if there is one already."""
    target = Path("sidecars.sidecartest.yaml")
    if STDIN in (*named.paths, *named.deciders):
        raise usage_error("a test cannot read standard input (-)", hint="name files and folders")
    if target.exists():
        raise usage_error(f"{target} exists already", hint="--init writes a first file; --update changes it")
    sets = [*named.deciders, *named.usual]
    paths = [path for path in named.paths if path not in sets]
    subjects = Subjects(loaded(named._replace(paths=paths), settings.how, settings.gates))
    made = first_test(subjects, settings, sets, paths)
    with written(OutputFiles()) as files:
        files.add(target, [made.text])
        files.commit()
    left_out = "".join(f"left out: {pod}\n" for pod in made.left_out)
    number = f"{made.cases} case{'s' * (made.cases != 1)}"
    return Report("message", f"{target}: {number}\n{left_out}", release=settings.how.release)
