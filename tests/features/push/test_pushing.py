"""Whole pushes against an API server in memory: patches, files and messages."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.features.plan.journal_file import read_journal
from sidecarctl.features.push.events import (
    PodAsPlanned,
    PodDone,
    PodPatched,
    PodSkipped,
    PushEnded,
    WaveDone,
    WaveStarted,
    event_document,
)
from tests.engine.rollout.manifests import pod
from tests.features.push.fake_cluster import Fate
from tests.features.push.pushes import NOW, Shop, refusals, shop
from tests.schemas import assert_valid


def assert_all_patched_once(here: Shop) -> None:
    assert set(here.cluster.patched.values()) == {1}
    assert {here.cluster.images(name)["agent"] for _, name in here.cluster.pods} == {"agent:2"}


def test_a_cold_plan(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=2)
    ended = here.push()
    assert (ended.exit_code, ended.facts.result, ended.facts.patched, ended.facts.done) == (0, "Completed", 4, 4)
    assert_all_patched_once(here)
    assert [event.wave for event in here.log.of(WaveStarted)] == [event.wave for event in here.log.of(WaveDone)]
    assert len(here.log.of(PodPatched)) == len(here.log.of(PodDone)) == 4
    assert isinstance(here.log.events[-1], PushEnded)


def test_events_and_journal_are_as_their_schemas_say(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=2)
    here.cluster.delete("shop", "p3")
    here.cluster.fates["p0"] = Fate.CRASHES
    ended = here.push()
    assert (ended.exit_code, ended.facts.failed) == (1, 1)
    for record in here.records():
        assert_valid(record, "push-journal.json")
    for event in here.log.events:
        assert_valid(event_document(event, NOW), "push-event.json")


def test_reads_by_one_list_and_one_watch_and_one_patch_a_pod(tmp_path: Path) -> None:
    here = shop(tmp_path, 5, max_unavailable=2)
    here.push()
    pods = [asked for asked in here.cluster.asked if asked.endswith("/pods")]
    assert pods == ["GET /api/v1/pods", "GET /api/v1/pods", "WATCH /api/v1/pods"]
    patches = [asked for asked in here.cluster.asked if asked.startswith("PATCH")]
    assert len(patches) == 5 + 1  # one is tried in a dry run before


def test_a_failed_pod_stops_it_and_resume_continues(tmp_path: Path) -> None:
    here = shop(tmp_path, 4)
    first = here.plan.steps[0].pod[1]
    here.cluster.fates[first] = Fate.NEVER_PULLED
    ended = here.push()
    assert (ended.exit_code, ended.facts.result) == (1, "Stopped")
    assert (ended.facts.patched, ended.facts.failed, ended.facts.not_reached) == (0, 1, 3)
    assert "ImagePullBackOff" in ended.findings[-1].message
    [failed] = [finding for item in ended.report.objects for finding in item.change.findings]
    assert str(failed).startswith(f"Pod shop/{first}: container agent: ImagePullBackOff")
    assert refusals(here)[0].reason is Reason.OTHER_JOURNAL
    here.cluster.fates[first] = Fate.READY
    here.cluster.edit("shop", first, mended)
    ended = here.push(resume=True)
    assert (ended.exit_code, ended.facts.result) == (0, "Completed")
    assert_all_patched_once(here)


def mended(manifest: object) -> None:
    status = manifest["status"]  # type: ignore[index] # a pod
    for item in status["containerStatuses"]:
        item |= {"ready": True, "state": {"running": {}}, "restartCount": min(item["restartCount"], 1)}
    status["conditions"] = [{"type": "Ready", "status": "True"}]


def test_some_waves_then_the_others(tmp_path: Path) -> None:
    here = shop(tmp_path, 4)
    assert str(here.push(waves=frozenset({1, 2})).facts) == "Completed (waves 1 to 2 of 4): 2 patched"
    assert sum(here.cluster.patched.values()) == 2
    assert str(here.push(waves=frozenset({3})).facts) == "Completed (wave 3 of 4): 1 patched"
    assert (
        str(here.push(waves=frozenset({1, 4})).facts)
        == "Completed (waves 1, 4 of 4): 1 patched, 1 already as planned"
    )
    ended = here.push()
    assert (ended.facts.patched, ended.facts.as_planned) == (0, 4)
    assert_all_patched_once(here)


def test_it_pauses_after_a_wave(tmp_path: Path) -> None:
    here = shop(tmp_path, 4)
    ended = here.push(pause_after=2)
    assert (ended.exit_code, ended.facts.result, ended.facts.patched) == (0, "Paused", 2)
    assert "--resume" in ended.facts.how_to_go_on
    assert here.push(resume=True).facts.result == "Completed"
    assert_all_patched_once(here)


def test_each_wave_is_confirmed(tmp_path: Path) -> None:
    here = shop(tmp_path, 3, answers=[True, False])
    ended = here.push(confirms=True)
    assert here.log.asked == [1, 2]
    assert (ended.exit_code, ended.facts.patched, ended.facts.not_reached) == (1, 1, 2)


def test_pods_that_are_gone_or_created_again_are_skipped(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=4)
    here.cluster.delete("shop", "p0")
    here.cluster.create(pod("p1"))
    here.cluster.edit("shop", "p2", lambda item: item["metadata"].update(deletionTimestamp=NOW))
    ended = here.push()
    assert (ended.exit_code, ended.facts.patched, ended.facts.skipped) == (0, 1, 3)
    assert {event.why.split(" ")[1] for event in here.log.of(PodSkipped)} == {"is", "was"}
    assert here.cluster.images("p1")["agent"] == "agent:1"


def test_a_dry_run_here_asks_and_writes_nothing(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    ended = here.push(dry_run="client")
    assert (ended.exit_code, ended.facts.result) == (0, "Checked")
    assert not here.cluster.patched
    assert not [asked for asked in here.cluster.asked if asked.startswith("PATCH")]
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_on_the_server_sends_every_pods_first_patch(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    assert here.push(dry_run="server").exit_code == 0
    assert not here.cluster.patched
    assert len([asked for asked in here.cluster.asked if asked.startswith("PATCH")]) == 3
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        shop(tmp_path).push(resume=True)


def test_a_torn_last_line_counts_as_not_written(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.push(pause_after=1)
    with here.journal.open("ab") as file:
        file.write(b'{"record":"intent","st')
    assert here.push(resume=True).facts.result == "Completed"
    assert_all_patched_once(here)
    assert all(record["record"] for record in here.records())


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"text", "expected a JSON object"),
        (b'{"record":"dune"}', "record: expected plan, run, intent, patched, done, failed, skipped, end"),
        (b'{"record":"done","step":-1}', "step: -1 is less than the minimum of 0"),
        (b'{"record":"done","step":1,"more":1}', "'more' was unexpected"),
    ],
)
def test_a_line_that_is_not_a_record_is_refused(tmp_path: Path, line: bytes, problem: str) -> None:
    journal = tmp_path / "plan.json.journal"
    head = {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "PushJournal", "record": "plan", "plan": "p"}
    digest = f"sha256:{'0' * 64}"
    journal.write_bytes(json.dumps({**head, "digest": digest}).encode() + b"\n" + line + b"\n")
    with pytest.raises(InputError) as caught:
        read_journal(journal, digest)
    (finding,) = caught.value.findings
    assert finding.reason is Reason.INVALID_JOURNAL
    assert finding.message.startswith(f"{journal}:2: not a line of the journal of a push: ")
    assert problem in finding.message


def test_the_journal_of_another_plan_is_refused(tmp_path: Path) -> None:
    shop(tmp_path, 3).push()
    with pytest.raises(ImpossibleError) as refused:
        shop(tmp_path, 2).push(resume=True)
    assert refused.value.findings[0].reason is Reason.OTHER_JOURNAL


def test_pods_that_somebody_else_has_patched_can_be_adopted(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.push(waves=frozenset({1}))
    here.journal.unlink()
    assert {refusal.reason for refusal in refusals(here)} == {Reason.FOREIGN_PUSH}
    ended = here.push(adopt=True)
    assert (ended.exit_code, ended.facts.patched, ended.facts.as_planned) == (0, 2, 1)
    assert len(here.log.of(PodAsPlanned)) == 1
    assert_all_patched_once(here)
