"""What a pod records: times, and the text of what is there already."""

import json

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    WORKING_CONTAINERS,
)
from tests.engine.injection.manifests import context, injected, pod, sidecar, sidecarset

NOW, EARLIER = "2026-05-06T07:08:09Z", "2025-01-01T00:00:00Z"
SET = sidecarset("logging", sidecar())
HOT = sidecarset("logging", sidecar(upgradeStrategy={"upgradeType": "HotUpgrade"}))


def annotations(manifest: Object, item: Object = SET, **options: Value) -> Object:
    after: Object = injected(manifest, context(item, options=InjectionOptions(**options))).pod["metadata"][
        "annotations"
    ]
    return after


def annotated(values: Object) -> Object:
    return pod(metadata={"annotations": values})


def time(values: Object, key: str = HASH) -> Value:
    return json.loads(values[key])["logging"]["updateTimestamp"]


def test_without_a_time_null_is_written() -> None:
    assert time(annotations(pod())) is None


def test_a_given_time_is_written() -> None:
    after = annotations(pod(), timestamp=NOW)
    assert [time(after, key) for key in (HASH, HASH_WITHOUT_IMAGE)] == [NOW, NOW]


def test_the_time_recorded_for_the_same_hash_stays() -> None:
    before = annotated(annotations(pod(), timestamp=EARLIER))
    assert time(annotations(before, timestamp=NOW)) == EARLIER
    assert time(annotations(before)) == EARLIER
    assert time(annotations(before, timestamp=NOW, keeps_times=False)) == NOW


def test_no_recorded_time_is_filled_in() -> None:
    assert time(annotations(annotated(annotations(pod())), timestamp=NOW)) == NOW


def test_another_hash_gets_the_new_time() -> None:
    before = annotated(annotations(pod(), timestamp=EARLIER))
    newer = sidecarset("logging", sidecar() | {"image": "agent:2"})
    after = annotations(before, newer, timestamp=NOW)
    assert time(after) == NOW
    assert time(after, HASH_WITHOUT_IMAGE) == EARLIER  # that hash leaves the image out, so it is the same


@pytest.mark.parametrize("key", [HASH, WORKING_CONTAINERS])
def test_an_annotation_that_says_the_same_keeps_its_text(key: str) -> None:
    standard = annotations(pod(), HOT)
    spaced = standard | {key: json.dumps(json.loads(standard[key]), indent=1)}
    assert annotations(annotated(spaced), HOT) == spaced
    assert annotations(annotated(spaced), HOT, keeps_times=False) == standard


@pytest.mark.parametrize("text", ["null", "", None])
def test_what_counts_as_absent_is_rewritten(text: str | None) -> None:
    present = dict.fromkeys((HASH, HASH_WITHOUT_IMAGE, INJECTED_LIST, WORKING_CONTAINERS), text)
    if text:
        del present[INJECTED_LIST]
    assert annotations(annotated(present), HOT) == annotations(pod(), HOT)


def test_what_is_not_json_is_replaced_among_hot_containers() -> None:
    assert annotations(annotated({WORKING_CONTAINERS: "{"}), HOT)[WORKING_CONTAINERS] == '{"agent":"agent-1"}'


def test_an_unreadable_hash_annotation_rejects_the_pod() -> None:
    with pytest.raises(ImpossibleError) as rejected:
        annotations(annotated({HASH: "oops"}))
    (finding,) = rejected.value.findings
    assert finding.reason is Reason.UNREADABLE_HASHES
    assert finding.path == ("metadata", "annotations", HASH)
    assert finding.subject is None


def test_it_does_so_where_only_metadata_is_patched() -> None:
    patching = sidecarset("logging", patchPodMetadata=[{"annotations": {"a": "b"}}])
    with pytest.raises(ImpossibleError):
        annotations(annotated({HASH_WITHOUT_IMAGE: "[]"}), patching)
