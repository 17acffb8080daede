"""Paths, errors, findings and references as text."""

import pickle

from sidecarctl.engine.facts.errors import InputError, impossible, input_error, usage_error
from sidecarctl.engine.facts.findings import ObjectReference, Place, error, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, Object, applied, path_text, pointer_text, value_at


def test_paths_as_users_read_them() -> None:
    assert path_text(("spec", "containers", 0, "env", 1, "name")) == "spec.containers[0].env[1].name"
    assert path_text(("metadata", "labels", "example.com/team")) == "metadata.labels[example.com/team]"
    assert path_text((0, "a")) == "[0].a"
    assert path_text(()) == ""
    assert pointer_text(("a/b", "~", 3)) == "/a~1b/~0/3"


def test_the_value_at_a_path() -> None:
    value = {"a": [{"b": 1}]}
    assert value_at(value, ("a", 0, "b")) == 1
    assert value_at(value, ("a", -1)) == {"b": 1}
    assert value_at(value, ("a", 1)) is None
    assert value_at(value, ("a", "b")) is None
    assert value_at(value, (0,)) is None


def test_errors_travel_between_processes() -> None:
    fault = input_error(Reason.SYNTAX, "words", ("a", 0), hint="do")
    again = pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own
    assert (type(again), again.findings) == (InputError, fault.findings)
    assert str(fault) == "a[0]: words (do)"


def test_exit_codes() -> None:
    assert usage_error("words").exit_code == 2
    assert impossible(Reason.CANNOT_EDIT, "words").exit_code == 3


def test_findings_say_place_subject_and_path() -> None:
    pod = ObjectReference("v1", "Pod", "shop", "web")
    finding = error(Reason.SYNTAX, "words", ("spec",))._replace(place=Place("a.yaml", 3, 5), subject=pod)
    assert str(finding) == "a.yaml:3:5: Pod shop/web: spec: words"
    assert str(Place("a.yaml")) == "a.yaml"


def test_every_reason_has_a_sentence() -> None:
    for reason in Reason:
        assert reason.sentence.endswith(".")


def test_references_of_odd_manifests() -> None:
    assert reference_of({"kind": ["x"], "metadata": "text"}) == ObjectReference("", "", "", "")
    assert reference_of({"kind": "Pod", "metadata": {"generateName": "a-"}}).name == "a-"
    assert str(ObjectReference("v1", "Namespace", "", "shop")) == "Namespace shop"
    assert str(ObjectReference("v1", "ConfigMap", "", "")) == "ConfigMap"


def test_only_changed_branches_are_copied() -> None:
    before: Object = {"a": {"b": 1}, "c": [{"d": 1}, {"e": 2}]}
    after = applied(before, [Edit("set", ("c", 1, "e"), 3)])
    assert after == {"a": {"b": 1}, "c": [{"d": 1}, {"e": 3}]}
    assert after["a"] is before["a"]
    assert after["c"][0] is before["c"][0]
    assert before["c"] == [{"d": 1}, {"e": 2}]
