"""`sidecarctl schema`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.kruise import ReleaseFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.values import Object
from sidecarctl.files.shipped_schemas import shipped_schema, shipped_schemas
from sidecarctl.operations.report import Report
from sidecarctl.releases.release import MASTER

SIDECARSET = "SidecarSet"

Kind = Annotated[
    str, typer.Argument(metavar="[KIND]", help="SidecarSet, or a sidecarctl document such as RolloutPlan.")
]
ApiVersion = Annotated[
    str,
    typer.Option(
        "--api-version",
        metavar="VERSION",
        help="Of SidecarSet: v1beta1 or v1alpha1. [default: the newest of the release]",
        show_default=False,
    ),
]
Crd = Annotated[bool, typer.Option("--crd", help="Print a CustomResourceDefinition of SidecarSet, for tests.")]


class SchemaFlags(ReleaseFlags):
    """The kind to print the schema of."""

    kind: Kind = SIDECARSET
    api_version: ApiVersion = ""
    crd: Crd = False

    def schema(self) -> Object:
        """The schema; UsageError for a kind or version without one."""
        from sidecarctl.validation.json_schemas import crd, sidecarset_schema, versions_of

        release = self.release
        served = versions_of(release)
        version = next(
            (served_version for served_version in served if served_version == (self.api_version or served[-1])), None
        )
        if version is None:
            where = "" if release is MASTER else f" in {release.behaviour}"
            raise usage_error(
                f"--api-version {self.api_version}: unknown version{where}", hint=f"one of {', '.join(served)}"
            )
        if self.kind == SIDECARSET:
            return crd(release) if self.crd else sidecarset_schema(version, release)
        kinds = shipped_schemas()
        if self.crd or self.kind not in kinds:
            what = "--crd is for SidecarSet" if self.crd else f"no schema for kind {self.kind}"
            raise usage_error(what, hint=f"one of {', '.join([SIDECARSET, *kinds])}")
        return shipped_schema(self.kind)


@typer_command
def command(schema: SchemaFlags, reporting: DocumentFlags) -> None:
    """Print the JSON Schema of SidecarSet, for editors and kubeconform, or of a sidecarctl document.

    It says what a schema can say; `validate` says the rest. With --kruise, it has the fields of that release. --crd
    prints a CustomResourceDefinition for API servers in tests. Forms (-o): text, which is JSON, json, yaml.

    \b
    Examples:
      sidecarctl schema > sidecarset-v1beta1.json
      sidecarctl schema RolloutPlan
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
    conclude(lambda: Report("schema", schema.schema()), reporting, "schema")
