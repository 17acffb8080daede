"""Helm with the post-renderer, over the chart of samples/helm."""

from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.tools.running import ROOT, Ended, by_name, run

CHART = ROOT / "samples" / "helm" / "chart"
SETS = str(ROOT / "samples" / "helm" / "sidecarset.yaml")
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x, labels: {app: web}}
spec: {containers: [{name: w, image: "x:1"}]}
"""
RENDER = ("--post-renderer", "sidecarctl-post-render")


def rendered(home: Path, *words: str | Path, sets: str = SETS, **environ: str) -> Ended:
    """`helm template` with nothing of the user's own Helm."""
    own = dict.fromkeys(("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"), str(home))
    given = {"SIDECARCTL_SIDECARSETS": sets} if sets else {}
    return run("helm", "template", "one", *words, cwd=None, stdin="", **own, **given, **environ)


def test_the_chart_is_injected_but_not_its_hooks(tmp_path: Path) -> None:
    plain = rendered(tmp_path, CHART)
    done = rendered(tmp_path, CHART, *RENDER, "-n", "shop")
    assert (plain.code, done.code) == (0, 0), done.stderr
    objects = by_name(done.objects)
    assert objects.keys() == by_name(plain.objects).keys()
    assert sidecars(objects["Deployment", "one-web"]) == ["log-agent"]
    assert sidecars(objects["Job", "one-migrate"]) == []  # Helm 3 keeps hooks from post-renderers
    assert "see values.yaml" in done.stdout  # text that need not change stays, comments too


def test_jobs_of_hooks_are_injected_through_a_pipe(tmp_path: Path) -> None:
    plain = rendered(tmp_path, CHART)
    done = run("sidecarctl-post-render", stdin=plain.stdout, SIDECARCTL_SIDECARSETS=SETS)
    assert sidecars(by_name(done.objects)["Job", "one-migrate"]) == ["log-agent"]


def sidecars(workload: Object) -> list[str]:
    return [container["name"] for container in workload["spec"]["template"]["spec"].get("initContainers", ())]


def args(*words: str) -> list[str]:
    return [f"--post-renderer-args={word}" for word in words]


def test_the_annotation_survives_on_every_manifest() -> None:
    line = "postrenderer.helm.sh/postrender-filename: 'shop/templates/web.yaml'"
    text = "\n---\n".join(
        f"apiVersion: v1\nkind: {kind}\nmetadata:\n  annotations:\n    {line}\n  labels: {{app: web}}\n  name: x\n"
        + rest
        for kind, rest in (("Pod", "spec:\n  containers: [{name: web, image: x}]\n"), ("Service", "spec: {}\n"))
    )
    done = run("sidecarctl-post-render", stdin=text, SIDECARCTL_SIDECARSETS=SETS)
    assert done.code == 0, done.stderr
    assert done.stdout.count(line) == 2
    assert "log-agent" in done.stdout


def test_an_empty_chart_is_no_error(tmp_path: Path) -> None:
    done = rendered(tmp_path, CHART, *RENDER, "--set", "enabled=false")
    assert done.code == 0, done.stderr
    assert done.objects in ([], [None])
    alone = run("sidecarctl-post-render", stdin="", SIDECARCTL_SIDECARSETS=SETS)
    assert (alone.code, alone.stdout) == (0, "# the chart renders nothing\n")


def test_sidecarsets_of_arguments_and_of_the_stream(tmp_path: Path) -> None:
    by_words = rendered(tmp_path, CHART, *RENDER, *args("-s", SETS), sets="")
    assert by_words.stdout == rendered(tmp_path, CHART, *RENDER).stdout
    plain = rendered(tmp_path, CHART)
    stream = f"{Path(SETS).read_text()}---\n{plain.stdout}"
    done = run("sidecarctl-post-render", stdin=stream)
    assert "name: log-agent" in done.stdout.partition("kind: Deployment")[2]


@pytest.mark.parametrize("variable", ["HELM_NAMESPACE", "SIDECARCTL_NAMESPACE"])
def test_the_namespace_of_what_names_none(tmp_path: Path, variable: str) -> None:
    bound = "spec:\n  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: cart}}\n"
    (tmp_path / "set.yaml").write_text(Path(SETS).read_text().replace("spec:\n", bound, 1))
    given = ("-s", str(tmp_path / "set.yaml"))
    assert "log-agent" not in run("sidecarctl-post-render", *given, stdin=POD).stdout
    named = {variable: "cart"}
    assert "log-agent" in run("sidecarctl-post-render", *given, cwd=None, stdin=POD, **named).stdout


def test_unknown_labels_of_the_namespace_stop_helm_as_they_stop_inject(tmp_path: Path) -> None:
    bound = "spec:\n  namespaceSelector: {matchLabels: {mesh: enabled}}\n"
    sets = tmp_path / "set.yaml"
    sets.write_text(Path(SETS).read_text().replace("spec:\n", bound, 1))
    done = rendered(tmp_path, CHART, *RENDER, "-n", "shop", sets=str(sets))
    assert (done.code != 0, done.stdout) == (True, "")
    assert "labels of namespace shop are not known (add the Namespaces with -s, or their labels" in done.stderr
    chart = rendered(tmp_path, CHART, "-n", "shop").stdout
    words = ("-n", "shop", "-s", str(sets))
    asked = run("sidecarctl-post-render", *words, stdin=chart)
    assert (asked.code, run("sidecarctl", "inject", *words, "-", stdin=chart).code) == (2, 2)
    assert run("sidecarctl-post-render", *words, "--allow-empty", stdin=chart).code == 0
    known = run("sidecarctl-post-render", *words, "--namespace-labels", "shop=mesh:enabled", stdin=chart)
    assert (known.code, "log-agent" in known.stdout) == (0, True)


def test_what_fails_stops_helm(tmp_path: Path) -> None:
    done = rendered(tmp_path, CHART, *RENDER, sets=str(tmp_path / "nothing.yaml"))
    assert done.code != 0
    assert done.stdout == ""
    assert "nothing.yaml: cannot be read" in done.stderr


def test_help() -> None:
    assert "--post-renderer sidecarctl-post-render" in run("sidecarctl-post-render", "--help").stdout
