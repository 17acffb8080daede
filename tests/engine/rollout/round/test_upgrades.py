import json

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import AnnotationEdit, PodPatch
from sidecarctl.engine.rollout.round.upgrades import reset, upgrade
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    VERSION_ALT_PREFIX,
    VERSION_PREFIX,
    WORKING_CONTAINERS,
    HashEntry,
    read_hashes,
)
from tests.engine.rollout.manifests import EMPTY, NOW, not_ready, pod, sidecarset, simulated, state_of, target

VERSIONS = {
    f"{VERSION_PREFIX}agent-1": "1",
    f"{VERSION_PREFIX}agent-2": "0",
    f"{VERSION_ALT_PREFIX}agent-1": "0",
    f"{VERSION_ALT_PREFIX}agent-2": "1",
}


def _edits(patch: PodPatch) -> dict[str, AnnotationEdit]:
    return {edit.key: edit for edit in patch.annotations}


def _upgraded(manifest: Object, *, hot: bool = False) -> tuple[SimulatedPod, PodPatch]:
    found = simulated(manifest)
    return found, upgrade(target(hot=hot), found).apply("upgrade", was_ready=True)


class TestCold:
    def test_the_image_and_what_is_recorded(self) -> None:
        found, patch = _upgraded(pod())
        assert patch.kind == "upgrade"
        assert patch.images == (("agent", "agent:1", "agent:2", "containers"),)
        assert found.images == {"agent": "agent:2", "app": "app:1"}
        assert list(_edits(patch)) == [HASH, INPLACE_UPDATE_STATE]

    def test_the_edits_hold_the_entries(self) -> None:
        _, patch = _upgraded(pod())
        edit = _edits(patch)[HASH]
        assert [entry.set_name for entry in edit.entries] == ["logs"]
        assert "logs" in read_hashes(edit.before).entries
        assert not edit.entries[0].is_new
        assert edit.entries[0].after == read_hashes(edit.after).entries["logs"] == target().hash_entry
        state = _edits(patch)[INPLACE_UPDATE_STATE]
        assert state.before is None
        assert state.entries[0].is_new
        assert state.entries[0].after == UpdateState(target().hash, NOW, {"agent": "sha256:agent:1"})

    def test_a_pod_that_has_the_image_gets_the_records_alone(self) -> None:
        found, patch = _upgraded(pod(images={"agent": "agent:2", "app": "app:1"}))
        assert patch.images == ()
        assert json.loads(found.annotations[INPLACE_UPDATE_STATE])["logs"]["lastContainerStatuses"] == {}

    def test_without_a_status_no_imageid_is_known(self) -> None:
        found, _ = _upgraded({**pod(), "status": {}})
        statuses = json.loads(found.annotations[INPLACE_UPDATE_STATE])["logs"]["lastContainerStatuses"]
        assert statuses == {"agent": {}}

    def test_a_state_that_is_there_keeps_its_revision_and_other_containers(self) -> None:
        found, patch = _upgraded(pod(annotations={INPLACE_UPDATE_STATE: state_of({"x": "y"})}))
        entry = json.loads(found.annotations[INPLACE_UPDATE_STATE])["logs"]
        assert (entry["revision"], entry["updateTimestamp"]) == ("r", None)
        assert list(entry["lastContainerStatuses"]) == ["agent", "x"]
        (edited,) = _edits(patch)[INPLACE_UPDATE_STATE].entries
        assert edited.after == UpdateState("r", None, {"x": "y", "agent": "sha256:agent:1"})
        assert not edited.is_new

    @pytest.mark.parametrize("state", ["{broken", "", "[]"])
    def test_an_unreadable_state_is_started_over(self, state: str) -> None:
        found, _ = _upgraded(pod(annotations={INPLACE_UPDATE_STATE: state}))
        assert list(json.loads(found.annotations[INPLACE_UPDATE_STATE])) == ["logs"]

    def test_a_state_entry_without_statuses(self) -> None:
        found, _ = _upgraded(pod(annotations={INPLACE_UPDATE_STATE: '{"logs":{}}'}))
        assert "agent" in json.loads(found.annotations[INPLACE_UPDATE_STATE])["logs"]["lastContainerStatuses"]

    def test_a_sidecar_among_the_init_containers_is_patched_there(self) -> None:
        manifest = pod(images={"app": "app:1"})
        manifest["spec"]["initContainers"] = [{"name": "agent", "image": "agent:1"}]
        found, patch = _upgraded(manifest)
        assert patch.images[0].among == "initContainers"
        assert found.init_images == {"agent": "agent:2"}
        assert found.images == {"app": "app:1"}

    def test_the_pod_stays_as_it_was_until_the_change_is_applied(self) -> None:
        found = simulated(pod())
        upgrade(target(), found)
        assert found.images["agent"] == "agent:1"
        assert found.annotations == pod()["metadata"]["annotations"]


