"""The options that name clusters, to answer for each of them and for all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.repository import clusters_of_settings
from sidecarctl.cli.invoked import asked_for
from sidecarctl.engine.facts.errors import unknown_word, usage_error
from sidecarctl.engine.files.fixed_files import is_below, whole_path
from sidecarctl.engine.files.inputs import STDIN
from sidecarctl.engine.inputs.settings import Cluster, joined, matching


class FleetFlags(Flags):
    """The clusters, if any are named."""

    title = "Clusters"
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            "--cluster",
            metavar="NAME=PATH,...",
            help="A cluster, and its files, folders or git:REV:PATH in addition to PATHS: answer for each "
            "cluster, and "
            "for all. NAME alone, or a pattern with *, selects from .sidecarctl.yaml. Repeatable.",
        ),
    ] = None
    only_cluster: Annotated[
        str, typer.Option("--only-cluster", metavar="NAME", help="Answer in full, for this cluster alone.")
    ] = ""
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="Number of worker processes, which share the clusters, or the files. [default: 1; for clusters, and "
            "from 800 files or 8 MB on, up to the number of usable cores]",
            show_default=False,
        ),
    ] = None

    def clusters(self, *, names_paths: bool) -> list[Cluster]:
        """The named clusters, by name; else those of the settings, unless PATHS are named; empty for a usual run.

        UsageError for an unknown name, and for what cannot be read once for each cluster.
        """
        if asked_for("live"):
            if self.cluster or self.only_cluster:
                raise usage_error(
                    "--live reads one cluster, so it cannot be combined with --cluster and --only-cluster"
                )
            return []
        if self.cluster:
            found = joined(cluster for text in self.cluster for cluster in _named(text))
        else:
            found = clusters_of_settings() if self.only_cluster or not names_paths else []
        if not self.only_cluster:
            return found
        chosen = [cluster for cluster in found if cluster.name == self.only_cluster]
        if not chosen:
            raise _unknown("--only-cluster", self.only_cluster, found)
        return chosen


class ClusterChoiceFlags(FleetFlags):
    """The clusters of a command that divides its work itself, and takes them from the settings alone."""

    title = "Clusters"
    leaves_out = frozenset(("cluster", "jobs"))

    def of_files(self, paths: Sequence[str]) -> Sequence[Cluster]:
        """The clusters that have all of these files."""
        named = [whole_path(path) for path in paths]
        return [
            cluster
            for cluster in clusters_of_settings()
            if all(is_below(path, [*map(whole_path, (*cluster.paths, *cluster.include))]) for path in named)
        ]


def _named(text: str) -> list[Cluster]:
    """The clusters of one --cluster: its paths, or those of the settings that its name, a pattern, chooses."""
    name, joint, paths = text.partition("=")
    if joint:
        if not name or "" in paths.split(","):
            raise usage_error(f"--cluster {text} needs a name and paths", hint="such as eu-1=clusters/eu-1,eu-1.json")
        return [Cluster(name, tuple(paths.split(",")))]
    known = {cluster.name: cluster for cluster in clusters_of_settings()}
    chosen = matching(known, name)
    if not chosen:
        raise _unknown("--cluster", name, [*known.values()])
    return [known[each] for each in chosen]


def _unknown(option: str, name: str, known: Sequence[Cluster]) -> Exception:
    if not known:
        hint = f"--cluster {name or 'NAME'}=PATH, or clusters in .sidecarctl.yaml"
        return usage_error(f"{option} {name}: no clusters are named", hint=hint)
    return unknown_word(option, name, [cluster.name for cluster in known])


def refuse_read_once(paths: Sequence[str]) -> None:
    """UsageError for inputs of several clusters that can be read only once."""
    for path in paths:
        if path == STDIN or Path(path).is_fifo():
            what = "standard input (-)" if path == STDIN else path
            raise usage_error(
                f"{what} can be read only once, and there are several clusters", hint="save it to a file"
            )
