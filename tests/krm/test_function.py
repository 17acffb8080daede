"""One call of the function: where its sets come from, what its modes and options do."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
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
        said = f"sets/nope.yaml: cannot be read: No such file or directory (paths are relative to {tmp_path})"
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
        assert "othr: SidecarSet not found" in done.results[0]["message"]

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

    @pytest.mark.parametrize("mode", ["inject", "check", "validate"])
    def test_nothing_is_injected_for_lack_of_namespaces(self, mode: str) -> None:
        selective = {**SET, "spec": {**SET["spec"], "namespaceSelector": {"matchLabels": {"env": "prod"}}}}
        failed = call([selective, WEB], injection(mode=mode))
        assert failed.code == 2
        assert failed.reasons("error") == ["NamespaceUnknown"]
        assert failed.items == [selective, WEB]
        assert call([selective, WEB], injection(mode=mode, options={"allowEmpty": True})).code == 0
        named: list[Object] = [injection(mode=mode, options={"namespaceLabels": {"shop": {"env": "prod"}}})]
        named.append(config_map(mode=mode, namespaceLabels="shop=env:prod lab=env:dev"))
        assert [call([selective, WEB], config).code for config in named] == [mode == "check"] * 2
        wrong = call([selective, WEB], injection(options={"namespaceLabels": {"Shop": {"env": "prod"}}}))
        assert (wrong.code, "spec.options.namespaceLabels" in str(wrong.results)) == (2, True)

    def test_no_set_is_an_error_unless_it_is_allowed(self) -> None:
        assert call([WEB]).reasons("error") == ["NoSidecarSet"]
        assert call([WEB], injection(options={"allowEmpty": True})).code == 0
        assert call([WEB], config_map(mode="uninject")).code == 0
