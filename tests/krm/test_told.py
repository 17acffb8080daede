"""What a call of the function tells: its results, and how it fails."""

import json

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.render.lines import finding_line
from tests.krm.calls import (
    REJECTED,
    SET,
    WEB,
    answered,
    call,
    containers,
    from_kpt,
    from_kustomize,
    injection,
    text_of,
)


class TestResults:
    def test_what_was_done_is_reported_for_each_object_and_in_all(self) -> None:
        [told, summary] = call([from_kpt(SET, "set.yaml"), from_kpt(WEB, "apps/web.yaml", 2)]).results
        assert told == {
            "message": "injected: logs (log-agent)",
            "severity": "info",
            "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
            "file": {"path": "apps/web.yaml", "index": 2},
            "tags": {"reason": "Injected"},
        }
        assert summary == {"message": "1 injected; 1 other object", "severity": "info"}

    def test_an_error_has_its_field_and_value(self) -> None:
        [result, _] = call([SET, REJECTED]).results
        assert result["field"] == {
            "path": "spec.template.metadata.annotations[kruise.io/sidecarset-hash]",
            "currentValue": "not json",
        }
        assert result["severity"] == "error"
        assert result["tags"] == {"reason": "UnreadableHashes"}

    def test_errors_are_not_buried_under_notes(self) -> None:
        assert [result["severity"] for result in call([SET, WEB, REJECTED]).results] == ["error", "info"]

    def test_errors_come_first_whatever_their_files(self) -> None:
        wrong = {**SET, "metadata": {"name": "other"}, "spec": {**SET["spec"], "containres": []}}
        sent = [from_kpt(SET, "a.yaml"), from_kpt(wrong, "b.yaml"), from_kpt(REJECTED, "z.yaml")]
        done = call(sent)
        assert [result["severity"] for result in done.results] == ["error", "warning", "info"]
        assert done.results[0]["file"]["path"] == "z.yaml"

    def test_why_an_object_was_skipped(self) -> None:
        other = {**WEB, "spec": {"template": {"spec": {"containers": []}}}}
        assert call([SET, other]).reasons("info") == ["PodNotSelected"]

    def test_results_that_are_there_already_stay(self) -> None:
        before = {"message": "earlier", "severity": "warning"}
        for items in ([SET, WEB], [from_kustomize(SET), from_kustomize(WEB, 1)]):
            assert answered(text_of(items, results=[before])).results[0] == before
            assert answered(text_of(items, results={"name": "x", "items": [before]})).results[0] == before

    def test_a_finding_about_the_function_config(self) -> None:
        done = call([WEB], injection(mode="injekt"))
        assert done.code == 2
        assert done.results[0]["resourceRef"]["kind"] == "SidecarInjection"
        assert done.results[0]["field"] == {"path": "spec.mode", "currentValue": "injekt"}


class TestFailure:
    @pytest.mark.parametrize("send", [lambda item, _: item, from_kustomize], ids=["plain", "kustomize"])
    def test_nothing_changes_and_errors_stand_on_stderr(self, send: object) -> None:
        assert callable(send)
        items = [send(item, number) for number, item in enumerate([SET, WEB, REJECTED])]
        done = call(items)
        assert (done.code, done.items) == (3, items)
        [line] = done.lines
        assert line.startswith("error: Deployment shop/odd: spec.template.metadata.annotations")
        assert line.endswith("[UnreadableHashes]")

    def test_kpt_shows_the_results_itself(self) -> None:
        items = [from_kpt(SET, "set.yaml"), from_kpt(REJECTED, "odd.yaml")]
        done = call(items)
        assert (done.code, done.items) == (3, items)
        assert done.lines == ("1 error, nothing was changed; see the results",)

    def test_a_set_that_cannot_be_read(self) -> None:
        done = call([{**SET, "spec": {"selector": {"matchLabels": {"app": 5}}}}, WEB])
        assert done.code == 2
        assert done.reasons("error") == ["WrongType"]
        assert done.results[0]["field"]["path"] == "spec.selector.matchLabels.app"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "got nothing"),
            ("# nothing\n", "got nothing"),
            ("kind: Pod\n", "expected a ResourceList, got kind Pod"),
            ("a", "expected a ResourceList, got an object without kind"),
            ("kind: ResourceList\napiVersion: v1\n", "expected apiVersion config.kubernetes.io/v1, got v1"),
            (text_of([]) + "---\n" + text_of([]), "more than one document"),
            (text_of([]).replace("[]", "{a: b}"), "items: expected a list"),
            (text_of([]) + "functionConfig: [a]\n", "functionConfig: expected an object"),
            ("kind: [", "stdin:2:1: "),
        ],
    )
    def test_what_is_no_resource_list_is_refused(self, text: str, said: str) -> None:
        with pytest.raises(InputError) as fault:
            answered(text)
        [finding] = fault.value.findings
        assert said in finding_line(finding)

    def test_a_shape_that_cannot_be_edited_loses_nothing(self) -> None:
        text = text_of([SET, WEB]) + f"  <<: {{spec: {json.dumps(WEB['spec'])}}}\n"
        done = answered(text)
        assert done.code == 3
        assert containers(done.items[1]) == ["web"]
        assert done.reasons("error") == ["MergedMember"]
