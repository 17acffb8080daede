"""No false alarm: pods as Kruise made them, in all recorded injections and rollouts, do as their records say."""

from collections.abc import Iterable, Iterator

import pytest

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.drifts import Drift, SetDrift
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.recorded_sets import NO_SET
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INJECTED_LIST, injected_sets, read_hashes
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.under_release import under_release
from tests.effort import unmeasured
from tests.engine.releases.recordings import Recordings
from tests.features.drift.drifting import drift_of, only, running, states, world

INJECTIONS = list(cases_in(FOLDER / "inject"))
ROLLOUTS = list(cases_in(FOLDER / "rollout"))
RECORDINGS = Recordings()
EVERYDAY = 8
RECORDED = [release for release in PROFILES.values() if not release.derived]
RELEASES = pytest.mark.parametrize("release", RECORDED, ids=lambda release: release.name)

TAKEN_AND_REPLACED = {"p0029", "p0048", "p0100", "p0170", "p0350"}
"""Injections in which a sidecar took something from a container that another sidecar then replaced, or from sidecars
of an earlier injection that this one changed: no pod shows what it was."""

CLEAN = {DriftState.IN_SYNC, DriftState.UPDATING, DriftState.BEHIND}


def alarms(case: Case) -> Iterator[str]:
    """What is said of the pods that Kruise injected, beyond what they record."""
    made = world((item for item in case.objects if item["kind"] != "Pod"), case.release)
    gates = frozenset(case.params.get("gates", ()))
    before = {item["metadata"].get("name"): item for item in case.objects if item["kind"] == "Pod"}
    for recorded in case.expect.get("pods", ()):
        if recorded.get("pod") and recorded["changed"]:
            pod = recorded["pod"]
            facts = drift_of(made, [pod], gates)
            own = {item["name"] for item in before[recorded["name"]]["spec"].get("containers") or ()}
            for item in facts.sets:
                for each in (drift for found in item.pods for drift in found.drifts):
                    fields = [entry for entry in each.fields if not any(f"[{name}]" in entry.text for name in own)]
                    is_change = bool(fields) if each.fields else each.state not in CLEAN
                    is_known = not item.status or revision_of(item.name, pod) in ("", latest_of(item))
                    if each.state is DriftState.UNKNOWN and not is_known:
                        continue  # the status of the SidecarSet, which injection records, names another revision
                    if is_change and not is_true(each, item.name, before[recorded["name"]], pod, case.release):
                        yield f"{case.name} {recorded['name']}: {item.name} {each} {fields}"


def is_true(each: Drift, name: str, before: Object, pod: Object, release: Release) -> bool:
    """Whether a state is what the case is about: records of other SidecarSets, and sets that are not injected."""
    if each.state is DriftState.ORPHAN:
        return "there is no SidecarSet" in each.why or "no longer has" in each.why or name == NO_SET
    if each.state is DriftState.MISSING:
        return "paused" in each.why or was_passed_over(name, before, pod, release)
    return each.state is DriftState.UNKNOWN and is_left_over(each, name, before, pod, release)


def was_passed_over(name: str, before: Object, pod: Object, release: Release) -> bool:
    """Whether the release injects nothing and leaves no record: the pod was named before, or has no namespace."""
    metadata = before["metadata"]
    was_named = name in injected_sets((metadata.get("annotations") or {}).get(INJECTED_LIST))
    is_named = name in injected_sets(pod["metadata"]["annotations"].get(INJECTED_LIST))
    is_dropped = not release.injected_list_grows and was_named and not is_named
    return is_dropped or not (release.empty_namespace_is_default or metadata.get("namespace"))


def is_left_over(each: Drift, name: str, before: Object, pod: Object, release: Release) -> bool:
    """Whether the record is of an earlier injection, which the release leaves as it is at the next one.

    1.0 drops the SidecarSet from the injected-list; 1.4 writes no hash of one that has only initContainers, so that
    without revisions nobody knows which version a pod has.
    """
    writes_none = release.hash_entries == "with a container that is not an initContainer"
    if "is the pod's own or of an earlier version" in each.why:
        return writes_none and not hash_of(name, pod)
    is_known_cause = {
        "its injected-list does not name the SidecarSet": not release.injected_list_grows,
        "is not among the inputs": writes_none,
    }
    is_explained = any(holds and text in each.why for text, holds in is_known_cause.items())
    return is_explained and hash_of(name, before) == hash_of(name, pod) != ""


def hash_of(name: str, pod: Object) -> str:
    """The hash that a pod records of a SidecarSet."""
    return read_hashes((pod["metadata"].get("annotations") or {}).get(HASH)).recorded(name)


def revision_of(name: str, pod: Object) -> str:
    """The revision that a pod records of a SidecarSet."""
    entry = read_hashes((pod["metadata"].get("annotations") or {}).get(HASH)).entries.get(name)
    return entry.controller_revision if entry else ""


def latest_of(item: SetDrift) -> str:
    """The name of the revision that a SidecarSet has now."""
    return str(item.status.status["latestRevision"]) if item.status else ""


def is_decidable(case: Case) -> bool:
    return case.name.rpartition("/")[2] not in TAKEN_AND_REPLACED


