"""Kinds that options and settings teach: several templates, wildcards, the object itself, numbers and labels."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.taught_kinds import parse_workloads, template_texts
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import UsageError
from sidecarctl.krm.function_config import read_function_config
from tests.cli.manifests import SET
from tests.cli.running import Ended, run
from tests.krm.calls import call

POD = "{metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: 'a:1'}]}}"
GAME = f"""\
apiVersion: example.com/v1
kind: Game
metadata: {{name: chess, namespace: shop}}
spec:
  size: 2
  lobby: {POD}
  rooms:
  - {{name: red, seats: 3, template: {POD}}}
  - {{name: blue, template: {POD}}}
  roles:
    Referee: {{template: {POD}}}
"""
PATHS = [
    "spec.lobby,replicas=spec.size",
    "spec.rooms[*].template,replicas=spec.rooms[*].seats",
    "spec.roles.*.template",
]
TAUGHT = [word for path in PATHS for word in ("--template-path", f"Game.example.com={path}")]
SETTINGS = """\
templatePaths:
  Game.example.com:
  - {path: spec.lobby, replicas: spec.size}
  - {path: "spec.rooms[*].template", replicas: "spec.rooms[*].seats"}
  - spec.roles.*.template
"""
NAMES = ["chess-00000", "chess-00001", "chess-blue-1-00000", "chess-red-1-00000", "chess-red-1-00001",
         "chess-red-1-00002", "chess-referee-2-00000"]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2") + "  updateStrategy: {maxUnavailable: 100%}\n")
    Path("game.yaml").write_text(GAME)
    return tmp_path


def inject(*words: str) -> Ended:
    return run("inject", "-s", "set.yaml", "game.yaml", *words)


def planned(*words: str) -> list[str]:
    ended = run("plan", "--from", "set.yaml", "new.yaml", "game.yaml", "-o", "json", *words)
    assert ended.code == 0, ended.stderr
    [plan] = json.loads(ended.stdout)["sidecarSets"]
    return sorted(pod["name"] for wave in plan["waves"] for pod in wave["pods"])


def test_every_path_of_a_kind_counts() -> None:
    ended = inject(*TAUGHT)
    assert ended.code == 0
    game = yaml.safe_load(ended.stdout)["spec"]
    templates = [game["lobby"], *(room["template"] for room in game["rooms"]), game["roles"]["Referee"]["template"]]
    assert all(len(template["spec"]["containers"]) == 2 for template in templates)
    assert planned(*TAUGHT) == NAMES


def test_a_file_teaches_the_same() -> None:
    by_option = inject(*TAUGHT).stdout
    Path(".sidecarctl.yaml").write_text(SETTINGS)
    assert inject().stdout == by_option
    assert planned() == NAMES
    config = "apiVersion: sidecarctl.dev/v1alpha1\nkind: SidecarInjection\nmetadata: {name: x}\nspec:\n  options:\n"
    Path("config.yaml").write_text(config + "".join(f"    {line}\n" for line in SETTINGS.splitlines()))
    assert inject("--no-config", "--config", "config.yaml").stdout == by_option


def test_a_config_map_teaches_the_same() -> None:
    by_option = inject(*TAUGHT).stdout
    said = "\n".join(
        f"Game.example.com={path}" for path in (*PATHS[:2], f"{PATHS[2]},label=example.com/role:{{key}}")
    )
    data = {"templatePaths": said, "sidecarSets": SET}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
    answered = call([yaml.safe_load(GAME)], config)
    [game] = [item for item in answered.items if item["kind"] == "Game"]
    assert game["spec"] == yaml.safe_load(by_option)["spec"]
    read = read_function_config(config, Reader())
    [taught] = read.reading.workloads
    assert [row.path for row in taught.templates] == [path.partition(",")[0] for path in PATHS]
    assert taught.templates[1].counts[0].fields[0].path == "spec.rooms[*].seats"
    assert taught.templates[2].labels == (("example.com/role", "{key}"),)


def test_the_object_itself() -> None:
    head = "apiVersion: example.com/v1\nkind: Game\nmetadata: {name: chess, labels: {app: web}}\n"
    Path("game.yaml").write_text(f"{head}spec: {{containers: [{{name: a, image: 'a:1'}}]}}\n")
    ended = inject("--template-path", "Game.example.com=.")
    assert len(yaml.safe_load(ended.stdout)["spec"]["containers"]) == 2
    assert planned("--template-path", "Game.example.com=.,replicas=2") == ["chess-00000", "chess-00001"]


def test_labels_that_the_controller_adds() -> None:
    labeled = SET.replace("app: web", "example.com/game: chess-red")
    Path("set.yaml").write_text(labeled)
    Path("new.yaml").write_text(labeled.replace("2.4.1", "2.4.2") + "  updateStrategy: {maxUnavailable: 100%}\n")
    path = "Game.example.com=spec.rooms[*].template,label=example.com/game:{name}-{key},replicas=2"
    assert planned("--template-path", path) == ["chess-red-00000", "chess-red-00001"]


@pytest.mark.parametrize(
    ("path", "place", "said"),
    [
        ("spec.template", "game.yaml:5:3", "(there is one at spec.lobby and spec.rooms[*].template and"),
        ("spec.rooms[5].template", "game.yaml:8:3", "there is no pod template at spec.rooms[5].template"),
    ],
)
def test_a_wrong_path_names_what_is_there(path: str, place: str, said: str) -> None:
    for words in (
        ["inject", "-s", "set.yaml", "game.yaml"],
        ["plan", "--from", "set.yaml", "new.yaml", "game.yaml"],
        ["explain", "-s", "set.yaml", "game.yaml"],
    ):
        ended = run(*words, "--template-path", f"Game.example.com={path}")
        assert ended.code == 2
        assert said in ended.stderr
        assert place in ended.stderr


def test_without_a_template_the_members_are_named() -> None:
    Path("game.yaml").write_text("apiVersion: example.com/v1\nkind: Game\nmetadata: {name: x}\nspec: {a: 1, b: 2}\n")
    assert "(spec has a, b)" in inject("--template-path", "Game.example.com=spec.template").stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Game=spec,replicas=a b", "is neither a number nor a path"),
        ("Game=spec,replicas=-1", "is neither a number nor a path"),
        ("Game=spec,replicas=1.5", "is neither a number nor a path"),
        ("Game=spec.t,replicas=spec.a[*].b", "the wildcards of replicas=spec.a[*].b are not those of the path"),
        ("Game=spec.t,label=a", "label=a is not label=KEY:VALUE"),
        ("Game=spec.t,label=a:{uid}", "VALUE may contain {name}"),
        ("Game=spec.t,size=3", "unknown part size=3"),
    ],
)
def test_what_cannot_be_meant(text: str, message: str) -> None:
    with pytest.raises(UsageError) as fault:
        parse_workloads([text])
    assert message in str(fault.value)


def test_values_of_a_file_are_texts_of_the_option() -> None:
    said = ["spec.a", {"path": "spec.b", "replicas": 2, "labels": {"x": "{name}"}}]
    assert template_texts("Game", said) == ["Game=spec.a", "Game=spec.b,replicas=2,label=x:{name}"]
