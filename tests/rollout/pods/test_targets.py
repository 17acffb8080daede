from sidecarctl.rollout.pods.targets import target_of
from tests.rollout.manifests import NOW, sidecarset


def test_names_in_pods_are_those_of_the_halves_for_hot_containers() -> None:
    held = sidecarset(
        containers=[
            {"name": "mesh", "image": "mesh:1", "upgradeStrategy": {"upgradeType": "HotUpgrade"}},
            {"name": "agent", "image": "agent:1"},
        ]
    )
    target = target_of(held, "logs-1")
    assert target.names == {"mesh-1", "mesh-2", "agent"}
    assert [container.name for container in target.hot] == ["mesh"]
    assert target.hot[0].empty_image == ""


def test_the_entry_to_record_names_containers_and_native_sidecars() -> None:
    native = {"name": "init", "image": "init:1", "restartPolicy": "Always"}
    held = sidecarset(initContainers=[native, {"name": "plain", "image": "init:1"}])
    entry = target_of(held, "logs-1", now=NOW).hash_entry
    assert entry.sidecar_list == ("agent", "init")
    assert entry == (NOW, held.hash, "logs", ("agent", "init"), "logs-1")


def test_the_resource_version_of_the_manifest_counts_first() -> None:
    held = sidecarset()
    assert target_of(held, "r").resource_version == ""
    assert target_of(held, "r", resource_version="7").resource_version == "7"
    held.metadata["resourceVersion"] = "9"
    assert target_of(held, "r", resource_version="7").resource_version == "9"


def test_a_set_without_containers() -> None:
    target = target_of(sidecarset(containers=[]), "r")
    assert target.containers == ()
    assert target.names == frozenset()
