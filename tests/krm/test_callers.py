"""What kustomize and kpt need of the function: annotations, validators, comments, order."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecarctl.engine.documents.editing import document_edits as editing
from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.facts.values import Edit, Object
from tests.krm.calls import (
    SET,
    SETTINGS,
    WEB,
    answered,
    call,
    containers,
    from_kustomize,
    injection,
    text_of,
    with_annotations,
)

BOTH = ["log-agent", "web"]


class TestKustomize:
    def items(self) -> list[Object]:
        return [from_kustomize(item, number) for number, item in enumerate([SET, WEB, SETTINGS])]

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

    def test_a_validator_answers_with_items_if_none_has_the_id_of_kustomize(self) -> None:
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
    def test_a_validator_among_transformers_is_found_if_there_are_validators_too(
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
        assert "lists it under transformers" in done.lines[0]
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

    def test_setters_that_kpt_copies_are_reported(self) -> None:
        done = answered(self.sent_by_kpt() + f"  {json.dumps(SET)}\n")
        assert done.code == 0
        assert done.reasons("warning") == ["SettersCopied"]
        [told] = [result for result in done.results if result["severity"] == "warning"]
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

    def test_a_rewritten_branch_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def rewriting(document: Document, edits: Sequence[Edit]) -> EditedText:
            return edited_text(document, edits)._replace(rewritten=(("items", 1, "spec"),))

        monkeypatch.setattr(editing, "edited_text", rewriting)
        done = call([SET, WEB])
        assert done.reasons("warning") == ["BranchRewritten"]
        assert done.results[0]["field"]["path"] == "spec"
