"""Lists within Lists, which kubectl takes apart."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs import objects
from sidecarctl.engine.inputs.pods import Gatherer
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run


def _list(*items: Object, kind: str = "List") -> Object:
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def _pod(name: str) -> Object:
    return {
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "a:1"}]},
    }


NESTED = _list(
    _list(yaml.safe_load(DEPLOYMENT), _list(_pod("a"), kind="PodList")), _list(), _pod("b") | {"kind": "Pod"}
)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_objects_at_any_depth_are_injected(tmp_path: Path, form: str) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    text = json.dumps(NESTED) if form == "json" else yaml.safe_dump(NESTED)
    path = tmp_path / f"all.{form}"
    path.write_text(text)
    ended = run("inject", "-v", "-s", tmp_path / "set.yaml", path)
    assert (ended.code, ended.stdout.count("registry.example.com/log-agent:2.4.1")) == (0, 3)
    assert ended.stderr.endswith("3 injected\n")
    path.write_text(ended.stdout)
    assert run("uninject", "-s", tmp_path / "set.yaml", path).stdout == text


def test_sets_within_them_decide(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(_list(_list(yaml.safe_load(SET)))))
    assert run("hash", tmp_path / "set.yaml").stdout.startswith("logs  ")


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_list_that_is_read_item_by_item(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "LONG", 10)
    inner = _list(_pod("a"), kind="PodList")
    outer = _list(inner, {**_pod("b"), "kind": "Pod", "apiVersion": "v1"})
    text = json.dumps(outer) if form == "json" else yaml.safe_dump(outer, sort_keys=False)
    found = Gatherer(Reader()).gathered("all", lambda: [text.encode()])
    assert [pod["metadata"]["name"] for pod in found.pods] == ["a", "b"]


def test_json_patches_of_aliases(tmp_path: Path) -> None:
    """An alias is the same object as its anchor to whoever reads it."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "a:1"}]}}
    item, other = (
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"template": template}}
        for name in ("one", "other")
    )
    (tmp_path / "set.yaml").write_text(SET)
    text = yaml.safe_dump(_list(item, other))
    assert "*id001" in text
    (tmp_path / "apps.yaml").write_text(text)
    ended = run("inject", "-s", tmp_path / "set.yaml", tmp_path / "apps.yaml", "-o", "jsonpatch")
    assert ended.code == 0, ended.stderr
    assert len(json.loads(ended.stdout)) == 2
