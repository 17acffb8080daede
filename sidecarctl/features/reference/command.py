"""`sidecarctl hash`, `rules`, `kinds` and `schema`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import SidecarSetFlags, TemplatePath
from sidecarctl.cli.flags.kruise import ReleaseFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.flags.repository import NoConfig, taught_by_settings
from sidecarctl.engine.api.taught_kinds import parse_workloads
from sidecarctl.engine.api.workloads import all_kinds
from sidecarctl.engine.facts.errors import InputError, unknown_word, usage_error
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.fixed_files import shipped_schema, shipped_schemas
from sidecarctl.engine.inputs.opening import opened
from sidecarctl.engine.inputs.reading import no_sidecarset, read_world, without_manifest
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.validation.catalog import known_rule, rules_by_theme
from sidecarctl.engine.validation.warnings import sidecarset_warnings
from sidecarctl.features.reference.report import Kinds, Rules


@typer_command
def hash_of(inputs: SidecarSetFlags, reporting: DocumentFlags) -> None:
    """Print the two hashes by which Kruise detects changes of a SidecarSet: name, hash, hash without image.

    Reports a recorded hash that differs: it is stale, or another Kruise version wrote it. Formats (-o): text, json,
    yaml.

    Example:  sidecarctl hash sidecarsets/
    """

    def run() -> Report[tuple[SidecarSet, ...]]:
        named = inputs.named()
        with opened(named) as (sources,):
            how = inputs.reading()
            world = read_world(sources, how, alone=True)
            if not inputs.allow_empty and (empty := list(without_manifest(sources.paths, (), how.reader))):
                raise InputError(*empty, *world.remarks)
        if not (world.sidecarsets or inputs.allow_empty):
            raise no_sidecarset(named)
        return Report("hash", tuple(world.sidecarsets), sidecarset_warnings(world), release=world.release)

    conclude(run, reporting, "hash")


class RuleFlags(Flags):
    """The rule to explain."""

    rule: Annotated[
        str | None, typer.Argument(metavar="[RULE]", help="The id of a rule to explain.", show_default=False)
    ] = None


@typer_command
def rules(asked: RuleFlags, reporting: DocumentFlags) -> None:
    """List the rules of `validate`, or explain one of them with examples.

    Formats (-o): text, json, yaml.

    \b
    Examples:
      sidecarctl rules
      sidecarctl rules no-resources
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Rules]:
        if not asked.rule:
            return Report("rules", rules_by_theme())
        wanted = known_rule("RULE", asked.rule)
        return Report("rule", {theme: (wanted,) for theme, own in rules_by_theme().items() if wanted in own})

    conclude(run, reporting, "rule" if asked.rule else "rules")


class KindsFlags(Flags):
    """Kinds in addition to those of the table."""

    title = "Inputs"
    no_config: NoConfig = False
    template_paths: TemplatePath = None


@typer_command
def kinds(asked: KindsFlags, reporting: DocumentFlags) -> None:
    """List the kinds with known pod templates, the paths of these, and how many pods they create.

    Formats (-o): text, markdown, json, yaml. --template-path and templatePaths in .sidecarctl.yaml add kinds, which
    are listed first, with the file and line that adds them.

    Example:  sidecarctl kinds -o json
    """

    def run() -> Report[Kinds]:
        option = Place("--template-path")
        by_option = [item._replace(place=option) for item in parse_workloads(asked.template_paths or ())]
        named = {(item.kind, item.group) for item in by_option}
        by_file = [item for item in taught_by_settings() if (item.kind, item.group) not in named]
        return Report("kinds", tuple(all_kinds([*by_option, *by_file])))

    conclude(run, reporting, "kinds")


SIDECARSET = "SidecarSet"


class SchemaFlags(ReleaseFlags):
    """The kind to print the schema of."""

    kind: Annotated[
        str, typer.Argument(metavar="[KIND]", help="SidecarSet, or a sidecarctl document such as RolloutPlan.")
    ] = SIDECARSET
    api_version: Annotated[
        str,
        typer.Option(
            "--api-version",
            metavar="VERSION",
            help="Of SidecarSet: v1beta1 or v1alpha1. [default: the newest of the release]",
            show_default=False,
        ),
    ] = ""
    crd: Annotated[bool, typer.Option("--crd", help="Print a CustomResourceDefinition of SidecarSet, for tests.")] = (
        False
    )

    def schema(self) -> Object:
        """The schema; UsageError for a kind or version without one."""
        from sidecarctl.engine.validation.json_schemas import crd, sidecarset_schema, versions_of

        release = self.release
        served = versions_of(release)
        version = next(
            (served_version for served_version in served if served_version == (self.api_version or served[-1])), None
        )
        if version is None:
            where = "" if release is DEFAULT else f" in {release.behavior}"
            raise unknown_word("--api-version", f"{self.api_version}{where}", served)
        if self.kind == SIDECARSET:
            return crd(release) if self.crd else sidecarset_schema(version, release)
        kinds = shipped_schemas()
        kind = next((kind for kind in kinds if kind.lower() == self.kind.lower()), "")
        if self.crd or not kind:
            if self.crd:
                raise usage_error("--crd is for SidecarSet", hint="omit it, or the kind")
            raise unknown_word("KIND", self.kind, [SIDECARSET, *kinds])
        return shipped_schema(kind)


@typer_command
def schema(asked: SchemaFlags, reporting: DocumentFlags) -> None:
    """Print the JSON Schema of SidecarSet, for editors and kubeconform, or of a sidecarctl document.

    It covers what a schema can express; `validate` checks the rest. With --kruise, it has the fields of that release.
    --crd prints a CustomResourceDefinition for API servers in tests. Formats (-o): text (JSON), json, yaml.

    \b
    Examples:
      sidecarctl schema > sidecarset-v1beta1.json
      sidecarctl schema RolloutPlan
      sidecarctl schema config                    of .sidecarctl.yaml
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
    conclude(lambda: Report("schema", asked.schema(), release=asked.release), reporting, "schema")