class TestFormats:
    def test_the_old_format_is_upgraded_whole(self) -> None:
        annotations = {HASH: '{"logs":"a","other":"b"}', HASH_WITHOUT_IMAGE: '{"logs":"c","more":"d"}'}
        found, patch = _upgraded(pod(annotations=annotations))
        assert found.hashes.entries == {"logs": target().hash_entry, "other": HashEntry(NOW, "b", "logs")}
        assert found.hashes_without_image.entries == {
            "logs": HashEntry(NOW, "c", "logs"),
            "more": HashEntry(NOW, "d", "logs"),
            "other": HashEntry(NOW, "b", "logs"),
        }
        assert [(entry.set_name, entry.is_new) for entry in _edits(patch)[HASH].entries] == [
            ("logs", False),
            ("other", False),
        ]
        edited = _edits(patch)[HASH_WITHOUT_IMAGE].entries
        assert {entry.set_name: entry.is_new for entry in edited} == {"logs": False, "more": False, "other": True}
        assert {entry.set_name: entry.after for entry in edited} == found.hashes_without_image.entries

    def test_the_other_annotation_stays_when_the_first_is_new(self) -> None:
        found, _ = _upgraded(pod(annotations={HASH_WITHOUT_IMAGE: '{"logs":"c"}'}))
        assert found.annotations[HASH_WITHOUT_IMAGE] == '{"logs":"c"}'

    @pytest.mark.parametrize("text", [None, "", "oops", "[]"])
    def test_an_absent_or_unreadable_one_is_started_over(self, text: str | None) -> None:
        found, _ = _upgraded(pod(annotations={HASH: text, HASH_WITHOUT_IMAGE: '{"more":"d"}'}))
        assert found.hashes.entries == {"logs": target().hash_entry}
        assert found.hashes_without_image.entries == {"more": HashEntry(NOW, "d", "logs")}

    def test_in_a_mixture_objects_stay_and_strings_are_lost(self) -> None:
        annotations = {
            HASH: '{"logs":"a","other":{"hash":"b"},"more":"x"}',
            HASH_WITHOUT_IMAGE: '{"logs":"c"}',
        }
        found, _ = _upgraded(pod(annotations=annotations))
        entries = {"logs": target().hash_entry, "other": HashEntry(hash="b"), "more": HashEntry()}
        assert found.hashes.entries == entries
        strings = {name: entry.hash for name, entry in found.hashes_without_image.entries.items()}
        assert strings == {"logs": "c", "other": "", "more": "x"}

    def test_an_empty_object_counts_as_either_format(self) -> None:
        found, patch = _upgraded(pod(annotations={HASH: None, HASH_WITHOUT_IMAGE: "{}"}))
        assert found.annotations[HASH_WITHOUT_IMAGE] == "{}"
        assert HASH_WITHOUT_IMAGE not in _edits(patch)


class TestMetadata:
    def _upgrade(self, items: list[Object], annotations: dict[str, str | None]) -> PodPatch:
        held = target_of(sidecarset(patchPodMetadata=items), "r", now=NOW)
        return upgrade(held, simulated(pod(annotations=annotations))).apply("upgrade", was_ready=True)

    def test_is_patched_after_everything_else(self) -> None:
        patch = self._upgrade([{"annotations": {"team": "infra"}}], {"other": "x"})
        assert [*_edits(patch)][-1] == "team"
        assert "other" not in _edits(patch)
        assert _edits(patch)[HASH].entries

    def test_a_patch_over_what_was_recorded_has_the_last_word(self) -> None:
        items: list[Object] = [{"patchPolicy": "Overwrite", "annotations": {HASH: "{}"}}]
        edit = _edits(self._upgrade(items, {}))[HASH]
        assert (edit.after, edit.entries) == ("{}", ())

    def test_what_cannot_be_merged_leaves_the_pod_as_it_was(self) -> None:
        items: list[Object] = [{"patchPolicy": "MergePatchJson", "annotations": {"cfg": "{}"}}]
        with pytest.raises(ImpossibleError) as raised:
            self._upgrade(items, {"cfg": "level=debug"})
        assert raised.value.findings[0].reason is Reason.METADATA_PATCH_FAILED


