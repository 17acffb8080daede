"""Which pods Kruise's webhook sees at all, by how Kruise was installed or by its MutatingWebhookConfiguration.

Source: docs/behavior/pod-webhook.md, "Which pods the webhook sees".
"""

import json
from collections.abc import Collection
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import Labels, is_empty, matches
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import ObjectReference
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.feature_gates import POD_WEBHOOK, is_on
from sidecarctl.engine.releases.release import DEFAULT, ChartRule, Release
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL, WHITELIST

CHART = "chart"
KUSTOMIZATION = "kustomization"
EVERYTHING = ""
"""Instead of a way of installation: the webhook sees every pod."""

CONTROL_PLANE_LABEL = "control-plane"
POD_WEBHOOK_NAME = "mpod.kb.io"
CONFIGURATION_NAME = "kruise-mutating-webhook-configuration"
_KRUISE, _KUBE_SYSTEM = "openkruise", "kube-system"
_OF_KRUISE = {CONTROL_PLANE_LABEL: _KRUISE}
"""The label that every installation gives Kruise's own namespace."""
_STATEFUL_KINDS = "PPS_Watch_Custom_Workload_WhiteList"
_NAMESPACE_SELECTOR, _OBJECT_SELECTOR = "namespaceSelector", "objectSelector"


class Unseen(NamedTuple):
    """Why the webhook does not see a pod; `label` is the label of its namespace that decides, if one does.

    `path`: the field of the pod that decides, empty if none does.
    """

    reason: Reason
    message: str
    label: str = ""
    path: Path = ("metadata", "namespace")


class WebhookScope(NamedTuple):
    """The configuration that decides which pods the API server sends to Kruise's webhook.

    - `configured`: the webhook's entry in the MutatingWebhookConfiguration, if that is known; it decides alone.
    - `is_off`: why no webhook for pods is configured at all; usually empty.
    - `refuses`: why Kruise rejects every pod that it sees; usually empty.
    - `others`: objects for which the webhook adds something that is not computed, in the order of their names.
    """

    installed_by: str = CHART
    release: Release = DEFAULT
    configured: Object | None = None
    is_off: str = ""
    refuses: str = ""
    others: tuple[tuple[ObjectReference, Object], ...] = ()

    @property
    def rule(self) -> str:
        """The rule in force, in words, for reports."""
        if self.configured is not None or self.is_off:
            return "the MutatingWebhookConfiguration"
        if self.installed_by == CHART:
            return f"the Helm chart of {self.release.behavior}"
        return "Kruise's kustomization"

    @property
    def failure_policy(self) -> str:
        """What the API server does with a pod if it cannot reach the webhook: Fail or Ignore."""
        if self.configured is not None:
            return str(self.configured.get("failurePolicy") or "Fail")
        return "Ignore" if self.installed_by == CHART and self.release.chart_ignores_failures else "Fail"

    @property
    def failures(self) -> str:
        """`failurePolicy Ignore`, where a configuration says it or it is not the usual Fail; else empty."""
        says = self.configured is not None or self.failure_policy != "Fail"
        return f"failurePolicy {self.failure_policy}" if says else ""

    def unseen(self, namespace: str, labels: Labels | None) -> Unseen | None:
        """Why no pod of a namespace is seen; None if pods are. `labels`: of its manifest, if there is one."""
        if self.is_off:
            return Unseen(Reason.NOT_SEEN_BY_WEBHOOK, self.is_off, path=())
        name = namespace or DEFAULT_NAMESPACE
        is_assumed = labels is None and name == WHITELIST.namespace
        labels = _OF_KRUISE if is_assumed else labels
        if self.configured is not None:
            selector, known = self.configured.get(_NAMESPACE_SELECTOR), {**(labels or {}), NAMESPACE_NAME_LABEL: name}
            if is_selected(selector, known):
                return None
            label = _failing_label(selector, known)
            message = f"{self.rule} leaves out namespace {name} (namespaceSelector)"
            if (labels is None or is_assumed) and self.asks_for_labels:
                message += f"; its labels are unknown: there is no manifest for Namespace {name}"
            return Unseen(Reason.NOT_SEEN_BY_WEBHOOK, message, "" if label == NAMESPACE_NAME_LABEL else label)
        return self._left_out(name, labels or {})

    @property
    def asks_for_labels(self) -> bool:
        """Whether the namespaceSelector of the configuration asks for labels that only a manifest has.

        The label of Kruise's own namespace does not count: every installation asks for it.
        """
        selector = (self.configured or {}).get(_NAMESPACE_SELECTOR) or {}
        keys = {*(selector.get("matchLabels") or ())}
        keys |= {item.get("key") for item in selector.get("matchExpressions") or () if item}
        return bool(keys - {NAMESPACE_NAME_LABEL, CONTROL_PLANE_LABEL})

    def unseen_pod(self, labels: Labels) -> Unseen | None:
        """Why a pod with these labels is not seen, whatever its namespace."""
        selector = (self.configured or {}).get(_OBJECT_SELECTOR)
        if is_selected(selector, labels):
            return None
        message = f"{self.rule} leaves out the pod (objectSelector)"
        path = ("metadata", "labels", _failing_label(selector, labels))
        return Unseen(Reason.NOT_SEEN_BY_WEBHOOK, message, path=path)

    def _left_out(self, namespace: str, labels: Labels) -> Unseen | None:
        if self.installed_by == EVERYTHING:
            return None
        rule: ChartRule = self.release.chart_leaves_out if self.installed_by == CHART else "any control-plane label"
        label = labels.get(CONTROL_PLANE_LABEL)
        if label is not None and (rule == "any control-plane label" or label == _KRUISE):
            what = CONTROL_PLANE_LABEL if rule == "any control-plane label" else f"{CONTROL_PLANE_LABEL}={_KRUISE}"
            message = f"{self.rule} leaves out namespace {namespace}, which has the label {what}"
            return Unseen(Reason.NAMESPACE_CONTROL_PLANE_LABEL, message, CONTROL_PLANE_LABEL)
        if rule == "Kruise and kube-system" and namespace == _KUBE_SYSTEM:
            return Unseen(Reason.NOT_SEEN_BY_WEBHOOK, f"{self.rule} leaves out namespace {namespace}")
        return None


