"""What the API cannot decode is found, named and located."""

import pytest

from sidecarctl.engine.api.decoding import check, decodes
from sidecarctl.engine.facts.values import Object, Value


def said(value: Value, type_name: str) -> list[str]:
    return [str(finding) for finding in check(value, type_name)]


def in_container(**members: Value) -> Object:
    return {"spec": {"containers": [members]}}


def test_a_pod_that_decodes_has_no_problems() -> None:
    pod = {
        "metadata": {"labels": {"app": "web"}, "creationTimestamp": None, "annotations": {"a": None}},
        "spec": {
            "containers": [
                None,
                {"name": "a", "ports": [{"containerPort": 8080.0}], "resources": {"limits": {"cpu": 1}}},
            ],
            "unknown": 5,
            "volumes": [{"name": "v", "secret": {"defaultMode": 0o400, "items": []}}],
        },
        "status": {"startTime": "2026-01-01T00:00:00Z"},
    }
    assert check(pod, "core.Pod") == []
    assert check(None, "core.Pod") == []


@pytest.mark.parametrize(
    ("value", "type_name", "message"),
    [
        ([], "core.Pod", "expected an object, got a list"),
        (5, "[]string", "expected a list, got the number 5"),
        (["a", 1], "[]string", "[1]: expected a string, got the number 1 (quote it)"),
        ({"a": True}, "map[string]string",
         ("a: expected a string, got the boolean true "
         "(quote it; yes, no, on, off, y and n are booleans too)")),
        ({}, "string", "expected a string, got an object"),
        (2**31, "int32", "expected a whole number of 32 bits, got the number 2147483648"),
        (-(2**63) - 1, "int64", "expected a whole number of 64 bits, got the number -9223372036854775809"),
        (True, "int32", "expected a whole number of 32 bits, got the boolean true"),
        ("8080", "int32",
         'expected a whole number of 32 bits, got the string "8080" (remove the quotes: 8080)'),
        (0.5, "int-or-string", "expected a whole number of 32 bits, or a string, got the number 0.5"),
        (float("inf"), "int64", "expected a whole number of 64 bits, got the number inf"),
        ("yes", "bool", 'expected true or false, got the string "yes"'),
        ("1cpu", "quantity", 'expected a quantity such as 100m or 1Gi, got the string "1cpu"'),
        ("today", "time", 'expected a time such as 2026-01-01T00:00:00Z, got the string "today"'),
        (0, "time", "expected a time such as 2026-01-01T00:00:00Z, got the number 0"),
        ("a", "bytes", 'expected text in base64, got the string "a"'),
        (1, "bytes", "expected text in base64, got the number 1"),
        ("x" * 100, "bool", f'expected true or false, got the string "{"x" * 60}..."'),
    ],
)  # a table, a case a line  # fmt: skip
def test_problem_says_what_was_expected_and_what_is_there(value: Value, type_name: str, message: str) -> None:
    assert said(value, type_name) == [message]


def test_a_number_too_long_to_be_written_is_described() -> None:
    assert said(10**5000, "string") == ["expected a string, got a number of more than 60 digits (quote it)"]


def test_every_problem_is_found_at_its_own_path() -> None:
    manifest = in_container(command="sh", env=[{"name": "A"}, {"name": "B", "value": 1}], tty="no")
    assert [str(finding.path) for finding in check(manifest, "v1beta1.SidecarSet")] == [
        "('spec', 'containers', 0, 'command')",
        "('spec', 'containers', 0, 'env', 1, 'value')",
        "('spec', 'containers', 0, 'tty')",
    ]


def test_the_bare_share_volume_policy_of_older_manuals_is_named() -> None:
    [message] = said(in_container(shareVolumePolicy="enabled"), "v1alpha1.SidecarSet")
    assert message == (
        'spec.containers[0].shareVolumePolicy: expected an object, got the string "enabled" '
        "(write shareVolumePolicy: {type: enabled}; older manuals show the bare word)"
    )


@pytest.mark.parametrize(
    ("field", "word", "meant"),
    [
        ("injectionStrategy", "BeforeAppContainer", "in a container write podInjectPolicy: BeforeAppContainer"),
        ("updateStrategy", "NotUpdate", "write updateStrategy: {type: NotUpdate}"),
    ],
)
def test_what_a_bare_word_means_is_named(field: str, word: str, meant: str) -> None:
    [message] = said({"spec": {field: word}}, "v1alpha1.SidecarSet")
    assert message == f'spec.{field}: expected an object, got the string "{word}" ({meant})'


def test_the_list_of_match_labels_of_older_manuals_is_named() -> None:
    [message] = said({"spec": {"selector": {"matchLabels": [{"app": "web"}]}}}, "v1beta1.SidecarSet")
    assert message == (
        "spec.selector.matchLabels: expected an object, got a list "
        "(write a map such as matchLabels: {app: web}; older manuals show a list)"
    )


@pytest.mark.parametrize("value", ["YQ==", "YW\nI=", ""])
def test_base64_decodes(value: str) -> None:
    assert check(value, "bytes") == []


def test_free_form_data_is_not_looked_at() -> None:
    assert check([1, {"a": None}], "object") == []


def test_a_type_that_the_table_lacks_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError, match=r"core\.Nothing"):
        decodes("core.Nothing")


def test_of_very_many_wrong_values_the_first_are_listed_and_the_others_counted() -> None:
    *listed, more = said({"spec": {"containers": [1] * 3500}}, "core.Pod")
    assert len(listed) == 1000
    assert listed[-1] == "spec.containers[999]: expected an object, got the number 1"
    assert more == "more values of a wrong type: 2,500"