class TestHot:
    def test_the_empty_half_is_upgraded(self) -> None:
        found, patch = _upgraded(pod(hot=True, annotations=VERSIONS), hot=True)
        assert patch.images == (("agent-2", EMPTY, "agent:2", "containers"),)
        assert found.annotations[WORKING_CONTAINERS] == '{"agent":"agent-2"}'
        assert found.annotations[f"{VERSION_PREFIX}agent-2"] == "2"
        assert found.annotations[f"{VERSION_ALT_PREFIX}agent-2"] == "1"
        assert found.annotations[f"{VERSION_ALT_PREFIX}agent-1"] == "2"
        assert found.annotations[f"{VERSION_PREFIX}agent-1"] == "1"
        states = found.update_states or {}
        assert states["logs"] is not None
        assert states["logs"].last_image_ids == {"agent-2": f"sha256:{EMPTY}"}

    @pytest.mark.parametrize(
        ("recorded", "version"),
        [
            ({}, "1"),
            ({"agent-1": "x"}, "1"),
            ({"agent-1": "5", "agent-2": "9"}, "10"),
            ({"agent-1": "5" * 30}, "1"),
        ],
    )
    def test_without_a_resource_version_the_pods_own_are_counted_up(
        self, recorded: dict[str, str], version: str
    ) -> None:
        annotations = {VERSION_PREFIX + half: text for half, text in recorded.items()}
        found, _ = _upgraded(pod(hot=True, annotations=annotations), hot=True)
        assert found.annotations[f"{VERSION_PREFIX}agent-2"] == version

    def test_the_resource_version_is_written_where_it_is_known(self) -> None:
        held = target_of(sidecarset(hot=True), "r", resource_version="5100")
        found = simulated(pod(hot=True))
        upgrade(held, found).apply("upgrade", was_ready=True)
        assert found.annotations[f"{VERSION_PREFIX}agent-2"] == "5100"
        assert found.annotations[f"{VERSION_ALT_PREFIX}agent-2"] == ""

    @pytest.mark.parametrize(
        ("own", "recorded", "version"),
        [
            ("5100", "5099", "5100"),
            ("5100", "5100", "5101"),
            ("5100", "9000", "9001"),
            ("", "9", "10"),
            ("x", "9", "x"),
        ],
    )
    def test_a_version_does_not_go_back_if_that_is_requested(self, own: str, recorded: str, version: str) -> None:
        held = target_of(sidecarset(hot=True), "r", resource_version=own)._replace(raises_versions=True)
        found = simulated(pod(hot=True, annotations={f"{VERSION_PREFIX}agent-1": recorded}))
        upgrade(held, found).apply("upgrade", was_ready=True)
        assert found.annotations[f"{VERSION_PREFIX}agent-2"] == version

    def test_the_half_that_carries_the_image_already_is_left_alone(self) -> None:
        images = {"agent-1": "agent:2", "agent-2": EMPTY, "app": "app:1"}
        found, patch = _upgraded(pod(hot=True, images=images), hot=True)
        assert patch.images == ()
        assert list(_edits(patch)) == [HASH, INPLACE_UPDATE_STATE]
        assert found.annotations[WORKING_CONTAINERS] == json.dumps({"agent": "agent-1"})

    @pytest.mark.parametrize(
        ("ready", "working", "replaced"),
        [
            ({"agent-1": True, "agent-2": False}, "agent-2", "agent-2"),
            ({"agent-1": False, "agent-2": True}, "agent-1", "agent-1"),
            ({"agent-1": True, "agent-2": True}, "agent-2", "agent-1"),
            ({"agent-1": False, "agent-2": False}, "agent-1", "agent-2"),
        ],
    )
    def test_without_an_empty_half_the_one_that_does_not_run_is_replaced(
        self, ready: dict[str, bool], working: str, replaced: str
    ) -> None:
        images = {"agent-1": "agent:0", "agent-2": "agent:1", "app": "app:1"}
        manifest = pod(hot=True, images=images, annotations={WORKING_CONTAINERS: json.dumps({"agent": working})})
        for item in manifest["status"]["containerStatuses"]:
            item["ready"] = ready.get(item["name"], True)
        _, patch = _upgraded(manifest, hot=True)
        assert [change.container for change in patch.images] == [replaced]

    def test_a_half_without_a_status_does_not_run(self) -> None:
        images = {"agent-1": "agent:0", "agent-2": "agent:1", "app": "app:1"}
        manifest = not_ready(pod(hot=True, images=images))
        manifest["status"]["containerStatuses"] = []
        _, patch = _upgraded(manifest, hot=True)
        assert [change.container for change in patch.images] == ["agent-2"]

    def test_a_reset_empties_the_idle_half(self) -> None:
        images = {"agent-1": "agent:1", "agent-2": "agent:2", "app": "app:1"}
        annotations = {**VERSIONS, WORKING_CONTAINERS: '{"agent":"agent-2"}'}
        found = simulated(pod(hot=True, images=images, annotations=annotations))
        patch = reset(target(hot=True), found).apply("reset", was_ready=False)
        assert patch.kind == "reset"
        assert patch.images == (("agent-1", "agent:1", EMPTY, "containers"),)
        assert found.annotations[f"{VERSION_PREFIX}agent-1"] == "0"
        assert found.annotations[f"{VERSION_ALT_PREFIX}agent-2"] == "0"
        assert found.annotations[WORKING_CONTAINERS] == '{"agent":"agent-2"}'
        assert HASH not in _edits(patch)
        states = found.update_states or {}
        assert states["logs"] is not None
        assert states["logs"].last_image_ids == {"agent-1": "sha256:agent:1"}
