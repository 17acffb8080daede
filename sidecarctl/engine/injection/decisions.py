"""Whether a set is injected into a pod, and why: one answer for every set; and the options that decide it.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Iterable
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Path
from sidecarctl.engine.sidecarset.revisions.revision_choice import RevisionChoice
from sidecarctl.engine.sidecarset.sets import BASE, SidecarSet


class InjectionOptions(NamedTuple):
    """Everything other than the manifests that affects injection.

    - `only`: the SidecarSets to inject; all if empty.
    - `feature_gates`: those that differ from Kruise's defaults: `NAME` for one that is on, `NAME=false` for one off.
    - `seed`: of the draw of policy Partial.
    - `timestamp`: RFC 3339 in UTC with whole seconds, for newly injected SidecarSets; None for no time.
    - `keeps_times`: whether the time already recorded for the same SidecarSet and hash stays, and with it the text of
      an annotation that means the same. Kruise always writes the current time.
    - `without_kruise`: leave out what only a running Kruise fulfills: barriers and its readiness gate.
    - `fills_requests`: whether a resourcesPolicy sees absent requests taken from limits, as from the API server.
    """

    only: tuple[str, ...] = ()
    seed: int = 0
    feature_gates: frozenset[str] = frozenset()
    timestamp: str | None = None
    keeps_times: bool = True
    fills_requests: bool = True
    without_kruise: bool = False


class SetDecision(NamedTuple):
    """The answer for one set; `path` leads to the evidence, in the set unless the reason is the pod's own.

    `canary` is the set that replaces this one, and holds the evidence; empty for none.
    """

    set_name: str
    reason: Reason
    message: str
    path: Path = ()
    canary: str = ""

    @property
    def is_injected(self) -> bool:
        """Whether the set is injected."""
        return self.reason is Reason.INJECTED


class Selection(NamedTuple):
    """The sets for a pod.

    - `applied`: those to inject, in order, each as given or as restored (`RevisionChoice.sidecarset`).
    - `matched`: whether any set applied before canaries replaced their bases.
    - `decisions`: one for every set, in injection order.
    - `skipped`: why no set was tried on the pod, with a path in the pod; usually None.
    - `is_seen`: whether the webhook sees the pod at all (`webhook_scope`).
    - `namespace`: that of the pod; empty for `default` in old releases.
    """

    applied: tuple[RevisionChoice, ...]
    matched: bool
    decisions: tuple[SetDecision, ...]
    findings: tuple[Finding, ...] = ()
    skipped: SetDecision | None = None
    is_seen: bool = True
    namespace: str = ""

    @property
    def sidecarsets(self) -> tuple[SidecarSet, ...]:
        """The sets to inject, in order."""
        return tuple(choice.sidecarset for choice in self.applied)


def injected(choice: RevisionChoice) -> SetDecision:
    """A set applies, in its current or an older revision."""
    name = choice.sidecarset.name
    if choice.is_latest:
        return SetDecision(name, Reason.INJECTED, "the namespace and the selector match", ("spec", "selector"))
    message = f"namespace and selector match; injected at revision {choice.sidecarset.latest_revision}"
    return SetDecision(name, Reason.INJECTED, message, ("spec", "injectionStrategy", "revision"))


def replaced(base: str, canary: str) -> SetDecision:
    """A canary replaces the set."""
    message = f"its canary {canary} applies instead"
    return SetDecision(base, Reason.REPLACED_BY_CANARY, message, ("metadata", "annotations", BASE), canary)


def incomplete(set_name: str, missing: Iterable[str]) -> SetDecision:
    """The pod lists the set, but lacks some of its containers; `path` leads into the pod."""
    message = f"the pod lists it as injected but lacks {', '.join(sorted(missing))}"
    return SetDecision(set_name, Reason.INCOMPLETE_POD, message, ("spec", "containers"))


def paused(sidecarset: SidecarSet) -> SetDecision:
    """The injection of a set is paused."""
    path = ("spec", "injectionStrategy", "paused")
    return SetDecision(sidecarset.name, Reason.INJECTION_PAUSED, "injectionStrategy.paused is true", path)


def other_namespace(sidecarset: SidecarSet, namespace: str, *, is_known: bool) -> SetDecision:
    """A set does not select the namespace; `is_known`: all labels that it asks for are known."""
    name = sidecarset.spec.get("namespace")
    decides = name is not None and (sidecarset.release.namespace_wins or name != namespace)
    field = "namespace" if decides else "namespaceSelector"
    message = f"{field} does not select namespace {namespace}"
    if not is_known:
        message += f" (labels unknown: there is no manifest for Namespace {namespace})"
    return SetDecision(sidecarset.name, Reason.NAMESPACE_NOT_SELECTED, message, ("spec", field))


def other_labels(sidecarset: SidecarSet) -> SetDecision:
    """The set's selector does not match the pod (`evidence.failing_requirement` names the part)."""
    is_empty = not sidecarset.spec.get("selector")
    message = "an empty selector matches no pod" if is_empty else "the selector does not match the pod's labels"
    return SetDecision(sidecarset.name, Reason.POD_NOT_SELECTED, message, ("spec", "selector"))
