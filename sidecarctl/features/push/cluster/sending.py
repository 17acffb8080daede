"""Sends one patch, or its condition, and finds out what happened to it.

Patches are sent from several threads at once. The condition SidecarSetUpgradable goes through the status subresource,
if that is asked for, and after the patches: writing it again changes nothing, so a push that was killed makes up
for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, ObjectReference, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.replacing import patch_sent
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError, pod_path, shortened
from sidecarctl.engine.kubectl.client import JSON_PATCH, STRATEGIC_PATCH, Requests
from sidecarctl.engine.plan_file.pod_patches import json_patch_of
from sidecarctl.engine.plan_file.reading import PlannedCondition, PlannedPatch
from sidecarctl.engine.rollout.round.pod_changes import TYPE, mark
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.features.push.deciding.progress import Stage, StepProgress
from sidecarctl.features.push.patches import (
    Later,
    OtherPatchError,
    OtherwiseFound,
    Patched,
    PatchRefused,
    SendResult,
    built,
    changed_by_admission,
)
from sidecarctl.features.push.plan import PushPlan, PushStep
from sidecarctl.features.push.pods import LivePod, State, live_pod, standing_of

_NAME_OF_BUDGET = lazy_pattern(r'podunavailablebudget\S* "([^"]+)" is forbidden: (.*)', re.IGNORECASE)
_NO_ROOM = "pub unavailable allowed is negative"  # also said at 0
_BUDGET = lazy_pattern(r"podunavailablebudget|\bpub\b|unavailable budget", re.IGNORECASE)
_WEBHOOK = lazy_pattern(r'admission webhook "([^"]*)"')
_NO_DRY_RUN = lazy_pattern(r"does not support dry ?run|dry ?run is not supported|side ?effects", re.IGNORECASE)


def _send_result(answer: Answer, asked: PlannedPatch) -> SendResult | None:
    """What the answer to a patch means; None if the pod must be read again to know."""
    if answer.is_good:
        return Patched(live_pod(answer.body), changed_by_admission(asked, answer.body))
    why = _on_one_line(answer)
    webhook = _WEBHOOK.search(answer.message)
    if webhook and _BUDGET.search(answer.message):
        return Later(_held_by(why), answer.retry_after, is_held=True)
    is_invalid = webhook or (answer.body.get("details") or {}).get("causes")  # a failed test has no causes
    if answer.status in (404, 409) or (answer.status == 422 and not is_invalid):
        return None
    if answer.status in (429, 503):
        return Later(why, answer.retry_after, throttled=True)
    if answer.status >= 500 and not webhook:
        return Later(why, answer.retry_after)
    if _NO_DRY_RUN.search(answer.message):
        name = webhook[1] if webhook else "a webhook"
        return PatchRefused(Reason.DRY_RUN_IMPOSSIBLE, f"the webhook {name} does not allow dry runs")
    reasons = {401: Reason.NOT_LOGGED_IN, 403: Reason.FORBIDDEN}
    return PatchRefused(Reason.PATCH_REFUSED if webhook else reasons.get(answer.status, Reason.PATCH_REFUSED), why)


def _on_one_line(answer: Answer) -> str:
    return shortened(" ".join(answer.message.split()))


def _held_by(message: str) -> str:
    """Which PodUnavailableBudget holds a pod back, in the words of its refusal."""
    if found := _NAME_OF_BUDGET.search(message):
        return (
            f"PodUnavailableBudget {found[1]} holds it back: {'it has no room' if found[2] == _NO_ROOM else found[2]}"
        )
    return f"a PodUnavailableBudget holds it back: {message}"


_TRIES = 5
"""How often in a row to recompute a patch because the pod has changed in a harmless way."""


class Sender(NamedTuple):
    """Sends patches; `query` goes with each of them."""

    client: Requests
    targets: Mapping[str, Target]
    query: Mapping[str, str] | None = None

    def send(self, step: PushStep, live: LivePod, stamp: str) -> SendResult:
        """Send the patch of a step, which records the time `stamp`, and return the result."""
        found: LivePod | None = live
        why = ""
        for _ in range(_TRIES):
            standing = standing_of(step, found)
            if standing.state is not State.AS_BEFORE or found is None:
                return OtherwiseFound(standing, found)
            if found.pod.labels != live.pod.labels:
                return OtherwiseFound(standing, found)  # it may have left its SidecarSet
            try:
                asked = built(step, self.targets[step.set_name], found, stamp)
            except OtherPatchError as fault:
                return PatchRefused(Reason.STALE_PLAN, str(fault))
            except SidecarctlError as fault:
                return PatchRefused(fault.findings[0].reason, fault.findings[0].message)
            try:
                if "dryRun" not in (self.query or {}):
                    patch_sent()
                answer = self._patched(step, asked)
                if result := _send_result(answer, asked):
                    return result
                why = _on_one_line(answer)
                before, found = found, self.read(step)
                if answer.status == 422 and found and found.version == before.version != 0:
                    return PatchRefused(Reason.PATCH_REFUSED, why)  # the pod is not what does not match
            except NoAnswerError as fault:
                return self._after_no_answer(step, fault)
        return Later(f"the pod keeps changing: {why}")

    def _patched(self, step: PushStep, asked: PlannedPatch) -> Answer:
        """The answer to a patch; kubectl may have a new token after the first 401."""
        send = partial(self.client.patch, pod_path(*step.pod), json_patch_of(asked), JSON_PATCH, self.query)
        answer = send()
        return send() if answer.status == 401 else answer

    def read(self, step: PushStep) -> LivePod | None:
        """The current pod; None if it does not exist. NoAnswerError if that cannot be found out."""
        answer = self.client.get(pod_path(*step.pod))
        if answer.status == 404:
            return None
        if not answer.is_good:
            raise NoAnswerError(f"the pod cannot be read: {answer.message}")
        return live_pod(answer.body)

    def _after_no_answer(self, step: PushStep, fault: NoAnswerError) -> SendResult:
        """The result of a patch that may have been carried out, as the pod shows it."""
        try:
            found = self.read(step)
        except NoAnswerError:
            return Later(str(fault))
        standing = standing_of(step, found)
        return Later(str(fault)) if standing.state is State.AS_BEFORE else OtherwiseFound(standing, found)


def write_conditions(
    client: Requests, plan: PushPlan, progress: Iterable[StepProgress], stamp: str, workers: int
) -> list[Finding]:
    """Write the conditions of finished rounds; warnings for those that could not be written."""
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda entry: _written(client, entry, stamp), _due(plan, progress))
        return [finding for finding in found if finding is not None]


def _due(plan: PushPlan, progress: Iterable[StepProgress]) -> Iterator[PlannedCondition]:
    """Those of pods that were patched, and those of pods that cannot be, in rounds that have begun."""
    stages = {(entry.step.set_name, entry.step.patch.round, entry.step.pod): entry.stage for entry in progress}
    begun = {
        (set_name, number) for (set_name, number, _), stage in stages.items() if stage not in (Stage.OPEN, Stage.SENT)
    }
    for entry in plan.conditions:
        stage = stages.get((entry.set_name, entry.round, (entry.namespace, entry.name)))
        if stage in (Stage.PATCHED, Stage.DONE) or (stage is None and (entry.set_name, entry.round) in begun):
            yield entry


def _written(client: Requests, entry: PlannedCondition, stamp: str) -> Finding | None:
    path = pod_path(entry.namespace, entry.name)
    try:
        answer = client.get(path)
        if answer.status == 404 or (answer.is_good and entry.uid not in ("", answer.body["metadata"]["uid"])):
            return None  # gone, or created again
        if answer.is_good:
            patch = _patch(answer.body, entry, stamp)
            if patch is None:
                return None
            answer = client.patch(f"{path}/status", patch, STRATEGIC_PATCH)
        return None if answer.is_good else _failed(entry, _on_one_line(answer))
    except NoAnswerError as fault:
        return _failed(entry, str(fault))
    except SidecarctlError as fault:
        return _failed(entry, fault.findings[0].message)


def _patch(manifest: Object, entry: PlannedCondition, stamp: str) -> Object | None:
    """The patch of the current pod; None if the condition is already right."""
    pod = live_pod(manifest).fresh()
    is_refused = f'"{entry.set_name}":false' in entry.condition["message"].replace(" ", "")
    change = mark(pod, entry.set_name, upgradable=not is_refused)
    if change is None:
        return None
    same = change.before is not None and change.before.status == change.after.status
    moment = {} if same else {"lastTransitionTime": stamp}
    condition = {"type": TYPE, **change.after._asdict(), **moment}
    return {"metadata": {"uid": manifest["metadata"]["uid"]}, "status": {"conditions": [condition]}}


def _failed(entry: PlannedCondition, why: str) -> Finding:
    subject = ObjectReference("v1", "Pod", entry.namespace, entry.name)
    return warning(Reason.CONDITION_UNWRITTEN, f"its condition was not written: {why}")._replace(subject=subject)
