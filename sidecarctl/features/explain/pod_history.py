"""What happened to a running pod: which SidecarSet injected or updated it and when, and why its containers restarted.

Source: docs/behavior/rollout.md, "Cold upgrade of one pod": the hash annotation has the time of the last update, the
in-place update state that of the first, and each container that any of them changed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.summary.pod_states import ending


class RecordedImageChange(NamedTuple):
    """A container whose image updates in place have changed: its field, and the image that it has now."""

    container: str
    field: str
    image: str


class PodUpdate(NamedTuple):
    """The last action of a SidecarSet on a pod: the injection, or an update in place if it has `changes`.

    `time` is empty if the pod records none; `first` is that of the first update. `revision` is its name, or the start
    of the hash.
    """

    set_name: str
    time: str
    revision: str
    first: str = ""
    changes: tuple[RecordedImageChange, ...] = ()


class Restart(NamedTuple):
    """A container, how often it restarted, the SidecarSet whose update did it last (empty for none), and why."""

    container: str
    times: int
    by: str
    why: str


class PodHistory(NamedTuple):
    """The updates of a pod by SidecarSet, and its restarted containers; of an updated pod, all containers."""

    updates: Mapping[str, PodUpdate] = {}
    restarts: Sequence[Restart] = ()


def history_of(manifest: Object) -> PodHistory:
    """The history of a running pod, from its annotations and its status."""
    pod = SimulatedPod(0, manifest)
    updates = {update.set_name: update for update in _updates(pod)}
    status = manifest.get("status") or {}
    listed = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return PodHistory(updates, tuple(_restarts([item for item in listed if item], updates.values())))


def _updates(pod: SimulatedPod) -> Iterator[PodUpdate]:
    states = pod.update_states or {}
    for name, entry in pod.hashes.entries.items():
        state = states.get(name)
        changes = tuple(_change(pod, each) for each in (state.last_image_ids if state else None) or ())
        revision = entry.controller_revision or f"hash {entry.hash[:12]}"
        first = (state.update_timestamp if state else None) or ""
        yield PodUpdate(name, entry.update_timestamp or "", revision, first, changes)


def _change(pod: SimulatedPod, container: str) -> RecordedImageChange:
    where = "initContainers" if container in pod.init_images else "containers"
    return RecordedImageChange(container, f"spec.{where}[{container}].image", pod.image_of(container))


def _restarts(statuses: Sequence[Object], updates: Iterable[PodUpdate]) -> Iterator[Restart]:
    patched = [update for update in updates if update.changes]
    for status in statuses:
        count = status.get("restartCount") or 0
        name = status.get("name") or ""
        if not count:
            if patched:
                yield Restart(name, 0, "", "has not restarted")
            continue
        by, why = _cause(name, status, patched)
        yield Restart(name, count, by, why)


def _cause(name: str, status: Object, patched: Sequence[PodUpdate]) -> tuple[str, str]:
    """The SidecarSet whose update restarted a container last, empty for none; and why it restarted."""
    ended = (status.get("lastState") or {}).get("terminated") or (status.get("state") or {}).get("terminated") or {}
    begun, over = (parse_time(ended.get(key) or "") for key in ("startedAt", "finishedAt"))
    mine = [update for update in patched if name in {change.container for change in update.changes}]
    how = f"the last run ended with {ending(ended)}" if ended else "the status does not say how the last run ended"
    for update in mine:
        time = parse_time(update.time)
        if time and over and over >= time:
            if begun is None or begun < time:
                after = f"{(over - time).total_seconds():,.0f} s after the patch"
                return update.set_name, f"the update of {update.set_name} restarted it, {after}"
            return "", f"it restarts by itself since the update of {update.set_name}: {how}"
    if mine:
        return "", f"{how}; it was before the last update" if over and mine[0].time else how
    sets = " or ".join(update.set_name for update in patched)
    return "", how + (f"; the update of {sets} did not touch it" if sets else "; no SidecarSet updated it in place")


class UpdateTally(NamedTuple):
    """Pods with the same last action of a SidecarSet: how many, and in what time.

    `restarted`: in how many of them each container restarted because of it; `others`: for another reason.
    """

    update: PodUpdate
    pods: int
    times: tuple[str, str]
    restarted: Mapping[str, int]
    others: Mapping[str, int]


class Tallies:
    """The updates of one SidecarSet, counted over pods."""

    def __init__(self, set_name: str) -> None:
        self._set_name = set_name
        self._found: dict[tuple[str, tuple[str, ...]], UpdateTally] = {}

    def add(self, history: PodHistory) -> None:
        """Count a pod; one that the SidecarSet does not update in place is not counted."""
        update = history.updates.get(self._set_name)
        if not (update and update.changes and update.time):
            return
        key = update.revision, tuple(change.container for change in update.changes)
        known = self._found.get(key) or UpdateTally(update, 0, (update.time, update.time), {}, {})
        mine, others = dict(known.restarted), dict(known.others)
        for restart in history.restarts:
            if restart.times:
                counts = mine if restart.by == self._set_name else others
                counts[restart.container] = counts.get(restart.container, 0) + 1
        times = min(known.times[0], update.time), max(known.times[1], update.time)
        self._found[key] = UpdateTally(known.update, known.pods + 1, times, mine, others)

    @property
    def found(self) -> Sequence[UpdateTally]:
        """The tallies, the last update first."""
        return sorted(self._found.values(), key=lambda tally: tally.times[1], reverse=True)
