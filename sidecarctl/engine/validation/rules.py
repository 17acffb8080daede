"""A rule of validation: a row with the defect, the requirement, its reason, how to fix a violation, and two examples.

The examples are the test of the rule and are shown in docs/rules.md. The id of a rule never changes: people suppress
rules by id.
"""

from collections.abc import Mapping
from functools import partial
from typing import Literal, NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value

Within = Literal["container", "init", "volume", "spec", "set", "stream", "update"]
"""What an example contains: members of a container, an initContainer, a volume, the spec or the whole SidecarSet,
which the tests complete to a valid one; or whole documents, the older version first for an update."""

Refuser = Literal["Kruise", "Kubernetes", ""]
"""Who rejects a violation; empty if the rule is only sidecarctl's own."""


class Parameter(NamedTuple):
    """What a repository can set about a rule in `.sidecarctl.yaml`: its default, and its description."""

    default: Value
    sentence: str


class Rule(NamedTuple):
    """A rule; `fails` and `passes` are examples (YAML, see `within`), `refuser` enforces it in a cluster.

    `defect` names what is found, in a few words; `sentence` is the requirement.
    `until` is the last release of Kruise that has the rule, and the release of the examples; empty for the newest.
    `formerly` is an older id, by which it can still be named.
    `parameters` are what repositories can set about it, by name (schemas/config.json).
    `source` is the page that says what happens; empty if docs/behavior/validation.md has all of it.
    """

    id: str
    defect: str
    sentence: str
    why: str
    mend: str
    fails: str
    passes: str
    within: Within = "container"
    severity: Severity = Severity.ERROR
    refuser: Refuser = ""
    until: str = ""
    source: str = ""
    formerly: str = ""
    parameters: Mapping[str, Parameter] = {}

    def parameter(self, name: str, given: Object) -> Value:
        """The value of a parameter: as given, else the default."""
        value = given.get(name)
        return self.parameters[name].default if value is None else value

    def at(self, path: Path, message: str, hint: str = "") -> Finding:
        """The finding that a field violates the rule."""
        reason = Reason.REFUSED if self.refuser else Reason.DOUBTFUL
        return Finding(self.severity, reason, message, path, hint=hint or self.mend, rule=self.id)


kruise = partial(Rule, refuser="Kruise")
"""A rule of Kruise's own webhook."""

kubernetes = partial(Rule, refuser="Kubernetes")
"""A rule of Kubernetes, which the API server checks, or Kruise's webhook with the API server's code."""

warned = partial(Rule, severity=Severity.WARNING)
"""A rule that nobody enforces; a violation is most likely a mistake."""

noted = partial(Rule, severity=Severity.NOTE)
"""Something that may be intended, and is good to know."""


SET_AND_POD = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', {container}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1', ports: [{{containerPort: 80, hostPort: 80}}]}}]}}
"""
"""An example for rules about pods; `container` has further fields of the sidecar."""
