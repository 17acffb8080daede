"""One call of the function: modes, callers, results, and what happens when it fails."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecarctl.documents import editing
from sidecarctl.documents.document import Document
from sidecarctl.documents.editing import EditedText, edited_text
from sidecarctl.facts.edits import Edit
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Object
from sidecarctl.reports.lines import finding_line
from tests.krm.calls import (
    REJECTED,
    SET,
    SETTINGS,
    WEB,
    answered,
    call,
    config_map,
    containers,
    from_kpt,
    from_kustomize,
    injection,
    text_of,
    with_annotations,
)

BOTH = ["log-agent", "web"]


def injected(mode: str = "inject", item: Object = WEB) -> Object:
    return call([item], injection(mode=mode, sidecarSets=[SET])).items[0]


def test_a_set_among_the_items_is_used_and_passed_through() -> None:
    done = call([SET, WEB])
    assert done.code == 0
    assert done.items[0] == SET
    assert containers(done.items[1]) == BOTH
    assert done.lines == ()


@pytest.mark.parametrize(
    "config",
    [
        injection(sidecarSets=[SET]),
        SET,
        config_map(sidecarSets=json.dumps(SET)),
        {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "SidecarInjection", "spec": {"sidecarSets": [SET]}},
    ],
    ids=["inline", "a set", "config map", "no name"],
)
def test_a_set_in_the_function_config_is_used(config: Object) -> None:
    assert containers(call([WEB], config).items[0]) == BOTH


@pytest.mark.parametrize("config", [None, {}, config_map(), {"apiVersion": "v1", "kind": "ConfigMap", "data": None}])
def test_no_function_config_and_an_empty_one_are_the_same(config: Object | None) -> None:
    assert containers(call([SET, WEB], config).items[1]) == BOTH


def test_v1beta1_lists_are_read_and_answered_as_such() -> None:
    done = answered(text_of([SET, WEB]).replace("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1"))
    assert done.value["apiVersion"] == "config.kubernetes.io/v1beta1"
    assert containers(done.items[1]) == BOTH


def test_a_list_in_json_stays_json() -> None:
    done = answered(
        json.dumps({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [SET, WEB]})
    )
    assert json.loads(done.text) == done.value
    assert containers(done.items[1]) == BOTH


def test_the_items_of_a_list_among_the_items_are_injected() -> None:
    done = call([SET, {"apiVersion": "v1", "kind": "List", "items": [WEB]}])
    assert containers(done.items[1]["items"][0]) == BOTH


def test_sets_in_files_are_found_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "set.yaml").write_text(json.dumps(SET))
    monkeypatch.chdir(tmp_path)
    assert containers(call([WEB], injection(paths=["set.yaml"])).items[0]) == BOTH
    gone = call([WEB], injection(paths=["gone.yaml"]))
    assert gone.code == 2
    assert gone.results[0]["file"] == {"path": "gone.yaml"}


def test_sets_in_files_are_found_from_the_folder_of_the_config_that_kpt_tells(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "set.yaml").write_text(json.dumps(SET))
    config = from_kpt(injection(paths=["set.yaml"]), "config/inject.yaml")
    config["metadata"]["annotations"]["internal.config.kubernetes.io/package-path"] = str(tmp_path)
    assert containers(call([WEB], config).items[0]) == BOTH
    assert (
        containers(call([WEB, config], injection(paths=["set.yaml"])).items[0]) == BOTH
    )  # it stands among the items


def test_a_file_that_is_not_there_is_named_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for item in (from_kpt(WEB, "web.yaml"), from_kustomize(WEB)):
        done = call([item], injection(paths=["sets/nope.yaml"]))
        said = f"sets/nope.yaml: cannot be read: No such file or directory (paths count from {tmp_path})"
        assert (done.code, done.results[0]["message"]) == (2, said)  # kpt shows messages alone
        assert done.results[0]["file"] == {"path": "sets/nope.yaml"}


def test_a_fault_in_a_file_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text("a: b\nc: [\n")
    done = call([from_kpt(WEB, "web.yaml")], injection(paths=[str(tmp_path / "set.yaml")]))
    assert done.results[0]["message"].startswith(f"{tmp_path}/set.yaml:3:1: ")


def test_revisions_come_from_files(tmp_path: Path) -> None:
    old = {**SET, "spec": {**SET["spec"], "customVersion": "1", "containers": [{"name": "old", "image": "a:1"}]}}
    new = {
        **SET,
        "spec": {**SET["spec"], "customVersion": "2", "injectionStrategy": {"revision": {"customVersion": "1"}}},
    }
    (tmp_path / "old.yaml").write_text(json.dumps(old))
    config = injection(sidecarSets=[new], options={"revisionFrom": [str(tmp_path / "old.yaml")]})
    assert containers(call([WEB], config).items[0]) == ["old", "web"]


def test_local_objects_are_left_alone() -> None:
    local = with_annotations(WEB, config_kubernetes_io__local_config="true")
    local["metadata"]["annotations"] = {"config.kubernetes.io/local-config": "true"}
    assert call([SET, local]).items[1] == local


def test_a_local_set_is_used() -> None:
    local = {**SET, "metadata": {"name": "logs", "annotations": {"config.kubernetes.io/local-config": "true"}}}
    assert containers(call([local, WEB]).items[1]) == BOTH


class TestModes:
    def test_uninject_takes_out_again(self) -> None:
        assert injected("uninject", injected()) == WEB

    def test_uninject_does_without_sets(self) -> None:
        done = call([injected()], config_map(mode="uninject"))
        assert containers(done.items[0]) == ["web"]

    def test_validate_changes_nothing(self) -> None:
        done = call([SET, WEB], injection(mode="validate"))
        assert (done.code, done.items) == (0, [SET, WEB])
        assert done.results[-1]["message"] == "1 valid; 1 other object"
        again = call([SET, injected()], injection(mode="validate"))
        assert again.results[-1]["message"] == "1 valid; 1 other object"

    def test_validate_fails_where_inject_fails(self) -> None:
        done = call([SET, REJECTED], injection(mode="validate"))
        assert done.code == 3
        assert done.reasons("error") == ["UnreadableHashes"]

    def test_validate_fails_for_unknown_fields(self) -> None:
        wrong = {**SET, "spec": {**SET["spec"], "containres": []}}
        done = call([wrong, WEB], injection(mode="validate"))
        assert done.code == 1
        assert done.reasons("error") == ["UnknownField"]
        assert "did you mean containers?" in done.results[0]["message"]
        assert call([wrong, WEB]).reasons("warning") == ["UnknownField"]

    def test_check_fails_where_inject_would_change_something(self) -> None:
        done = call([SET, WEB, SETTINGS], injection(mode="check"))
        assert (done.code, done.items) == (1, [SET, WEB, SETTINGS])
        assert done.reasons("error") == ["InjectionDiffers"]

    def test_check_passes_what_is_injected(self) -> None:
        assert call([SET, injected()], injection(mode="check")).code == 0


class TestOptions:
    def test_only_some_sets(self) -> None:
        other = {**SET, "metadata": {"name": "other"}}
        done = call([SET, other, WEB], injection(options={"only": ["other"]}))
        annotations = done.items[2]["spec"]["template"]["metadata"]["annotations"]
        assert annotations["kruise.io/sidecarset-injected-list"] == "other"

    def test_a_set_that_is_not_there(self) -> None:
        done = call([SET, WEB], injection(options={"only": ["othr"]}))
        assert done.code == 2
        assert "othr: there is no such SidecarSet" in done.results[0]["message"]

    def test_the_time(self) -> None:
        asked = injection(options={"timestamp": "2026-01-31T13:00:00+01:00"})
        assert "2026-01-31T12:00:00Z" in call([SET, WEB], asked).text
        assert "1970-01-01T00:00:01Z" in answered(text_of([SET, WEB]), {"SOURCE_DATE_EPOCH": "1"}).text
        assert answered(text_of([SET, WEB]), {"SOURCE_DATE_EPOCH": "soon"}).code == 2

    def test_strict_makes_warnings_objections(self) -> None:
        wrong = {**SET, "spec": {**SET["spec"], "containres": []}}
        assert call([wrong, WEB], injection(options={"strict": True})).code == 1

    def test_other_kinds(self) -> None:
        game = {**WEB, "apiVersion": "example.com/v1", "kind": "Game"}
        config = injection(options={"templatePaths": {"Game.example.com": "spec.template"}})
        assert containers(call([SET, game], config).items[1]) == BOTH

    def test_no_set_is_an_error_unless_it_is_allowed(self) -> None:
        assert call([WEB]).reasons("error") == ["NoSidecarSet"]
        assert call([WEB], injection(options={"allowEmpty": True})).code == 0
        assert call([WEB], config_map(mode="uninject")).code == 0


class TestResults:
    def test_what_was_done_is_told_for_each_object_and_in_all(self) -> None:
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
        assert [one["severity"] for one in call([SET, WEB, REJECTED]).results] == ["error", "info"]

    def test_errors_come_first_whatever_their_files(self) -> None:
        wrong = {**SET, "metadata": {"name": "other"}, "spec": {**SET["spec"], "containres": []}}
        sent = [from_kpt(SET, "a.yaml"), from_kpt(wrong, "b.yaml"), from_kpt(REJECTED, "z.yaml")]
        done = call(sent)
        assert [one["severity"] for one in done.results] == ["error", "warning", "info"]
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
    @pytest.mark.parametrize("send", [lambda one, _: one, from_kustomize], ids=["plain", "kustomize"])
    def test_nothing_changes_and_errors_stand_on_stderr(self, send: object) -> None:
        assert callable(send)
        items = [send(one, number) for number, one in enumerate([SET, WEB, REJECTED])]
        done = call(items)
        assert (done.code, done.items) == (3, items)
        [line] = done.lines
        assert line.startswith("error: Deployment shop/odd: spec.template.metadata.annotations")
        assert line.endswith("[UnreadableHashes]")

    def test_kpt_shows_the_results_itself(self) -> None:
        items = [from_kpt(SET, "set.yaml"), from_kpt(REJECTED, "odd.yaml")]
        done = call(items)
        assert (done.code, done.items) == (3, items)
        assert done.lines == ("1 error, nothing was changed; the results say which",)

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
            ("a", "expected a ResourceList, got something without a kind"),
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


class TestKustomize:
    def items(self) -> list[Object]:
        return [from_kustomize(one, number) for number, one in enumerate([SET, WEB, SETTINGS])]

    def test_the_annotations_of_kustomize_stay(self) -> None:
        done = call(self.items())
        assert done.items[1]["metadata"] == self.items()[1]["metadata"]
        assert containers(done.items[1]) == BOTH

    def test_what_does_not_change_passes_as_it_came(self) -> None:
        text = text_of(self.items(), injection()).replace(
            "a: b", "a:   b\n    n: 1_000\n    long: |\n\n      - text\n"
        )
        done = answered(text)
        unchanged = text[text.index("- apiVersion: v1\n") : text.index("functionConfig:")]
        assert unchanged in done.text
        assert text[: text.index("- apiVersion: apps/v1")] in done.text
        assert text[text.index("functionConfig:") :] in done.text

    def test_a_text_of_another_layout_is_answered_by_its_values(self) -> None:
        done = answered(text_of(self.items()).replace("items:\n", "items: # ours\n"))
        assert containers(done.items[1]) == BOTH
        assert done.items[2] == self.items()[2]

    def test_a_validator_answers_without_items(self) -> None:
        done = call([from_kustomize(SET), from_kustomize(WEB)], injection(mode="validate"))
        assert (done.code, done.items) == (0, [])
        failed = call([from_kustomize(SET), from_kustomize(WEB)], injection(mode="check"))
        assert (failed.code, failed.items) == (1, [])
        assert "InjectionDiffers" in failed.lines[0]

    def test_a_validator_answers_with_items_where_none_has_the_id_of_kustomize(self) -> None:
        config = with_annotations(injection(mode="validate"), config_kubernetes_io__function="exec: {path: x}")
        assert call([SET, WEB], config).items == [SET, WEB]

    def test_a_validator_among_transformers_would_delete_everything(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        kustomization = tmp_path / "kustomization.yaml"
        kustomization.write_text("transformers: [inject.yaml]\n")
        done = call(self.items(), injection(mode="check"))
        assert done.code == 2
        assert "validators" in done.lines[0]
        for harmless in ("transformers: [inject.yaml]\nvalidators: [check.yaml]\n", "resources: [", "- a\n"):
            kustomization.write_text(harmless)
            assert call(self.items(), injection(mode="validate")).code == 0

    @pytest.mark.parametrize(
        "transformers",
        ["[check.yaml]", "[inject.yaml, all]", "[7, inject.yaml, TWO]", "[ONE]"],
        ids=["a file", "a folder", "among text", "text"],
    )
    def test_a_validator_among_transformers_is_found_where_there_are_validators_too(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transformers: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        config = {**injection(mode="check"), "metadata": {"name": "guard"}}
        text = json.dumps(config)
        (tmp_path / "check.yaml").write_text(text)
        (tmp_path / "all").mkdir()
        (tmp_path / "all" / "kustomization.yaml").write_text("resources: [../check.yaml]\n")
        named = transformers.replace("ONE", json.dumps(text)).replace("TWO", json.dumps(f"kind: C\n---\n{text}"))
        (tmp_path / "kustomization.yaml").write_text(f"transformers: {named}\nvalidators: [other.yaml]\n")
        done = call(self.items(), config)
        assert (done.code, len(done.items)) == (2, 0)
        assert "names it under transformers" in done.lines[0]
        other = {**config, "metadata": {"name": "other"}}
        assert call(self.items(), other).code == 1

    def test_a_generator_gets_its_own_config_back(self) -> None:
        function = {"config.kubernetes.io/function": "exec: {path: sidecarctl-fn}\n"}
        config = {**SET, "metadata": {"name": "logs", "annotations": function}}
        local = {**function, "config.kubernetes.io/local-config": "true"}
        item = {**SET, "metadata": {"name": "logs", "annotations": local}}
        done = call([item], config)
        assert (done.code, done.items) == (0, [item])

    def test_warnings_stand_on_stderr(self) -> None:
        wrong = {**SET, "spec": {**SET["spec"], "containres": []}}
        done = call([from_kustomize(wrong), from_kustomize(WEB, 1)])
        assert done.code == 0
        assert [line.partition(":")[0] for line in done.lines] == ["warning"]


class TestComments:
    TEXT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- # the front
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web # its name
    annotations:
      internal.config.kubernetes.io/path: 'web.yaml'
  spec:
    template:
      metadata:
        labels: {app: web}   # in flow
      spec:
        containers:
        # the app
        - image: "registry.example.com/web:1.0" # pinned
          name: web
# the settings
- apiVersion: v1
  kind: ConfigMap
  data: {n: 0x10}
functionConfig: # ours
"""

    def test_comments_and_order_survive(self) -> None:
        config = "".join(f"  {line}\n" for line in json.dumps(SET, indent=1).splitlines())
        done = answered(self.TEXT + config)
        lines = iter(done.text.splitlines())
        assert all(line in lines for line in self.TEXT.splitlines())  # each of them, in order
        assert containers(done.items[0]) == BOTH

    def sent_by_kpt(
        self, *, ids: str = "      config.k8s.io/id: '2'\n", setter: str = " # kpt-set: web:${tag}"
    ) -> str:
        path = "      internal.config.kubernetes.io/path: 'web.yaml'\n"
        text = self.TEXT.replace("# the settings\n", "")  # kpt writes comments into the items
        return text.replace(path, path + ids).replace(" # pinned", setter)

    def test_setters_that_kpt_copies_are_told(self) -> None:
        done = answered(self.sent_by_kpt() + f"  {json.dumps(SET)}\n")
        assert done.code == 0
        assert done.reasons("warning") == ["SettersCopied"]
        [told] = [one for one in done.results if one["severity"] == "warning"]
        assert told["field"]["path"] == "spec.template.spec.containers[0]"
        assert containers(done.items[0]) == BOTH

    def test_setters_that_kpt_does_not_copy_are_not(self) -> None:
        after = {**SET["spec"]["containers"][0], "podInjectPolicy": "AfterAppContainer"}
        behind = {**SET, "spec": {**SET["spec"], "containers": [after]}}
        for text, sidecarset in (
            (self.sent_by_kpt(), behind),
            (self.sent_by_kpt(ids=""), SET),
            (self.sent_by_kpt(setter=""), SET),
            (self.sent_by_kpt(setter="").replace("{n: 0x10}", "{n: 0x10} # kpt-set: ${n}"), SET),
        ):
            assert not answered(text + f"  {json.dumps(sidecarset)}\n").reasons("warning")
        strange = self.sent_by_kpt().replace("- apiVersion", "# laid out otherwise\n- apiVersion")
        assert answered(strange + f"  {json.dumps(SET)}\n").code == 0

    def test_markers_and_comments_around_the_document_stay(self) -> None:
        done = answered("# before\n---\n" + self.TEXT.replace(" # ours", f" {json.dumps(SET)}"))
        assert done.text.startswith("# before\n---\n")

    def test_a_branch_that_is_written_anew_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def rewriting(document: Document, edits: Sequence[Edit]) -> EditedText:
            return edited_text(document, edits)._replace(rewritten=(("items", 1, "spec"),))

        monkeypatch.setattr(editing, "edited_text", rewriting)
        done = call([SET, WEB])
        assert done.reasons("warning") == ["BranchRewritten"]
        assert done.results[0]["field"]["path"] == "spec"
