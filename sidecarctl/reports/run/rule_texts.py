"""The rule behind a finding: a rule of `validate` where one found it, else its reason code."""

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reason_remedies import REMEDIES
from sidecarctl.facts.reasons import Reason


class RuleText(NamedTuple):
    """What a rule asks for or reports, and what to do about a finding of it; each is one or more sentences."""

    sentence: str
    remedy: str


def rule_id(finding: Finding) -> str:
    """The stable id, such as `no-resources` (docs/rules.md) or `UnknownField` (docs/reasons.md)."""
    return finding.rule or str(finding.reason)


def rule_text(identifier: str) -> RuleText:
    """The texts of a rule of `validate`, or of a reason code."""
    if identifier in set(Reason):
        reason = Reason(identifier)
        return RuleText(reason.sentence, REMEDIES[reason])
    from sidecarctl.validation.catalogue import rules  # loads every rule

    rule = rules()[identifier]
    return RuleText(rule.sentence, f"{rule.why} To fix it: {rule.mend}.")
