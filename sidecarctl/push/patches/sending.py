"""One patch sent, and looked into until it is known what came of it. Runs in several threads at once."""

from collections.abc import Mapping

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.effects import patch_sent
from sidecarctl.kubectl.proxy.answers import Answer, NoAnswerError
from sidecarctl.kubectl.proxy.api_paths import pod_path
from sidecarctl.kubectl.proxy.client import JSON_PATCH, Requests
from sidecarctl.push.patches.answers import Meaning, Verdict, forbids_dry_runs, verdict_of
from sidecarctl.push.patches.json_patches import Built, OtherPatchError, built, changed_by_admission
from sidecarctl.push.patches.outcomes import Found, Later, Outcome, Patched, Refused
from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.expectations import State, standing_of
from sidecarctl.push.pods.live_pods import LivePod, live_pod
from sidecarctl.rollout.pods.targets import Target

_TRIES = 5
"""How often in a row a patch is made again because the pod has changed in a harmless way meanwhile."""


class Sender(NamedTuple):
    """Sends patches; `query` goes with each of them."""

    client: Requests
    targets: Mapping[str, Target]
    query: Mapping[str, str] | None = None

    def send(self, step: Step, live: LivePod, stamp: str) -> Outcome:
        """Send the patch of a step, which records the time `stamp`, and say what came of it."""
        found: LivePod | None = live
        why = ""
        for _ in range(_TRIES):
            standing = standing_of(step, found)
            if standing.state is not State.AS_BEFORE or found is None:
                return Found(standing, found)
            try:
                asked = built(step, self.targets[step.set_name], found, stamp)
            except OtherPatchError as fault:
                return Refused(Reason.STALE_PLAN, str(fault))
            except SidecarctlError as fault:
                return Refused(fault.findings[0].reason, fault.findings[0].message)
            try:
                if "dryRun" not in (self.query or {}):
                    patch_sent()
                answer = self.client.patch(pod_path(*step.pod), asked.operations, JSON_PATCH, self.query)
                verdict = verdict_of(answer)
                if verdict.meaning is not Meaning.LOOK_AGAIN:
                    return _outcome(verdict, answer, asked)
                why = verdict.why
                before, found = found, self.read(step)
                if answer.status == 422 and found and found.version == before.version != 0:
                    return Refused(Reason.PATCH_REFUSED, why)  # it is not the pod that does not fit
            except NoAnswerError as fault:
                return self._after_no_answer(step, fault)
        return Later(f"the pod keeps changing: {why}")

    def read(self, step: Step) -> LivePod | None:
        """The pod as it is; None where it does not exist. NoAnswerError where that cannot be known."""
        answer = self.client.get(pod_path(*step.pod))
        if answer.status == 404:
            return None
        if not answer.is_good:
            raise NoAnswerError(f"the pod cannot be read: {answer.message}")
        return live_pod(answer.body)

    def _after_no_answer(self, step: Step, fault: NoAnswerError) -> Outcome:
        """The patch may have been carried out: the pod itself says."""
        try:
            found = self.read(step)
        except NoAnswerError:
            return Later(str(fault))
        standing = standing_of(step, found)
        return Later(str(fault)) if standing.state is State.AS_BEFORE else Found(standing, found)


def _outcome(verdict: Verdict, answer: Answer, asked: Built) -> Outcome:
    if verdict.meaning is Meaning.DONE:
        return Patched(live_pod(answer.body), changed_by_admission(asked, answer.body))
    if verdict.meaning is Meaning.LATER:
        return Later(verdict.why, verdict.seconds, verdict.throttled)
    if webhook := forbids_dry_runs(answer):
        return Refused(Reason.DRY_RUN_IMPOSSIBLE, f"the webhook {webhook} does not allow dry runs")
    return Refused(verdict.reason, verdict.why)
