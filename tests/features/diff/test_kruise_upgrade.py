"""`sidecarctl diff --kruise-from --kruise-to`: what an upgrade of Kruise does to SidecarSets, and its reports."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE, HashEntry, write_hashes
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.diff.upgraded_sets import AGENT, HOT, NATIVE, PROBED, document, sidecarset, upgrade


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def effects(before: str, after: str, *objects: Object, name: str = "logs") -> dict[str, list[str]]:
    """The messages by their topics, of one SidecarSet."""
    (entry,) = (item for item in document(before, after, *objects)["sidecarSets"] if item["name"] == name)
    found: dict[str, list[str]] = {}
    for effect in entry["effects"]:
        found.setdefault(effect["topic"], []).append(effect["message"])
    return found


def up_to_date(manifest: Object, release: str, name: str = "p0") -> Object:
    """A pod that the SidecarSet was injected into by a release."""
    admitted = admit(manifest, release_named(release))
    hashes = {HASH: admitted.hash, HASH_WITHOUT_IMAGE: admitted.hash_without_image}
    annotations = {
        key: write_hashes({"logs": HashEntry(None, text, "logs", ("agent",))}) for key, text in hashes.items()
    }
    return pod(name, annotations=annotations, images={"agent": "agent:2", "app": "app:1"})


def test_one_release_alone_changes_nothing() -> None:
    ended = upgrade("1.7", "1.7.4", sidecarset(), pod())
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == "Upgrade of Kruise from 1.7 to 1.7\n\n1 SidecarSet: 1 unchanged (1 pod)\n"


def test_a_field_that_begins_to_work_changes_the_hash_and_what_new_pods_get() -> None:
    given = sidecarset(containers=[PROBED])
    found = document("1.4", "1.5", given, up_to_date(given, "1.4"), up_to_date(given, "1.4", "p1"))
    (item,) = found["sidecarSets"]
    messages = [f"{effect['path']}: {effect['message']}".removeprefix(": ") for effect in item["effects"]]
    assert item["verdict"] == "Recreate"
    assert item["before"]["hash"] == admit(given, release_named("1.4")).hash
    assert item["after"]["hash"] == admit(given, release_named("1.5")).hash
    assert "spec.containers[0].livenessProbe.grpc: starts working once the SidecarSet is applied again" in messages
    assert "2 pods (shop/p0, shop/p1) are outdated once the SidecarSet is written" in messages
    assert any("2 pods (shop/p0, shop/p1) become not upgradable" in message for message in messages)
    assert item["rollout"]["recreate"] == 2
    (pods,) = found["recreatedPods"]
    assert (pods["object"]["name"], pods["pods"]) == ("p0", 2)
    assert [field["path"] for field in pods["fields"]] == ["spec.containers[agent].livenessProbe.grpc"]


def test_a_field_that_ceases_to_work_is_an_error() -> None:
    ended = upgrade("1.7", "1.6", sidecarset(initContainers=[NATIVE]))
    assert ended.code == 1
    assert "spec.initContainers[0].restartPolicy: stops working: Kruise 1.6 does not know" in ended.stdout
    assert "[UnknownToRelease]" in ended.stderr


def test_a_namespace_reads_back_as_a_selector_where_v1beta1_is_stored() -> None:
    given = sidecarset(namespace="shop")
    (said,) = effects("1.8", "1.9", given)["ReadsBack"]
    assert said.startswith(
        "after its next write it reads back as namespaceSelector {kubernetes.io/metadata.name: shop}"
    )
    (item,) = document("1.8", "1.9", given)["sidecarSets"]
    assert [each["path"] for each in item["effects"] if each["topic"] == "ReadsBack"] == ["spec.namespace"]
    both = sidecarset(namespace="shop", namespaceSelector={"matchLabels": {"team": "a"}})
    assert "the namespaceSelector beside it is lost" in effects("1.8", "1.9", both)["ReadsBack"][0]
    Path("sets.json").write_text(json.dumps(given))
    converted = json.loads(run("convert", "--to", "v1beta1", "sets.json").stdout)
    assert converted["spec"]["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}


@pytest.mark.parametrize(
    ("before", "after", "given"),
    [
        ("1.7", "1.8", sidecarset(namespace="shop")),
        ("1.9", "master", sidecarset(namespace="shop")),
        ("1.9", "1.8", sidecarset(namespace="shop")),
        ("1.8", "1.9", sidecarset()),
        ("1.8", "1.9", {key: value for key, value in sidecarset().items() if key != "spec"}),
        ("1.8", "1.9", sidecarset("v1beta1", namespaceSelector={"matchLabels": {"team": "a"}})),
    ],
)
def test_nothing_else_reads_back_differently(before: str, after: str, given: Object) -> None:
    assert "ReadsBack" not in effects(before, after, given)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("1.8", "1.5", "Downgrade"),
        ("1.8", "1.9", "Upgrade"),
        ("master", "1.9", "Downgrade"),
        ("1.7", "1.7.0", "Downgrade"),
        ("1.5.1", "1.5", "Upgrade"),
        ("1.5.1", "1.4", "Downgrade"),
        ("1.9", "1.9", "Upgrade"),
    ],
)
def test_the_way_back_is_called_a_downgrade(before: str, after: str, word: str) -> None:
    assert upgrade(before, after, sidecarset()).stdout.startswith(f"{word} of Kruise from")
    words = ("validate", "--kruise-from", before, "--kruise-to", after, "sets.json")
    assert f"{word.lower()} from Kruise" in run(*words).stderr


def test_v1beta1_begins_to_be_known() -> None:
    assert effects("1.8", "1.9", sidecarset("v1beta1"))["FieldBegins"] == ["apps.kruise.io/v1beta1 is served"]


def test_the_webhook_refuses_partition_with_selector() -> None:
    strategy: Value = {"type": "RollingUpdate", "partition": 1, "selector": {"matchLabels": {"app": "web"}}}
    ended = upgrade("1.7", "1.8", sidecarset(updateStrategy=strategy))
    assert ended.code == 1
    assert "logs: Rejected: The webhook of Kruise 1.8 rejects" in ended.stdout
    assert (
        "spec.updateStrategy: Kruise 1.8 rejects it at its next write: partition and selector cannot" in ended.stdout
    )
    assert upgrade("1.8", "1.9", sidecarset(updateStrategy=strategy)).code == 0


def test_a_native_sidecar_that_was_dropped_needs_not_update() -> None:
    rolling = sidecarset(initContainers=[NATIVE])
    assert "Refused" in effects("1.6", "1.7", rolling)
    assert "Refused" not in effects("1.7", "1.8", rolling)
    assert "Refused" not in effects(
        "1.6", "1.7", {**rolling, "spec": {**rolling["spec"], "updateStrategy": {"type": "NotUpdate"}}}
    )


@pytest.mark.parametrize(
    ("before", "after", "spec"),
    [
        ("1.7", "1.8", {"containers": [{**AGENT, "securityContext": {"procMount": "Unmasked"}}]}),
        (
            "1.7",
            "1.8",
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "/t"}}]}}]},
        ),
        ("1.9", "1.8", {"containers": [{**AGENT, "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}]}),
        ("1.9", "1.8", {"namespace": "shop", "namespaceSelector": {"matchLabels": {"team": "a"}}}),
    ],
)
def test_what_else_one_webhook_refuses_and_the_other_does_not(before: str, after: str, spec: Object) -> None:
    assert len(effects(before, after, sidecarset(**spec))["Refused"]) == 1
    assert "Refused" not in effects(after, before, sidecarset(**spec))


def test_percentages_come_to_other_numbers() -> None:
    given = sidecarset(updateStrategy={"maxUnavailable": "1%"})
    assert effects("1.7", "1.8", given)["Pace"] == ["maxUnavailable 1%: rounded up instead of down"]
    pods = [pod(f"p{index}") for index in range(10)]
    assert effects("1.7", "1.8", given, *pods)["Pace"] == [
        "maxUnavailable 1% of 10 pods is 1 instead of 0",
        "the rollout over these pods ends as Complete instead of Stalled",
    ]


def test_ties_under_a_priority_go_in_another_order() -> None:
    weights: Value = {"weightPriority": [{"weight": 1, "matchExpressions": [{"key": "app", "operator": "Exists"}]}]}
    given = sidecarset(updateStrategy={"priorityStrategy": weights, "maxUnavailable": 1})
    found = effects("1.8", "1.9", given, *(pod(f"p{index}") for index in range(3)))
    moved = "the order changes: 2 pods (shop/p0, shop/p2) are updated earlier or later"
    assert found["Order"] == [
        "pods of equal priority are updated in base order instead of in reverse order of the pod list",
        f"{moved}; the first is shop/p0 instead of shop/p2",
    ]
    assert "Order" not in effects("1.8", "1.9", sidecarset(), *(pod(f"p{index}") for index in range(3)))


def test_restarts_of_native_sidecars_count() -> None:
    assert effects("1.8", "1.9", sidecarset(initContainers=[NATIVE]))["Order"] == [
        "restarts of native sidecars count in the order of pods"
    ]


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ({}, "a round that resets idle HotUpgrade containers does nothing else"),
        ({"paused": True}, "paused also holds back the reset of idle HotUpgrade containers"),
        ({"type": "NotUpdate"}, "type NotUpdate also holds back the reset of idle HotUpgrade containers"),
    ],
)
def test_hot_resets(strategy: Object, said: str) -> None:
    assert effects("1.8", "1.9", sidecarset(containers=[HOT], updateStrategy=strategy))["HotReset"] == [said]
    assert "HotReset" not in effects("1.8", "1.9", sidecarset(updateStrategy=strategy))


@pytest.mark.parametrize(("before", "after"), [("1.2", "1.3"), ("1.4", "1.5")])
def test_some_upgrades_store_revisions_again(before: str, after: str) -> None:
    found = effects(before, after, sidecarset())
    assert "Revision" in found
    assert "Hash" not in found


def test_other_upgrades_keep_revisions() -> None:
    assert "Revision" not in effects("1.5", "1.6", sidecarset())


def test_a_pin_to_a_revision_without_the_marker_will_be_merged() -> None:
    given = sidecarset(injectionStrategy={"revision": {"revisionName": "logs-1"}})
    stored = new_revision(admit(sidecarset(), release_named("1.4")), 1)._replace(name="logs-1").manifest
    assert effects("1.4", "1.5", given, stored)["Pin"] == [
        "logs-1 was stored before 1.5.1: fields that it lacks keep the SidecarSet's current values"
    ]
    assert "Pin" not in effects("1.5", "1.6", given, stored)


def test_a_version_that_another_sidecarset_carries_too() -> None:
    given = sidecarset(injectionStrategy={"revision": {"customVersion": "v1"}})
    label = {"apps.kruise.io/sidecarset-custom-version": "v1"}
    stored = []
    for number, name in enumerate(("logs", "mesh"), 1):
        made = new_revision(admit(sidecarset(name=name), release_named("1.6")), number)._replace(name=f"{name}-1")
        manifest = made.manifest
        labels = {**(manifest["metadata"].get("labels") or {}), **label}
        stored.append({**manifest, "metadata": {**manifest["metadata"], "labels": labels}})
    found = effects("1.6", "1.7", given, *stored)["Pin"]
    assert found[0] == "injectionStrategy.revision resolves to another revision: mesh-1 before, logs-1 after"
    assert found[1].startswith(
        "no longer: Kruise 1.6 uses mesh-1 of mesh: pods get the containers of that SidecarSet"
    )
    assert effects("1.7", "1.6", given, *stored)["Pin"][0].endswith("logs-1 before, mesh-1 after")


def test_markdown_for_the_ticket() -> None:
    ended = upgrade("1.6", "1.9", sidecarset(initContainers=[NATIVE]), pod(), options=("-o", "markdown"))
    assert ended.stdout.startswith("### Upgrade of Kruise from 1.6 to 1.9\n")
    assert "| <code>logs</code> | Rejected: " in ended.stdout
    assert "| <code>spec.initContainers&#91;native&#93;.restartPolicy</code> |" in ended.stdout


def test_exit_code_on_any_difference() -> None:
    given = sidecarset(updateStrategy={"maxUnavailable": "1%"})
    assert upgrade("1.7", "1.8", given).code == 0
    assert upgrade("1.7", "1.8", given, options=("--exit-code",)).code == 1
    assert upgrade("1.7", "1.7", given, options=("--exit-code",)).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kruise-from", "1.6", "sets.json"), "--kruise-from and --kruise-to must be used together"),
        (("--kruise-from", "1.6", "--kruise-to", "1.9"), "no SidecarSets given"),
        (("--kruise-from", "1.6", "--kruise-to", "0.9", "sets.json"), "(one of 1.0)"),
        (
            ("--kruise-from", "1.6", "--kruise-to", "1.9", "--before", ".", "--after", "."),
            "cannot be combined with --before",
        ),
        (
            ("--kruise-from", "1.6", "--kruise-to", "1.9", "--kruise", "1.7", "sets.json"),
            "cannot be combined with --kruise",
        ),
    ],
)
def test_command_lines_that_make_no_sense(words: tuple[str, ...], said: str) -> None:
    Path("sets.json").write_text(json.dumps(sidecarset()))
    ended = run("diff", *words)
    assert ended.code == 2
    assert said in ended.stderr


def test_no_sidecarset_is_refused() -> None:
    assert upgrade("1.6", "1.9", pod()).code == 2


def test_the_release_of_the_environment_is_for_other_commands() -> None:
    Path("sets.json").write_text(json.dumps(sidecarset()))
    words = ("diff", "--kruise-from", "1.6", "--kruise-to", "1.7", "sets.json")
    assert run(*words, env={"SIDECARCTL_KRUISE": "1.3"}).code == 0


def test_any_rule_can_be_what_the_new_webhook_rejects() -> None:
    """Not only what differs between releases: a field that begins to be known is checked from then on."""
    policy: Value = {"targetContainersMode": "sum", "resourcesExpr": {"limits": {"cpu": "memory*50%"}}}
    given = sidecarset(containers=[{**AGENT, "resourcesPolicy": policy}])
    (message,) = effects("1.8", "1.9", given)["Refused"]
    assert message.startswith("Kruise 1.9 rejects it at its next write: ")
    assert "Refused" not in effects("1.7", "1.8", given)


def test_a_conflict_that_only_the_new_release_sees() -> None:
    by_name = sidecarset(name="by-name", namespace="shop")
    by_label = sidecarset(namespaceSelector={"matchLabels": {"team": "a"}})
    found = effects("1.8", "1.9", by_name, by_label)["Refused"]
    assert len(found) == 1
    assert 'container "agent"' in found[0]
    assert "by-name" in found[0]


def test_what_both_releases_reject_is_no_effect_of_the_upgrade() -> None:
    asleep = sidecarset(containers=[{**AGENT, "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}])
    assert "Refused" not in effects("1.7", "1.8", asleep)  # an empty hook there, a sleep here
    assert "Refused" in effects(
        "1.7", "1.8", sidecarset(updateStrategy={"partition": 1, "selector": {"matchLabels": {"a": "b"}}})
    )


def test_the_stored_pull_policy_outlives_the_upgrade() -> None:
    given = sidecarset(containers=[{**AGENT, "image": "Mesh/proxy"}])
    found = document("1.7", "1.8", given)["sidecarSets"][0]
    assert found["verdict"] == "NoEffect"
    assert found["effects"] == []


@pytest.mark.parametrize("form", ["sarif", "junit", "gitlab", "github", "json", "markdown"])
def test_every_form_of_report_has_the_effects(form: str) -> None:
    strategy: Value = {"partition": "50%", "selector": {"matchLabels": {"app": "web"}}}
    report = Path("report")
    options = ("-o", "json=out.json", "--report", f"{form}={report}")
    assert upgrade("1.7", "1.8", sidecarset(updateStrategy=strategy), options=options).code == 1
    text = report.read_text()
    assert "partition-and-selector" in text
    assert "rounded up instead of down" in text
