"""JSON as people and tools write it: tabs, comments."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import run

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "web", "image": "a:1"}]},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    return tmp_path


@pytest.mark.parametrize("indent", ["\t", "\t\t", 1, 3])
def test_what_is_inserted_is_indented_as_its_surroundings(indent: str | int) -> None:
    text = json.dumps(POD, indent=indent) + "\n"
    Path("pod.json").write_text(text)
    ended = run("inject", "-s", "set.yaml", "pod.json")
    containers = ended.stdout[ended.stdout.index('"spec"') :]
    assert containers == json.dumps({"spec": json.loads(ended.stdout)["spec"]}, indent=indent)[1:].lstrip() + "\n"
    Path("pod.json").write_text(ended.stdout)
    assert run("uninject", "-s", "set.yaml", "pod.json").stdout == text


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "Pod", // note\n "metadata": {"name": "p"}}\n',
        '{"apiVersion": "v1",// note\n "kind": "Pod", "metadata": {"name": "p"}}\n',
        '{\n// note\n"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}\n',
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"} /* note */, "spec": {}}\n',
        '{"apiVersion": "v1", "kind": "Pod", # see // there\n "metadata": {"name": "p"}}\n',
        '{ # note\n"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}\n',
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p#1"}} # note\n',
    ],
)
def test_comments_are_refused_as_kubectl_refuses_them(text: str) -> None:
    Path("pod.json").write_text(text)
    ended = run("inject", "-s", "set.yaml", "pod.json")
    assert (ended.code, ended.stdout) == (2, "")
    assert "comments are not allowed in JSON" in ended.stderr


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "Pod", # see // there\n "metadata": {name: "p"}}\n',
        '---\n{"apiVersion": "v1", "kind": "Pod", # note\n "metadata": {"name": "p"}}\n',
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": \'a // b\'}}\n',
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a // b"},}\n',
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {url: http://a/b}}\n",
    ],
)
def test_flow_style_of_yaml_is_not_json_with_comments(text: str) -> None:
    Path("pod.yaml").write_text(text)
    assert "comments" not in run("inject", "-s", "set.yaml", "pod.yaml").stderr


def test_long_quotes_are_cut() -> None:
    policy = {
        "targetContainersMode": "sum",
        "targetContainersNameRegex": ".*",
        "resourcesExpr": {"limits": {"cpu": "cpu + " * 2000 + "$"}},
    }
    Path("set.yaml").write_text(f"{SET}    resourcesPolicy: {json.dumps(policy)}\n")
    pod = POD | {"spec": {"containers": [{"name": "web", "image": "a:1", "resources": {"limits": {"cpu": "1"}}}]}}
    Path("pod.json").write_text(json.dumps(pod))
    ended = run("inject", "-s", "set.yaml", "pod.json")
    assert ended.code == 3
    assert "[resources-policy-expression]" in ended.stderr
    assert max(map(len, ended.stderr.splitlines())) < 400