def with_gates(scope: WebhookScope, gates: Collection[str]) -> WebhookScope:
    """The scope under feature gates; one of them turns the webhook off."""
    if is_on(POD_WEBHOOK, gates):
        return scope
    return scope._replace(is_off=f"the feature gate {POD_WEBHOOK} is off")


def pod_webhook_of(configuration: Value) -> Object | None:
    """Kruise's webhook for pods in a MutatingWebhookConfiguration; None if it is another product's.

    An empty object if the configuration is Kruise's, but has no webhook for pods. InputError for selectors that
    cannot be decoded.
    """
    webhooks = configuration.get("webhooks") if isinstance(configuration, dict) else None
    entries = webhooks if isinstance(webhooks, list) else []
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and entry.get("name") == POD_WEBHOOK_NAME:
            for name in (_NAMESPACE_SELECTOR, _OBJECT_SELECTOR):
                if problems := check(entry.get(name), "meta.LabelSelector", ("webhooks", index, name)):
                    raise InputError(*problems)
            return entry
    metadata = configuration.get("metadata") if isinstance(configuration, dict) else None
    is_kruises = isinstance(metadata, dict) and metadata.get("name") == CONFIGURATION_NAME
    return {} if is_kruises else None


def unreadable_configuration(configuration: Object | None) -> str:
    """Why Kruise rejects every pod because of the ConfigMap kruise-configuration; empty as a rule."""
    data = (configuration or {}).get("data")
    text = data.get(_STATEFUL_KINDS) if isinstance(data, dict) else None
    if not isinstance(text, str) or not text:
        return ""
    try:
        json.loads(text)
    except ValueError as fault:
        return f"{_STATEFUL_KINDS} of the ConfigMap kruise-configuration is not JSON ({fault})"
    return ""


def _failing_label(selector: Object | None, labels: Labels) -> str:
    """The first label that a selector requires and the object lacks."""
    given = selector or {}
    parts = [
        {"key": key, "operator": "In", "values": [value]} for key, value in (given.get("matchLabels") or {}).items()
    ]
    parts += given.get("matchExpressions") or ()
    failing = (part for part in parts if part and not is_selected({"matchExpressions": [part]}, labels))
    return str(next(failing, {}).get("key") or "")


def is_selected(selector: Object | None, labels: Labels) -> bool:
    """Whether a selector of the configuration holds; an absent or empty one holds for everything."""
    return selector is None or is_empty(selector) or matches(selector, labels)
