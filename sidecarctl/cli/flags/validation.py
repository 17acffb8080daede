"""Options of validation: what it compares with, and what it suppresses."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.injection import GateFlags
from sidecarctl.cli.flags.upgrade import KruiseFrom, KruiseTo, Upgrade, refuse_half_an_upgrade, upgrade_of
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.placing import in_file
from sidecarctl.files.inputs import unreadable
from sidecarctl.inputs.opening import Named
from sidecarctl.operations.validate import ValidateOptions
from sidecarctl.validation.baselines import Baseline, baseline_of, read_baseline
from sidecarctl.validation.checking import ZONE_LABEL
from sidecarctl.validation.rules import Rule

Old = Annotated[
    list[str] | None,
    typer.Option(
        "--old", metavar="PATH", help="The current SidecarSets, to check what an update must not change; repeatable."
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="RULE", help="Suppress findings of this rule; repeatable.")
]
BaselineFile = Annotated[
    str | None, typer.Option("--baseline", metavar="FILE", help="Suppress the findings in this file.")
]
WriteBaseline = Annotated[
    bool, typer.Option("--write-baseline", help="Write all findings to the file of --baseline.")
]
Explain = Annotated[
    str | None, typer.Option("--explain", metavar="RULE", help="Explain a rule, with examples, and exit.")
]
ByNode = Annotated[
    str, typer.Option("--by-node", metavar="LABEL", help="The Node label with the zone, for maxUnavailable.")
]


class ValidationFlags(GateFlags):
    """How to validate."""

    title = "Rules"
    old: Old = None
    ignore: Ignore = None
    baseline: BaselineFile = None
    write_baseline: WriteBaseline = False
    by_node: ByNode = ZONE_LABEL
    explain: Explain = None
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""

    @property
    def is_upgrade(self) -> bool:
        """Whether an upgrade of Kruise is asked about."""
        return bool(self.kruise_from or self.kruise_to)

    def upgrade(self, named: Named, kruise: str) -> Upgrade:
        """The upgrade; UsageError for half an upgrade, or options that have no meaning there."""
        hint = "sidecarctl validate --kruise-from 1.6 --kruise-to 1.9 PATHS"
        refuse_half_an_upgrade(self.kruise_from, self.kruise_to, kruise, hint)
        if self.old:
            raise usage_error("--kruise-from and --kruise-to exclude --old", hint=hint)
        return upgrade_of(self.kruise_from, self.kruise_to, named)

    def options(self, *, strict: bool) -> ValidateOptions:
        """The options of the operation; UsageError for an unknown rule, InputError for a bad baseline."""
        if self.write_baseline and not self.baseline:
            raise usage_error("--write-baseline needs a file", hint="--baseline FILE --write-baseline")
        ignored = frozenset(known_rule(name).id for item in self.ignore or () for name in item.split(","))
        return ValidateOptions(self.gates(), strict, ignored, self._known(), self.by_node)

    def baseline_text(self, findings: list[Finding]) -> str:
        """The baseline file with these findings."""
        return json.dumps(baseline_of(findings), indent=2, ensure_ascii=False) + "\n"

    def _known(self) -> Baseline | None:
        if not self.baseline or self.write_baseline:
            return None
        try:
            return read_baseline(Path(self.baseline).read_text(encoding="utf-8"))
        except OSError as fault:
            raise unreadable(self.baseline, fault) from None
        except InputError as fault:
            raise InputError(*in_file(fault.findings, self.baseline)) from None


def known_rule(name: str) -> Rule:
    """The rule with an id; UsageError, with the likely id, if unknown."""
    from sidecarctl.api.unknown_fields import did_you_mean
    from sidecarctl.validation.catalogue import rules

    rule = rules().get(name.strip())
    if rule is None:
        meant = did_you_mean(name, rules())
        hint = f"did you mean {meant}?" if meant else "list them with sidecarctl rules"
        raise usage_error(f"unknown rule {name}", hint=hint)
    return rule
