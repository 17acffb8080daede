"""Pods in objects of kinds that no row names are reported once for each kind, and so is what refuses templates."""

import json
import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.files.peak_memory import peak_memory
from tests.krm import calls
from tests.krm.calls import call

POD = "{metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: 'a:1'}]}}"
WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: NAME}\nspec: {main: POD, more: [POD, POD]}\n"
WIDGETS = "---\n".join(WIDGET.replace("POD", POD).replace("NAME", name) for name in ("one", "two"))
TAUGHT = "--template-path Widget.example.com=spec.main --template-path 'Widget.example.com=spec.more[*]'"
LEFT_OUT = f"Widget example.com: 6 pod templates are left out, where no kind is known to have one (add {TAUGHT})"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("widgets.yaml").write_text(WIDGETS)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["inject", "-s", "set.yaml", "widgets.yaml", "web.yaml"],
        ["uninject", "-s", "set.yaml", "widgets.yaml", "web.yaml"],
        ["inject", "-s", "set.yaml", "--jobs", "2", "widgets.yaml", "web.yaml"],
        ["plan", "--from", "set.yaml", "new.yaml", "widgets.yaml", "web.yaml"],
        ["diff", "set.yaml", "new.yaml", "widgets.yaml", "web.yaml"],
        ["validate", "set.yaml", "widgets.yaml", "web.yaml"],
        ["explain", "-s", "set.yaml", "widgets.yaml", "web.yaml"],
    ],
)
def test_every_command_notices_them_once(words: list[str]) -> None:
    ended = run(*words)
    said = ended.stdout + ended.stderr
    assert said.count("[TemplateUnknown]") == 1
    assert LEFT_OUT in said
    assert "widgets.yaml:4" in said


def test_the_option_that_is_named_teaches_the_kind() -> None:
    ended = run("inject", "-s", "set.yaml", "widgets.yaml", *shlex.split(TAUGHT))
    assert "[TemplateUnknown]" not in ended.stderr
    for widget in yaml.safe_load_all(ended.stdout):
        for template in (widget["spec"]["main"], *widget["spec"]["more"]):
            assert [item["name"] for item in template["spec"]["containers"]] == ["log-agent", "a"]


def test_the_function_notices_them() -> None:
    widgets = list(yaml.safe_load_all(WIDGETS))
    answered = call([calls.WEB, *widgets], calls.SET)
    [noticed] = [item for item in answered.results if "Widget" in item["message"]]
    assert LEFT_OUT in noticed["message"]


@pytest.mark.parametrize(
    "manifest",
    [
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {template: POD}\n",
        "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: r}\ndata: {spec: {template: POD}}\n",
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: {rules: [{pattern: POD}]}\n",
        "apiVersion: example.com/v1\nkind: Widget\nspec: {patches: [POD]}\n",
        "apiVersion: example.com/v1\nkind: Widget\nstatus: {pod: POD}\n",
        "apiVersion: example.com/v1\nkind: Widget\nspec: {template: {spec: {containers: [{name: a}]}}}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {pod: 'POD'}\n",
    ],
)
def test_what_only_looks_like_one(manifest: str) -> None:
    Path("other.yaml").write_text(manifest.replace("'POD'", "x").replace("POD", POD))
    ended = run("inject", "-s", "set.yaml", "other.yaml", "web.yaml")
    assert "[TemplateUnknown]" not in ended.stderr


def test_a_kind_of_a_wrong_group_gets_a_hint_with_the_right_one() -> None:
    Path("web.yaml").write_text(DEPLOYMENT.replace("apps/v1", "example.com/v1"))
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert "Deployment example.com: 1 pod template is left out" in ended.stderr
    assert (
        "(Deployment is known of apps and extensions; else add --template-path Deployment.example.com=spec.template)"
        in ended.stderr
    )


def test_a_further_template_of_a_known_kind_is_noticed() -> None:
    more = "  canary: {template: {spec: {containers: [{name: a, image: 'a:1'}]}}}\n"
    Path("web.yaml").write_text(DEPLOYMENT + more)
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert "1 injected" in ended.stderr
    hint = "(add --template-path Deployment.apps=spec.template --template-path Deployment.apps=spec.canary.template)"
    assert hint in ended.stderr
    words = hint.removeprefix("(add ").removesuffix(")").split()
    assert run("inject", "-s", "set.yaml", "web.yaml", *words).stdout.count("injected-list") == 1


