"""Namespaces that no input has: their labels on the command line, and what fails without them."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

SELECTIVE = SET.replace("spec:\n", "spec:\n  namespaceSelector: {matchLabels: {env: prod}}\n", 1)
WEB = DEPLOYMENT
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {env: %s}}\n"
NOTHING = "nothing is injected, because the labels of namespace shop are not known"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SELECTIVE)
    Path("web.yaml").write_text(WEB)
    return tmp_path


def inject(*options: str) -> Ended:
    return run("inject", "-s", "set.yaml", "web.yaml", *options)


def test_a_run_that_injects_nothing_for_lack_of_namespaces_fails() -> None:
    for options in ((), ("--check",), ("-d", "out"), ("-o", "json")):
        ended = inject(*options)
        assert (ended.code, ended.stdout) == (2, "")
        assert NOTHING in ended.stderr
    assert not Path("out").exists()
    assert inject("--allow-empty").stdout == WEB


def test_a_run_that_injects_something_continues_and_warns() -> None:
    Path("web.yaml").write_text(f"{WEB}---\n{WEB.replace('namespace: shop', 'namespace: lab')}")
    ended = inject("--namespace-labels", "lab=env:prod")
    assert ended.code == 0
    assert ended.stdout.count("log-agent") > 0
    assert "[NamespaceUnknown]" in ended.stderr


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (["shop=env:prod,tier:gold"], 1),
        (["shop=tier:gold", "shop=env:prod"], 1),
        (["shop=env:dev"], 0),
        (["shop="], 0),
        (["shop"], 0),
    ],
)
def test_labels_of_a_namespace_decide(labels: list[str], number: int) -> None:
    ended = inject("--check", *(f"--namespace-labels={text}" for text in labels))
    assert f"{number} to inject" in ended.stderr
    assert "[NamespaceUnknown]" not in ended.stderr


def test_every_command_that_needs_namespaces_takes_them() -> None:
    options = ("--namespace-labels", "shop=env:prod")
    planned = run("plan", "set.yaml", "web.yaml", "--from", "set.yaml", *options)
    assert "2 matched (made from workloads)" in planned.stdout
    assert "sidecars are injected" in run("explain", "-s", "set.yaml", "web.yaml", *options).stdout
    assert "[selector-matches-nothing]" in run("validate", "set.yaml", "web.yaml").stdout
    assert "[selector-matches-nothing]" not in run("validate", "set.yaml", "web.yaml", *options).stdout
    changed = run("diff", "set.yaml", "set.yaml", "web.yaml", *options)
    assert "[NamespaceUnknown]" not in changed.stdout + changed.stderr


@pytest.mark.parametrize("text", ["shop=env", "shop=env=prod", "Shop=env:prod", "shop=env:no good", "=env:prod"])
def test_another_form_is_refused(text: str) -> None:
    ended = inject("--namespace-labels", text)
    assert (ended.code, ended.stdout) == (2, "")
    assert f"error: --namespace-labels {text}: " in ended.stderr
    assert "is not of the form NAMESPACE=KEY:VALUE,KEY:VALUE" in ended.stderr


def test_a_namespace_among_the_inputs_must_not_say_otherwise() -> None:
    Path("ns.yaml").write_text(NAMESPACE % "dev")
    ended = inject("-s", "ns.yaml", "--namespace-labels", "shop=env:prod")
    assert (ended.code, ended.stdout) == (2, "")
    place = "error: ns.yaml:3:32: Namespace shop: metadata.labels: "
    assert f'{place}the label env of Namespace shop is "dev", but --namespace-labels says "prod"' in ended.stderr
    Path("ns.yaml").write_text(NAMESPACE % "prod")
    assert inject("-s", "ns.yaml", "--namespace-labels", "shop=env:prod").code == 0


@pytest.mark.parametrize("words", [("inject", "-s"), ("plan", "--from", "set.yaml"), ("status",)])
def test_namespaces_that_are_left_out_anyway_need_no_labels(words: tuple[str, ...]) -> None:
    Path("web.yaml").write_text(WEB.replace("namespace: shop", "namespace: kube-system"))
    ended = run(*words, "set.yaml", "web.yaml")
    assert "NamespaceUnknown" not in ended.stdout + ended.stderr
    assert "nothing is injected, because" not in ended.stderr
    old = run(*words, "set.yaml", "web.yaml", "--kruise", "1.2", "--allow-unknown")
    assert "NamespaceUnknown" not in old.stdout + old.stderr
