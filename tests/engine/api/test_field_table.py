"""Fields that the API drops are found, with the likely name."""

from sidecarctl.engine.api.field_table import did_you_mean, likely_field, unknown_fields


def test_unknown_fields_are_found_at_every_depth() -> None:
    manifest = {
        "metadata": {"label": {}, "labels": {"anything": "goes"}},
        "spec": {
            "containers": [{"imag": "x", "resources": {"limits": {"cpu": "1"}, "limit": {}}}, None, 5],
            "volumes": {"not": "a list"},
            "namespace": "shop",
            "zzz": 1,
        },
    }
    found = unknown_fields(manifest, "v1beta1.SidecarSet")
    assert [(path, likely_field(str(path[-1]), within)) for path, within in found] == [
        (("metadata", "label"), "labels"),
        (("spec", "containers", 0, "imag"), "image"),
        (("spec", "containers", 0, "resources", "limit"), "limits"),
        (("spec", "namespace"), "namespaceSelector"),
        (("spec", "zzz"), ""),
    ]


def test_maps_of_structs_have_no_unknown_keys() -> None:
    assert list(unknown_fields({"a": 1}, "map[string]string")) == []


def test_names_that_differ_in_case_are_near() -> None:
    assert did_you_mean("imagepullpolicy", ["image", "imagePullPolicy"]) == "imagePullPolicy"
