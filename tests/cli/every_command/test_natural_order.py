"""Names are listed as people look for them, s2 before s10, by every command that lists several SidecarSets."""

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset

NAMES = [f"s{number}" for number in range(1, 13)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for tag in ("1", "2"):
        items = [
            {
                "apiVersion": "apps.kruise.io/v1beta1",
                "kind": "SidecarSet",
                "metadata": {"name": name},
                "spec": {
                    "selector": {"matchLabels": {"app": "web"}},
                    "injectionStrategy": {"paused": name != "s1"},
                    "containers": [{"name": name, "image": f"agent:{tag}"}],
                },
            }
            for name in reversed(NAMES)
        ]
        Path(f"sets-{tag}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": template}}
    Path("web.json").write_text(json.dumps(web))


def listed(found: list[dict[str, str]], key: str = "name") -> list[str]:
    return list(dict.fromkeys(item[key] for item in found))


@pytest.mark.parametrize(
    "words",
    [
        ("diff", "sets-1.json", "sets-2.json", "web.json"),
        ("plan", "sets-2.json", "web.json", "--from", "sets-1.json"),
        ("status", "sets-2.json", "web.json"),
        ("revisions", "list", "sets-2.json"),
        ("diff", "--kruise-from", "1.7", "--kruise-to", "1.9", "sets-1.json"),
    ],
)
def test_sidecarsets_are_listed_naturally(words: tuple[str, ...]) -> None:
    ended = run(*words, "-o", "json", "--report", "json=report.json")
    assert listed(json.loads(ended.stdout)["sidecarSets"]) == NAMES
    subjects = [item["object"]["name"] for item in json.loads(Path("report.json").read_text())["findings"]]
    named = list(dict.fromkeys(name for name in subjects if name in NAMES))
    assert named == [name for name in NAMES if name in named]


def test_hashes_and_suggestions_too() -> None:
    assert [line.split()[0] for line in run("hash", "sets-1.json").stdout.splitlines()] == NAMES
    assert ", ".join(NAMES) in run("plan", "sets-1.json", "--only", "other").stderr


def test_explain_too_for_sets_that_apply_and_for_others() -> None:
    ended = run("explain", "-s", "sets-1.json", "web.json", "-o", "json")
    (pod,) = json.loads(ended.stdout)["pods"]
    assert listed(pod["sidecarSets"]) == NAMES
    text = run("explain", "-s", "sets-1.json", "web.json").stdout
    assert "11 others, InjectionPaused: " in text
    assert "(s2, s3, s4, s5, s6 and 6 more; --all explains each)" in text
    unfolded = run("explain", "-s", "sets-1.json", "web.json", "--all").stdout
    said = [line.split("─ ")[1].split(":")[0] for line in unfolded.splitlines() if line.startswith("├─ s")]
    assert said == NAMES


def test_pods_too() -> None:
    pods = [pod(f"p{number}") for number in (1, 10, 2)]
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    Path("set.json").write_text(json.dumps(sidecarset("2").manifest))
    text = run("status", "set.json", "pods.json").stdout
    assert text.index("shop/p2") < text.index("shop/p10")