def test_a_sample_of_all_injections() -> None:
    assert [alarm for case in INJECTIONS[::5] if is_decidable(case) for alarm in alarms(case)] == []


@pytest.mark.parametrize("name", ["1.3", "1.4", "1.5", "1.6"])
def test_a_pod_of_a_revision_of_another_set_is_behind(name: str) -> None:
    (recorded,) = (case for case in INJECTIONS if case.name == "inject/revision-same-version-twice")
    case = under_release(recorded, PROFILES[name], RECORDINGS)
    assert case
    pods: list[Object] = [item["pod"] for item in case.expect["pods"]]
    facts = drift_of(world((item for item in case.objects if item["kind"] != "Pod"), case.release), pods)
    (pod,) = (pod for item in facts.sets for pod in item.pods)
    assert (pod.revision, states(pod)) == ("other-bf6fcbd77", [DriftState.BEHIND])
    assert "a new pod gets other-bf6fcbd77, which spec.injectionStrategy.revision asks for" in pod.drifts[0].why


@pytest.mark.slow
@unmeasured
@RELEASES
def test_all_injections_of_all_releases(release: Release) -> None:
    found = (under_release(case, release, RECORDINGS) for case in INJECTIONS)
    assert [alarm for case in found if case and is_decidable(case) for alarm in alarms(case)] == []


@RELEASES
def test_some_injections_of_all_releases(release: Release) -> None:
    shift = RECORDED.index(release)
    found = (under_release(case, release, RECORDINGS) for case in INJECTIONS[shift :: len(INJECTIONS) // EVERYDAY])
    assert [alarm for case in found if case and is_decidable(case) for alarm in alarms(case)] == []


@unmeasured
@pytest.mark.parametrize("case", ROLLOUTS, ids=[case.name for case in ROLLOUTS])
def test_no_pod_of_a_recorded_rollout_has_changed(case: Case) -> None:
    pods: list[Object] = [item for item in case.objects if item["kind"] == "Pod"]
    facts = drift_of(world(item for item in case.objects if item["kind"] != "Pod"), pods)
    said = [(pod.pod, each) for item in facts.sets for pod in item.pods for each in pod.drifts]
    assert [each for each in said if each[1].state is DriftState.CHANGED] == []


OUTDATED = {"plain-init-container-and-sidecar-changed"}
"""Rollouts that change an initContainer, which no running pod gets, together with the image of a container."""
ODD = {"sidecar-found-among-init-containers", "rollout-7303-34", "rollout-7303-196"}
"""Rollouts whose pods lack the sidecar before they are patched, or run images that no revision has."""


def patched(pod: Object, patch: Object) -> Object:
    """The pod as a recorded update leaves it; its status is as before."""
    annotations = pod["metadata"].get("annotations", {}) | patch.get("annotations", {})
    containers = [
        {**item, "image": patch["images"].get(item["name"], item["image"])} for item in pod["spec"]["containers"]
    ]
    metadata = {
        **pod["metadata"],
        "annotations": {key: text for key, text in annotations.items() if text is not None},
    }
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "containers": containers}}


def alarms_of_updates(case: Case) -> Iterator[str]:
    """What is said of pods right after each recorded update, and once their statuses show its images.

    Only a pod whose revision is not at hand may be Unknown, or one that may have something of the same name of its
    own; and an update leaves initContainers (`OUTDATED`).
    """
    pods = {_key(item): item for item in case.objects if item["kind"] == "Pod"}
    made = world((item for item in case.objects if item["kind"] != "Pod"), case.release)
    name = case.params.get("set") or next(iter(made.by_name))
    for patch in (patch for item in case.expect["rounds"] for patch in item.get("updated", ())):
        pods[patch["pod"]] = pod = patched(pods[patch["pod"]], patch)
        for each in (each for item in (pod, running(pod)) for each in only(drift_of(made, [item]), name).drifts):
            is_unknown = (
                "is not among the inputs" in each.why or "is the pod's own or of an earlier version" in each.why
            )
            is_left = each.state is DriftState.OUTDATED and case.name.rpartition("/")[2] in OUTDATED
            if each.state not in CLEAN and not (is_unknown or is_left):
                yield f"{case.name} {patch['pod']}: {each}"


def _key(pod: Object) -> str:
    return f"{pod['metadata'].get('namespace', 'default')}/{pod['metadata']['name']}"


def alarms_of_rollouts(release: Release, rollouts: Iterable[Case]) -> list[str]:
    """The same of rollouts as a release makes them; those whose updates are recorded whole."""
    found = [case for case in (under_release(item, release, RECORDINGS) for item in rollouts) if case]
    whole = [case for case in found if case.params.get("withPods") and case.name.rpartition("/")[2] not in ODD]
    assert whole
    return [alarm for case in whole for alarm in alarms_of_updates(case)]


@pytest.mark.slow
@unmeasured
@RELEASES
def test_no_pod_that_a_recorded_rollout_updates_has_drifted(release: Release) -> None:
    assert alarms_of_rollouts(release, ROLLOUTS) == []


@RELEASES
def test_no_pod_that_some_recorded_rollouts_update_has_drifted(release: Release) -> None:
    shift = RECORDED.index(release)
    assert alarms_of_rollouts(release, ROLLOUTS[shift :: len(RECORDED)]) == []
