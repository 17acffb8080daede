"""`sidecarctl schema`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.values import Object
from sidecarctl.files.shipped_schemas import shipped_schema, shipped_schemas
from sidecarctl.operations.report import Report

SIDECARSET = "SidecarSet"

Kind = Annotated[str, typer.Argument(metavar="[KIND]", help="SidecarSet, or a document of ours such as RolloutPlan.")]
ApiVersion = Annotated[
    str, typer.Option("--api-version", metavar="VERSION", help="Of SidecarSet: v1beta1 or v1alpha1.")
]
Crd = Annotated[bool, typer.Option("--crd", help="A CustomResourceDefinition of SidecarSet, for tests.")]


class SchemaFlags(Flags):
    """Of what the schema is."""

    kind: Kind = SIDECARSET
    api_version: ApiVersion = "v1beta1"
    crd: Crd = False

    def schema(self) -> Object:
        """The schema; UsageError for a kind or version that has none."""
        from sidecarctl.validation.json_schemas import VERSIONS, crd, sidecarset_schema

        version = next((one for one in VERSIONS if one == self.api_version), None)
        if version is None:
            raise usage_error(
                f"--api-version {self.api_version}: unknown version", hint=f"one of {', '.join(VERSIONS)}"
            )
        if self.kind == SIDECARSET:
            return crd() if self.crd else sidecarset_schema(version)
        kinds = shipped_schemas()
        if self.crd or self.kind not in kinds:
            what = "--crd is for SidecarSet" if self.crd else f"there is no schema of {self.kind}"
            raise usage_error(what, hint=f"one of {', '.join([SIDECARSET, *kinds])}")
        return shipped_schema(self.kind)


@typer_command
def command(schema: SchemaFlags, reporting: DocumentFlags) -> None:
    """Print the JSON Schema of SidecarSet, for editors and kubeconform, or of a document of ours.

    It says what a schema can say; `validate` says the rest. --crd prints a CustomResourceDefinition for API servers
    in tests. Forms (-o): text, which is JSON, json, yaml.

    \b
    Examples:
      sidecarctl schema > sidecarset-v1beta1.json
      sidecarctl schema RolloutPlan
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
    conclude(lambda: Report("schema", schema.schema()), reporting, "schema")
