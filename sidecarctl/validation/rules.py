"""What a rule of validation is: a row that says what is wrong, why, and how to mend it, with two examples.

The examples are the rule's test and its page in docs/rules.md. A rule's id never changes: people
suppress rules by it.
"""

from functools import partial
from typing import Literal, NamedTuple

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason

Within = Literal["container", "init", "volume", "spec", "set", "stream", "update"]
"""What the text of an example stands for: members of a container, of an initContainer, of a volume, of the spec or of
the whole SidecarSet, filled up to a sound one; or whole documents, of an update the older version first."""

Refuser = Literal["Kruise", "Kubernetes", ""]
"""Who refuses what breaks the rule; empty where nobody does and the rule is our own."""


class Rule(NamedTuple):
    """One rule; `fails` and `passes` are YAML for what `within` says, `refuser` is who enforces it in a cluster."""

    id: str
    sentence: str
    why: str
    mend: str
    fails: str
    passes: str
    within: Within = "container"
    severity: Severity = Severity.ERROR
    refuser: Refuser = ""

    def at(self, path: Path, message: str, hint: str = "") -> Finding:
        """The finding that the rule is broken at a field."""
        reason = Reason.REFUSED if self.refuser else Reason.DOUBTFUL
        return Finding(self.severity, reason, message, path, hint=hint or self.mend, rule=self.id)


kruise = partial(Rule, refuser="Kruise")
"""A rule of Kruise's own webhook."""

kubernetes = partial(Rule, refuser="Kubernetes")
"""A rule of Kubernetes, which the API server checks, or Kruise's webhook with the API server's code."""

warned = partial(Rule, severity=Severity.WARNING)
"""A rule that nobody enforces; what breaks it is hardly meant."""

noted = partial(Rule, severity=Severity.NOTE)
"""Something that may well be meant, and that is good to know."""
