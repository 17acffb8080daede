"""Values are written as the API writes them."""

from sidecarctl.engine.api.canonical import encoded, typed
from sidecarctl.engine.api.field_table import fields_of
from sidecarctl.engine.facts.values import Value

CONTAINER = "v1beta1.SidecarContainer"


def test_fields_stand_in_the_order_of_the_api_whatever_their_order_in_the_manifest() -> None:
    written = encoded({"image": "a", "args": ["x"], "name": "n"}, CONTAINER)
    assert list(written) == ["name", "image", "args", "resources", "upgradeStrategy", "shareVolumePolicy"]


def test_exact_form_has_the_structs_that_are_always_written() -> None:
    assert encoded({}, CONTAINER) == {
        "name": "",
        "resources": {},
        "upgradeStrategy": {},
        "shareVolumePolicy": {},
    }


def test_typed_form_leaves_empty_structs_out() -> None:
    assert typed({"resources": {"limits": {}}, "upgradeStrategy": {}}, CONTAINER) == {"name": ""}


def test_empty_metadata_stays() -> None:
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {}}}}}
    template: Value = {"metadata": {}, "spec": {}}
    assert typed(volume, "core.Volume") == {"name": "v", "ephemeral": {"volumeClaimTemplate": template}}


def test_pointers_keep_explicit_zeros_and_empty_objects() -> None:
    security = {"runAsUser": 0, "privileged": False, "capabilities": {}, "procMount": ""}
    assert typed({"name": "n", "securityContext": security}, CONTAINER)["securityContext"] == {
        "capabilities": {},
        "privileged": False,
        "runAsUser": 0,
        "procMount": "",
    }


def test_empty_values_null_and_unknown_fields_go() -> None:
    container = {
        "name": "n",
        "image": "",
        "tty": False,
        "env": [],
        "lifecycle": None,
        "imag": "x",
        "ports": None,
    }
    assert typed(container, CONTAINER) == {"name": "n"}


def test_fields_that_are_always_written_are_there() -> None:
    assert typed({"projected": {}}, "core.Volume") == {"name": "", "projected": {"sources": None}}
    assert typed({"grpc": {}}, "core.Probe") == {"grpc": {"port": 0, "service": None}}
    assert typed({"tcpSocket": {}}, "core.Probe") == {"tcpSocket": {"port": 0}}
    assert typed({}, "core.ResourceFieldSelector") == {"resource": "", "divisor": "0"}


def test_null_in_a_list_or_a_map_is_the_empty_value() -> None:
    assert typed([None, "a"], "[]string") == ["", "a"]
    assert typed([None], "[]core.EnvVar") == [{"name": ""}]
    assert typed({"b": "2", "a": "1", "c": None}, "map[string]string") == {"a": "1", "b": "2", "c": ""}


def test_maps_are_sorted_and_quantities_rewritten() -> None:
    limits = {"memory": "1024Mi", "cpu": 0.5}
    assert list(typed({"limits": limits}, "core.ResourceRequirements")["limits"].items()) == [
        ("cpu", "500m"),
        ("memory", "1Gi"),
    ]


def test_whole_numbers_lose_their_point() -> None:
    port: Value = typed({"containerPort": 8080.0}, "core.ContainerPort")["containerPort"]
    assert isinstance(port, int)
    assert typed({"partition": 1.0}, "v1beta1.SidecarSetUpdateStrategy") == {"partition": 1}
    assert typed({"partition": "5%"}, "v1beta1.SidecarSetUpdateStrategy") == {"partition": "5%"}


def test_times_are_in_utc_and_whole_seconds() -> None:
    metadata = {
        "creationTimestamp": "2026-01-01T02:00:00.5+02:00",
        "deletionTimestamp": "0001-01-01T00:00:00Z",
    }
    written = {"creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": None}
    assert typed(metadata, "meta.ObjectMeta") == written
    assert encoded({}, "meta.ObjectMeta") == {"creationTimestamp": None}
    assert typed({}, "meta.ObjectMeta") == {}
    assert encoded({"creationTimestamp": "no time"}, "meta.ObjectMeta") == {"creationTimestamp": None}


def test_table_knows_its_structs_alone() -> None:
    assert fields_of("core.Nothing") is None
    assert fields_of("string") is None
