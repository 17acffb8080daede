"""What validation compares with, and what it does not tell."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.injection import GateFlags
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.placing import in_file
from sidecarctl.files.inputs import unreadable
from sidecarctl.operations.validate import ValidateOptions
from sidecarctl.validation.checking import ZONE_LABEL
from sidecarctl.validation.rules import Rule
from sidecarctl.validation.suppression import Baseline, baseline_of, read_baseline

Old = Annotated[
    list[str] | None,
    typer.Option(
        "--old", metavar="PATH", help="The SidecarSets as they are now: what an update must not change; repeatable."
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="RULE", help="Do not tell findings of this rule; repeatable.")
]
BaselineFile = Annotated[
    str | None, typer.Option("--baseline", metavar="FILE", help="Do not tell the findings that this file knows.")
]
WriteBaseline = Annotated[
    bool, typer.Option("--write-baseline", help="Write all findings into the file that --baseline names.")
]
Explain = Annotated[
    str | None, typer.Option("--explain", metavar="RULE", help="Explain a rule, with examples, and do nothing else.")
]
ByNode = Annotated[
    str, typer.Option("--by-node", metavar="LABEL", help="The label of Nodes that tells zones for maxUnavailable.")
]


class ValidationFlags(GateFlags):
    """How it is validated."""

    old: Old = None
    ignore: Ignore = None
    baseline: BaselineFile = None
    write_baseline: WriteBaseline = False
    by_node: ByNode = ZONE_LABEL
    explain: Explain = None

    def options(self, *, strict: bool) -> ValidateOptions:
        """The same for the operation; UsageError for a rule that there is not, InputError for a bad baseline."""
        if self.write_baseline and not self.baseline:
            raise usage_error("--write-baseline needs a file", hint="--baseline FILE --write-baseline")
        ignored = frozenset(known_rule(name).id for item in self.ignore or () for name in item.split(","))
        return ValidateOptions(self.gates(), strict, ignored, self._known(), self.by_node)

    def baseline_text(self, findings: list[Finding]) -> str:
        """The baseline file that knows these findings."""
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
    """The rule of an id; UsageError, with the likely one, where there is none."""
    from sidecarctl.api.unknown_fields import did_you_mean
    from sidecarctl.validation.catalogue import rules

    rule = rules().get(name.strip())
    if rule is None:
        meant = did_you_mean(name, rules())
        hint = f"did you mean {meant}?" if meant else "sidecarctl rules lists them"
        raise usage_error(f"there is no rule {name}", hint=hint)
    return rule
