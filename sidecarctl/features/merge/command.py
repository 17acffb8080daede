"""`sidecarctl merge`."""

from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.clusters.matrix import FleetFacts
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import MaxDocumentSize, ReadingFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import Named, opened
from sidecarctl.engine.report import Report
from sidecarctl.features.merge.merging import ClusterDocument, merged


class MergeFlags(Flags):
    """The documents."""

    title = "Inputs"
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=]FILE...",
            help="Documents of clusters, or folders of them; without NAME=, a cluster is named after its file.",
            show_default=False,
        ),
    ] = None
    max_document_size: MaxDocumentSize = 1024


@typer_command
def command(flags: MergeFlags, reporting: DocumentFlags) -> None:
    """Join the JSON reports of several clusters, as if one command had run over all of them.

    FILES are the documents that validate, diff, plan, status, drift, images or cost wrote with -o json or -o yaml, on
    any machine, each for one cluster or for several (--cluster). All must be from the same command; the releases of
    Kruise may differ. Only the documents are compared to find which SidecarSets differ between clusters.
    Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl merge eu-1.json us-1.json -o html=fleet.html
      sidecarctl merge production=out/prod.json staging=out/stage.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[FleetFacts]:
        named = [_named(text) for text in flags.files or ()]
        if not named:
            raise usage_error("merge needs documents", hint="sidecarctl merge eu-1.json us-1.json")
        reader = ReadingFlags(max_document_size=flags.max_document_size).reading().reader
        with opened(*(Named([path]) for _, path in named)) as found, WithoutCollector():
            files = [
                ClusterDocument(name or Path(source.name).stem, source)
                for (name, _), sources in zip(named, found, strict=True)
                for source in sources.paths
            ]
            return merged(files, reader)

    conclude(run, reporting, "fleet")


def _named(text: str) -> tuple[str, str]:
    """The name of a cluster, empty for that of the file, and the path."""
    name, joint, path = text.partition("=")
    return (name, path) if joint and not Path(text).exists() else ("", text)
