"""`sidecarctl diff`, and the options that name what it compares."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Self

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.flags.earlier import as_it_was, based, changes_since, cluster_as_it_was
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.kruise import ChoiceFlags, KruiseFrom, KruiseTo, upgrade_of
from sidecarctl.cli.flags.outputs import DocumentFlags, failing
from sidecarctl.cli.flags.repository import completed, repository
from sidecarctl.engine.comparing.verdicts import FAILS, Verdict
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import refuse_no_paths
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.report import Report
from sidecarctl.features.diff.versions import Compared, compare, upgraded
from sidecarctl.features.plan.flags import SetImages, set_images

if TYPE_CHECKING:
    from sidecarctl.engine.comparing.kruise_upgrade import UpgradeFacts
    from sidecarctl.engine.comparing.set_diff import DiffFacts
    from sidecarctl.features.diff.tree_diff import TreeDiffFacts


class DiffFlags(ReadingFlags):
    """Which versions, and how to read them."""

    title = "What is compared"
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="OLD NEW [PODS]...", help="The two versions; pods or workloads.", show_default=False),
    ] = None
    before: Annotated[
        list[str] | None,
        typer.Option(
            "--before",
            metavar="DIR",
            help="A tree before the change, with its subfolders: a folder, or git:REV[:FOLDER], which is where HEAD "
            "left REV; git:=REV is REV itself. Repeatable.",
        ),
    ] = None
    after: Annotated[
        list[str] | None,
        typer.Option(
            "--after",
            metavar="DIR",
            help="The tree after the change; repeatable. [default: what .sidecarctl.yaml names, or the current "
            "folder]",
        ),
    ] = None
    delete: Annotated[
        list[str] | None,
        typer.Option(
            "--delete",
            metavar="NAME",
            help="What if this SidecarSet of PATHS were deleted? Repeatable.",
        ),
    ] = None
    set_image: SetImages = None
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 1 if anything differs.")] = False
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="VERDICT,...",
            help="Exit 1 for these verdicts, any or none; by default for Rejected, SidecarLost, Recreate, Unknown.",
        ),
    ] = None
    link_base: Annotated[
        str,
        typer.Option(
            "--link-base",
            metavar="URL",
            help="Link files in Markdown to this address of the repository's top, such as "
            "https://github.com/acme/platform/blob/main; by default as GitHub and GitLab say in CI.",
        ),
    ] = ""

    @property
    def names_paths(self) -> bool:
        """Whether the command line names what is compared, other than the earlier version."""
        return bool(self.after or (self.paths and not self.before))

    def of_cluster(self, cluster: Cluster) -> Self:
        """The inputs of one of several clusters, which are PODS, PATHS, or the tree after the change."""
        if cluster.paths and self.after:
            raise usage_error("--after names the tree after the change, which is that of each cluster")
        if self.before:
            return type(self)(**{**vars(super().of_cluster(cluster)), "paths": self.paths})
        return super().of_cluster(cluster._replace(paths=(*cluster.paths, *cluster.pods)))

    def fails(self) -> frozenset[str]:
        """The verdicts for which the command exits with 1; UsageError for an unknown one."""
        named = self.named_fails()
        return frozenset(FAILS) if named is None else named

    def named_fails(self) -> frozenset[str] | None:
        """The verdicts of --fail-on; None without the option."""
        every = [verdict for verdict in Verdict if verdict is not Verdict.NO_EFFECT]
        return failing("diff", self.fail_on, every)

    def upgrade(self) -> tuple[tuple[Release, Release], Named] | None:
        """The releases and inputs of an upgrade of Kruise; None for two versions, UsageError for one release."""
        if not (self.kruise_from or self.kruise_to):
            return None
        hint = "sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 SIDECARSETS [PODS...]"
        named = "" if self.kruise == self.cluster.kruise else self.kruise
        releases = upgrade_of(self.kruise_from, self.kruise_to, named, hint)
        if self.before or self.after or self.delete or self.set_image:
            said = "--kruise-from and --kruise-to cannot be combined with --before, --after, --delete and --set-image"
            raise usage_error(said, hint=hint)
        paths = self.paths or ()
        if not (paths or self.sidecarsets or repository()) or "" in paths:
            raise usage_error("no SidecarSets given", hint=hint)
        return releases, completed(self.tree(paths))

    def _trees(self, names: Sequence[str]) -> tuple[Named, Named]:
        """Both trees; without --after the repository as it is now, or else the current folder."""
        if self.cluster.paths:
            alone = self.alone(())._replace(deciders=self.sidecarsets or ())
            before = cluster_as_it_was(names, alone, self.cluster, checkouts=True)
            return before, self.tree(self.cluster.paths)
        if self.after:
            return self.tree(names), self.tree(self.after)
        now = completed(self.tree(()))
        return as_it_was(names, self.tree(())), now if now.paths else now._replace(paths=["."])

    def compared(self) -> Compared:
        """The versions; UsageError for fewer than two. Inputs of -s belong to both."""
        if self.before or self.after:
            if not self.before or self.delete or self.set_image:
                hint = "--before DIR --after DIR"
                said = "--after needs --before, and --delete and --set-image cannot be combined with either"
                raise usage_error(said, hint=hint)
            before, after = self._trees(based(self.before))
            before, after = before._replace(side="old"), after._replace(side="new")
            beside = self.alone([*(self.paths or ()), *self.cluster.pods])._replace(render=None)
            return Compared(before, after, beside, trees=True)
        paths: Sequence[str] = self.paths or ()
        if self.delete or self.set_image:
            every = completed(self.tree(paths))
            refuse_no_paths(every)
            images = set_images(self.set_image)
            return Compared(every, every, Named(()), trees=False, deleted=self.delete or (), images=images)
        if len(paths) < 2:
            hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
            raise usage_error("diff needs two versions", hint=hint)
        beside = self.alone(paths[2:])
        old, new = self.tree(paths[:1]), self.tree(paths[1:2])
        return Compared(old._replace(side="old"), new._replace(side="new"), beside, trees=False)


@typer_command
def command(diff: DiffFlags, choice: ChoiceFlags, fleet: FleetFlags, reporting: DocumentFlags) -> None:
    """Show what a SidecarSet change means for pods: no effect, an in-place update, or recreation.

    OLD and NEW are files or folders with SidecarSets, or git:REV:PATH. PODS is a dump of pods with their status, or
    workloads, to count the affected pods. With --before and --after, the command compares the pods of each workload,
    injected by the SidecarSets of each tree; PODS beside them are dumps. With --delete, it compares PATHS with and
    without a SidecarSet; with --set-image, with the old and a new image. Inputs of -s belong to both versions. With
    --kruise-from and --kruise-to, it shows what an upgrade of Kruise means for SidecarSets and pods.
    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all; their inputs are
    PODS, or the tree after the change, and with --before git:REV the tree before it; `pods` in the settings are
    dumps.
    Verdicts, most severe first: Rejected (by Kruise), SidecarLost, Recreate, Unknown, InPlace, NewPodsOnly,
    RolloutHalts, RolloutAdvances, SidecarGained, PaceChanges, NoEffect. The numbers of pods are those of `plan`.
    Exit code 1: Rejected, SidecarLost, Recreate, Unknown, or what --fail-on names. Formats (-o): text, markdown,
    json, yaml, html.

    \b
    Examples:
      sidecarctl diff old.yaml new.yaml pods.json -o markdown=comment.md -o text
      sidecarctl diff --before git:origin/main -o markdown=comment.md
      sidecarctl diff --before git:origin/main --cluster eu=eu --cluster us=us
      sidecarctl diff --delete logs sidecarsets/ pods.json
      sidecarctl diff --set-image mesh/proxy=proxy:1.3 sidecarsets/ pods.json
      sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> "Report[DiffFacts] | Report[TreeDiffFacts] | Report[UpgradeFacts]":
        own = diff.of_cluster(of)
        how, gates, fails = own.reading(jobs=fleet.jobs), choice.over(of.gates).gates(), diff.fails()
        report: Report[DiffFacts] | Report[TreeDiffFacts] | Report[UpgradeFacts]
        with WithoutCollector():
            if upgrade := own.upgrade():
                report = upgraded(*upgrade, how, gates, choice.names, diff.named_fails())
            else:
                report = compare(own.compared(), how, gates, choice.names, fails, strict=reporting.strict)
        report = report._replace(findings=[*changes_since(diff.before or (), of), *report.findings])
        return report._replace(is_objection=report.is_objection or (diff.exit_code and report.facts.differs))

    is_upgrade = diff.kruise_from or diff.kruise_to
    kind = "kruise-upgrade" if is_upgrade else "tree-diff" if diff.before or diff.after else "diff"
    for_one = "a dump of PODS" if diff.before and diff.paths else ""
    conclude_over_clusters(run, diff, fleet, reporting, kind, for_one=for_one, link_base=diff.link_base)
