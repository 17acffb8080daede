"""A label of a Namespace that goes takes the sidecars of its workloads: said in every format, with the line."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    mesh: 'on'\n    team: a\n"
SELECTING = SET.replace("spec:\n", "spec:\n  namespaceSelector:\n    matchLabels: {mesh: 'on'}\n", 1)
CAUSE = "label mesh of Namespace shop: on → off"
PLACE = "new/namespace.yaml:6:11"
HEADLINE = "1 of 1 SidecarSet is no longer injected into 20 pods of 10 workloads"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for tree, namespace in (("old", NAMESPACE), ("new", NAMESPACE.replace("'on'", "'off'"))):
        Path(tree).mkdir()
        Path(tree, "set.yaml").write_text(SELECTING)
        Path(tree, "namespace.yaml").write_text(namespace)
        for number in range(10):
            workload = DEPLOYMENT.replace("name: web\n  namespace", f"name: web{number}\n  namespace")
            Path(tree, f"web{number}.yaml").write_text(workload)
    return tmp_path


def diff(*options: str) -> Ended:
    return run("diff", "--before", "old", "--after", "new", *options)


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "yaml"])
def test_every_document_has_the_verdict_the_finding_and_the_cause(form: str) -> None:
    ended = diff("-o", form)
    assert ended.code == 1
    said = ended.stdout.replace("&#8594;", "→")
    assert "SidecarLost" in said
    assert CAUSE in said
    if form in ("json", "yaml"):
        lost = yaml.safe_load(said)["sidecarSets"][0]["lost"][0]
        assert ":".join(str(lost[key]) for key in ("file", "line", "column")) == PLACE
    else:
        assert PLACE in said
    if form in ("markdown", "html"):
        assert HEADLINE in said


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"])
def test_every_report_has_the_finding_at_the_line(form: str) -> None:
    ended = diff("-o", "json=diff.json", "--report", f"{form}=report")
    report = Path("report").read_text().replace("&#8594;", "→")
    if form in ("json", "sarif", "gitlab"):
        report = json.dumps(json.loads(report), ensure_ascii=False)
    assert ended.code == 1
    assert "SidecarLost" in report
    assert CAUSE in report
    assert "new/namespace.yaml" in report


def test_the_finding_is_an_error_at_the_label() -> None:
    ended = diff("-o", "json")
    assert ended.stderr == ""
    (finding,) = json.loads(ended.stdout)["findings"]
    assert (finding["severity"], finding["reason"]) == ("error", "SidecarLost")
    assert (finding["file"], finding["line"], finding["column"]) == ("new/namespace.yaml", 6, 11)


def test_stderr_says_why_the_command_fails_if_stdout_does_not() -> None:
    ended = diff("-o", "markdown=comment.md")
    assert ended.stderr.startswith("error: new/namespace.yaml:6:11: SidecarSet logs: 20 pods of 10 workloads (")


def test_the_way_back_is_no_failure() -> None:
    ended = run("diff", "--before", "new", "--after", "old", "-o", "markdown")
    assert ended.code == 0
    assert "injected into 20 pods of 10 workloads" in ended.stdout
    assert "label mesh of Namespace shop: off" in ended.stdout


PRIORITY = "\n    env: [{name: KRUISE_CONTAINER_PRIORITY, value: '%s'}]\n"


def test_pods_that_kruise_would_refuse_lose_their_sidecars() -> None:
    Path("old", "namespace.yaml").unlink()
    Path("new", "namespace.yaml").unlink()
    for tree, priority in (("old", "5"), ("new", "high")):
        line = SET.rstrip().splitlines()[-1]
        assert line.strip().startswith("image:")
        Path(tree, "set.yaml").write_text(SET.rstrip() + PRIORITY % priority)
    refusal = (
        'Kruise rejects the pod: strconv.Atoi: parsing "high": invalid syntax, '
        "in env[0] of container log-agent of SidecarSet logs"
    )
    ended = diff()
    assert ended.code == 1
    assert "SidecarLost: 20 pods of 10 workloads" in ended.stdout
    assert f"no longer get its sidecars: {refusal} (new/set.yaml:" in ended.stdout
    assert "20 pods in 10 workloads: 20 no longer injected" in ended.stdout
    back = run("diff", "--before", "new", "--after", "old")
    assert f"newly get its sidecars: before, {refusal}" in back.stdout
    pods = run("diff", "old/set.yaml", "new/set.yaml", "new/web0.yaml")
    assert "SidecarLost: 2 pods of 1 workload (Deployment shop/web0) no longer get its sidecars" in pods.stdout
    same = run("diff", "--before", "new", "--after", "new")
    assert "SidecarLost" not in same.stdout


POLICY = (
    "\n    resourcesPolicy: "
    "{targetContainersMode: sum, targetContainersNameRegex: '%s', resourcesExpr: {limits: {cpu: cpu*50%%}}}\n"
)


def test_pods_that_a_resources_policy_refuses_lose_their_sidecars() -> None:
    for tree, regex in (("old", ".*"), ("new", "^db$")):
        Path(tree, "set.yaml").write_text(SET.rstrip() + POLICY % regex)
    ended = run("diff", "old/set.yaml", "new/set.yaml", "new/web0.yaml")
    refusal = 'Kruise rejects the pod: no container of the pod matches the pattern "^db$" (new/set.yaml:'
    assert (
        f"SidecarLost: 2 pods of 1 workload (Deployment shop/web0) no longer get its sidecars: {refusal}"
        in ended.stdout
    )
    assert run("inject", "-s", "new/set.yaml", "new/web0.yaml").code == 3
    neither = run("diff", "new/set.yaml", "new/set.yaml", "new/web0.yaml")
    assert "injected before and after" not in neither.stdout


@pytest.mark.parametrize(("line", "values"), [(PRIORITY, ("5", "high")), (POLICY, (".*", "^db$"))])
def test_running_pods_that_could_not_be_created_again_are_reported(line: str, values: tuple[str, str]) -> None:
    for tree, value in zip(("old", "new"), values, strict=True):
        Path(tree, "set.yaml").write_text(SET.rstrip() + line % value)
    Path("pods.json").write_text(json.dumps(pod(labels={"app": "web"})))
    ended = run("diff", "old/set.yaml", "new/set.yaml", "pods.json")
    assert "running pods stay, and pods that replace them cannot be created" in ended.stdout