def test_a_pod_spec_without_a_template_is_noticed_too() -> None:
    Path("other.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Widget\nspec: {pod: {containers: [{name: a, image: 'a:1'}]}}\n"
    )
    ended = run("inject", "-s", "set.yaml", "other.yaml", "web.yaml")
    assert "Widget example.com: 1 pod spec is left out: no template is around spec.pod" in ended.stderr


@pytest.mark.parametrize(
    ("kind", "operator"),
    [
        ("argoproj.io/v1alpha1 Workflow", "Argo Workflows"), ("tekton.dev/v1 TaskRun", "Tekton"),
        ("kubevirt.io/v1 VirtualMachine", "KubeVirt"), ("kafka.strimzi.io/v1 Kafka", "Strimzi"),
    ],
)  # a table, a case a line  # fmt: skip
def test_pods_that_an_operator_makes(kind: str, operator: str) -> None:
    version, name = kind.split()
    Path("one.yaml").write_text(f"apiVersion: {version}\nkind: {name}\nmetadata: {{name: x}}\nspec: {{}}\n")
    ended = run("inject", "-s", "set.yaml", "one.yaml", "web.yaml")
    assert ended.stderr.count("[MadeByOperator]") == 1
    assert f"{operator} makes these pods itself, so that nothing is injected here" in ended.stderr


def test_the_rollout_of_kruise_is_not_a_workload() -> None:
    text = (
        "apiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata: {name: web}\n"
        "spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}}\n"
    )
    Path("one.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "one.yaml", "web.yaml")
    assert ended.code == 0
    assert "Unknown" not in ended.stderr


KNATIVE = f"apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {{name: hello}}\nspec: {{template: {POD}}}\n"


def test_a_controller_that_may_refuse_the_template_is_named() -> None:
    Path("one.yaml").write_text(KNATIVE)
    ended = run("inject", "-s", "set.yaml", "one.yaml")
    assert "Knative refuses init containers" in ended.stderr
    assert ended.stderr.count("[ControllerMayRefuse]") == 1
    again = run("explain", "-s", "set.yaml", "one.yaml", "-o", "json")
    [pod] = json.loads(again.stdout)["pods"]
    assert "ControllerMayRefuse" in json.dumps(pod)
    Path("set.yaml").write_text(SET.replace("app: web", "app: other"))
    assert "[ControllerMayRefuse]" not in run("inject", "-s", "set.yaml", "one.yaml").stderr


@pytest.mark.slow
def test_looking_for_pods_takes_no_memory(tmp_path: Path) -> None:
    text = json.dumps({"apiVersion": "example.com/v1", "kind": "Widget", "x": [[]] * 1_000_000})
    (tmp_path / "widget.json").write_text(text)
    assert peak_memory("inject", "-q", "-s", "set.yaml", "widget.json", cwd=tmp_path) < 45 * len(text)


def test_explain_says_why_there_is_nothing_to_explain(tmp_path: Path) -> None:
    head = "metadata: {name: x}\nspec: {templates: [{name: a, container: {image: x}}]}\n"
    (tmp_path / "workflow.yaml").write_text(f"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n{head}")
    (tmp_path / "set.yaml").write_text(SET)
    for words in ((), ("workflow/x",)):
        ended = run("explain", "-s", tmp_path / "set.yaml", tmp_path / "workflow.yaml", *words)
        assert ended.code == 2
        assert "Argo Workflows makes these pods itself" in ended.stderr


def test_containers_of_the_object_itself_are_noticed(tmp_path: Path) -> None:
    raw = "apiVersion: example.com/v1\nkind: Raw\nmetadata: {name: x}\ncontainers: [{name: a, image: 'a:1'}]\n"
    (tmp_path / "raw.yaml").write_text(raw)
    (tmp_path / "set.yaml").write_text(SET)
    ended = run("inject", "-s", tmp_path / "set.yaml", tmp_path / "raw.yaml")
    assert "Raw example.com: 1 pod spec is left out: no template is around the object itself" in ended.stderr
