"""`--render` of Applications of Argo CD and of Flux objects, by the real kustomize and Helm."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.inputs.repositories import CHART, git
from tests.tools.running import PATH, need
from tests.tools.test_rendering import BARE, TEMPLATE, make

pytestmark = pytest.mark.slow
OURS = "https://git.example.com/acme/shop.git"


def application(name: str, source: str, more: str = "") -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\n"
        f"spec:\n  destination: {{namespace: {name}}}\n  source: {{repoURL: {OURS}, {source}}}\n{more}"
    )


ROOT = application("root", "path: platform/apps")
APPS = {
    "platform/apps/plain.yaml": application("plain", "path: apps/plain"),
    "platform/apps/overlay.yaml": application("overlay", 'path: apps/overlay, kustomize: {images: ["web=web:2"]}'),
    "platform/apps/chart.yaml": application(
        "chart",
        "path: charts/api, helm: {releaseName: api, valuesObject: {app: web}, "
        "parameters: [{name: image, value: 'api:1'}]}",
    ),
    "platform/apps/other.yaml": application("other", "path: x").replace("acme/shop", "acme/other"),
    "platform/apps/sets.yaml": """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: regions}
spec:
  generators: [{list: {elements: [{region: eu}, {region: us}]}}]
  template:
    metadata: {name: "web-{{region}}"}
    spec:
      source: {repoURL: https://git.example.com/acme/shop.git, path: apps/plain}
      destination: {namespace: "web-{{region}}"}
""",
}
FLUX = {
    "flux/repository.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: shop}\n"
    f"spec: {{url: {OURS}}}\n",
    "flux/overlay.yaml": """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: overlay}
spec: {path: ./apps/overlay, targetNamespace: pay, prune: true, sourceRef: {kind: GitRepository, name: shop}}
""",
    "flux/values.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values, namespace: pay}\n"
    'data: {values.yaml: "app: web\\nimage: api:1\\n"}\n',
    "flux/api.yaml": """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: api, namespace: pay}
spec:
  chart: {spec: {chart: charts/api, sourceRef: {kind: GitRepository, name: shop}}}
  valuesFrom: [{kind: ConfigMap, name: values}]
""",
}
FILES = {
    ".sidecarctl.yaml": "sidecarsets: [sets]\npaths: [sets]\nrender: [{argocd: platform/root}]\n",
    "sets/logs.yaml": SET,
    "platform/root/root.yaml": ROOT,
    "apps/plain/web.yaml": BARE,
    "apps/overlay/web.yaml": DEPLOYMENT,
    "apps/overlay/kustomization.yaml": "resources: [web.yaml]\nimages: [{name: web, newTag: '1'}]\n",
    "charts/api/Chart.yaml": CHART,
    "charts/api/templates/api.yaml": TEMPLATE,
    **APPS,
    **FLUX,
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for tool in ("kustomize", "helm"):
        need(tool)
    monkeypatch.setenv("PATH", PATH)
    monkeypatch.chdir(make(tmp_path, FILES))
    for words in (["init", "-q"], ["remote", "add", "origin", OURS], ["add", "-A"], ["commit", "-qm", "all"]):
        git(tmp_path, *words)
    return tmp_path


def diff() -> Ended:
    return run("diff", "--before", "git:HEAD", "--render")


def workloads(ended: Ended) -> list[str]:
    return sorted(
        line.partition(" Deployment ")[2].split()[0] for line in ended.stderr.splitlines() if " Deployment " in line
    )


def test_an_app_of_apps_with_every_kind_of_source() -> None:
    ended = run("inject", "--check", "--render")
    assert workloads(ended) == ["chart/api", "plain/web", "shop/web", "web-eu/web", "web-us/web"]
    assert "apps/plain by Application web-eu (from apps/plain/web.yaml) Deployment web-eu/web" in ended.stderr
    assert f"not in this repository: Application other ({OURS.replace('shop', 'other')})" in ended.stderr


def test_a_change_is_found_in_the_applications_that_deploy_it() -> None:
    make(Path(), {"apps/plain/web.yaml": BARE.replace("labels: {app: web}", "labels: {app: api}")})
    ended = diff()
    assert ended.code == 1
    assert "SidecarLost: 6 pods of 3 workloads" in ended.stdout
    make(
        Path(), {"apps/plain/web.yaml": BARE, "platform/apps/plain.yaml": application("plain", "path: apps/overlay")}
    )
    assert "Deployment plain/web: removed" in diff().stdout


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "path: apps/plain, plugin: {name: a}",
            "spec.source.plugin is not supported, so nothing is rendered without it",
        ),
        ("path: apps/plain, directory: {jsonnet: {libs: [a]}}", "spec.source.directory.jsonnet is not supported"),
        ("path: charts/api, helm: {fileParameters: [{name: a}]}", "spec.source.helm.fileParameters is not supported"),
        ("path: charts/api, helm: {valueFiles: ['https://example.com/a']}", "is remote, and nothing is fetched"),
        ("path: apps/none", "there is no folder apps/none"),
    ],
)
def test_what_is_not_supported_is_an_error_of_the_application(source: str, said: str) -> None:
    make(Path(), {"platform/apps/plain.yaml": application("plain", source)})
    ended = diff()
    assert ended.code == 2
    assert f"error: Application plain: {said}" in ended.stderr or said in ended.stderr
    assert "workloads:" in ended.stdout


def test_values_of_another_source_and_the_changes_of_an_overlay() -> None:
    sources = f"  sources:\n  - {{repoURL: {OURS}, ref: own}}\n  - {{repoURL: {OURS}, path: charts/api, "
    sources += "helm: {valueFiles: [$own/apps/values.yaml]}}\n"
    text = application("chart", "path: x").partition("  source:")[0] + sources
    patch = """[{"op": "replace", "path": "/spec/template/metadata/labels/app", "value": "x"}]"""
    kustomize = f"kustomize: {{namespace: pay, patches: [{{patch: '{patch}', target: {{kind: Deployment}}}}]}}"
    patched = application("overlay", f"path: apps/overlay, {kustomize}")
    make(Path(), {"platform/apps/chart.yaml": text, "apps/values.yaml": "app: api\nimage: api:2\n"})
    make(Path(), {"platform/apps/overlay.yaml": patched})
    ended = run("inject", "--check", "--render")
    assert "chart/chart" in workloads(ended)
    assert "pay/web" in workloads(ended)
    assert ended.stderr.count("skipped ") == 2


def test_flux() -> None:
    make(Path(), {".sidecarctl.yaml": "sidecarsets: [sets]\npaths: [sets]\nrender: [{flux: flux}]\n"})
    ended = run("inject", "--check", "--render")
    assert workloads(ended) == ["pay/api", "pay/web"]
    listed = run("validate", "--render", "--list").stdout.splitlines()
    assert listed == [
        "helm charts/api, by HelmRelease api, release api, namespace pay",
        "kustomize apps/overlay, by Kustomization overlay, namespace pay",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            "overlay",
            "prune: true",
            "postBuild: {substituteFrom: [{kind: Secret, name: vars}]}",
            "spec.postBuild.substituteFrom: Secret vars is not in this repository",
        ),
        ("overlay", "prune: true", "postBuild: {other: {a: b}}", "spec.postBuild.other is not supported"),
        (
            "api",
            "  valuesFrom:",
            "  postRenderers: [{kustomize: {patchesJson6902: [{patch: a}]}}]\n  valuesFrom:",
            "spec.postRenderers.kustomize.patchesJson6902 is not supported",
        ),
        (
            "api",
            "  valuesFrom:",
            "  postRenderers: [{kustomize: {}}, {kustomize: {}}]\n  valuesFrom:",
            "spec.postRenderers: several are not supported",
        ),
        ("api", "kind: ConfigMap", "kind: Secret", "spec.valuesFrom: Secret values is not in this repository"),
    ],
)
def test_what_flux_does_beyond_that_is_an_error(name: str, old: str, new: str, said: str) -> None:
    make(Path(), {".sidecarctl.yaml": "sidecarsets: [sets]\npaths: [sets]\nrender: [{flux: flux}]\n"})
    make(Path(), {f"flux/{name}.yaml": FLUX[f"flux/{name}.yaml"].replace(old, new)})
    ended = run("inject", "--check", "--render")
    assert (ended.code, said in ended.stderr) == (2, True)
    assert len(workloads(ended)) == 1


def test_flux_puts_variables_into_what_it_deploys() -> None:
    spec = "postBuild: {substitute: {app: web}, substituteFrom: [{kind: ConfigMap, name: vars}, "
    spec += "{kind: ConfigMap, name: none, optional: true}]}"
    web = DEPLOYMENT.replace("{app: web}", "{app: '${app}', tier: '${tier:=front}', zone: '${zone}', odd: '$${odd}'}")
    plain = FLUX["flux/overlay.yaml"].replace("overlay", "plain").replace("prune: true", spec)
    files = {
        ".sidecarctl.yaml": "sidecarsets: [sets]\npaths: [sets]\nrender: [{flux: flux}]\n",
        "flux/overlay.yaml": FLUX["flux/overlay.yaml"].replace("prune: true", spec),
        "flux/plain.yaml": plain.replace("pay", "plain"),
        "flux/vars.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars}\ndata: {app: api, zone: z1}\n",
        "apps/overlay/web.yaml": web,
        "apps/plain/web.yaml": web.replace("name: web", "name: plain", 1),
    }
    make(Path(), files)
    ended = run("inject", "--check", "--render")
    assert workloads(ended) == ["pay/api", "pay/web", "plain/plain"]
    made = run("inject", "--render", "-o", "yaml", "-q").stdout
    assert made.count("tier: front") + made.count("tier: 'front'") == 2, made
    assert made.count("z1") == 2
    assert made.count("'${odd}'") + made.count(": ${odd}") == 2
    make(Path(), {"apps/plain/web.yaml": web.replace("${zone}", "${zone^^}")})
    ended = run("inject", "--check", "--render")
    assert (ended.code, workloads(ended)) == (2, ["pay/api", "pay/web"])
    assert "spec.postBuild: ${zone^^} is more than a name and a default" in ended.stderr


def test_flux_changes_what_helm_renders() -> None:
    patch = "kustomize: {images: [{name: api, newTag: '2'}], patches: [{target: {kind: Deployment}, patch: "
    patch += """'[{"op": "replace", "path": "/spec/template/metadata/labels/app", "value": "x"}]'}]}"""
    make(Path(), {".sidecarctl.yaml": "sidecarsets: [sets]\npaths: [sets]\nrender: [{flux: flux}]\n"})
    git(Path.cwd(), "commit", "-qam", "flux")
    release = FLUX["flux/api.yaml"].replace("  valuesFrom:", f"  postRenderers: [{{{patch}}}]\n  valuesFrom:")
    make(Path(), {"flux/api.yaml": release})
    ended = diff()
    assert ended.code == 1, ended.stderr
    assert "charts/api by HelmRelease api (from charts/api/templates/api.yaml)" in ended.stdout + ended.stderr
    assert "Deployment pay/api" in ended.stdout
    assert "api:2" in run("inject", "--render", "-o", "yaml", "-q").stdout


def generated(generator: str, template: str = "path: '{{path}}'") -> str:
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: made}\nspec:\n"
        f"  generators: [{{git: {{repoURL: {OURS}, {generator}}}}}]\n  template:\n"
        "    metadata: {name: '{{path.basename}}'}\n"
        f"    spec:\n      destination: {{namespace: 'in-{{{{path.basename}}}}'}}\n"
        f"      source: {{repoURL: {OURS}, {template}}}\n"
    )


@pytest.mark.parametrize(
    ("generator", "found"),
    [
        ("directories: [{path: apps/*}]", ["in-plain/web", "shop/web"]),
        ("directories: [{path: apps/*}, {path: apps/overlay, exclude: true}]", ["in-plain/web"]),
        ("files: [{path: apps/plain/config.json}]", ["in-plain/web"]),
        ("files: [{path: apps/**/config.json}]", ["in-deep/deep", "in-plain/web"]),
        ("files: [{path: apps/**/settings.yaml}]", ["in-plain/web"]),
    ],
)
def test_git_generators_find_folders_and_files(generator: str, found: list[str]) -> None:
    files = {
        "platform/root/root.yaml": generated(generator),
        "apps/plain/config.json": '{"team": {"name": "shop"}}',
        "apps/plain/settings.yaml": "team: {name: shop}\n",
        "apps/deep/er/deep/config.json": '{"team": {"name": "pay"}}',
        "apps/deep/er/deep/web.yaml": BARE.replace("name: web", "name: deep", 1),
    }
    make(Path(), files)
    if "directories" in generator:
        for name in ("config.json", "web.yaml"):
            Path("apps/deep/er/deep", name).unlink()
        for folder in ("apps/deep/er/deep", "apps/deep/er", "apps/deep"):
            Path(folder).rmdir()
    ended = run("inject", "--check", "--render")
    assert workloads(ended) == found, ended.stderr


def test_values_of_files_fill_the_template() -> None:
    files = {
        "platform/root/root.yaml": generated(
            "files: [{path: apps/all.yaml}]", "path: 'apps/{{team.folder}}'"
        ).replace("{name: '{{path.basename}}'}", "{name: '{{team.name}}'}"),
        "apps/all.yaml": "- team: {name: a, folder: plain}\n- team: {name: b, folder: overlay}\n",
    }
    make(Path(), files)
    ended = run("inject", "--check", "--render")
    assert "by Application a (from apps/plain/web.yaml)" in ended.stderr
    assert "by Application b (from apps/overlay/web.yaml)" in ended.stderr
    make(Path(), {"platform/root/root.yaml": generated("files: [{path: none/*.yaml}]")})
    ended = run("inject", "--check", "--render")
    assert (ended.code, "spec.generators: git.files: there is no none/*.yaml" in ended.stderr) == (2, True)


def test_applications_in_a_chart_are_followed() -> None:
    app = application("{{ .name }}", "path: apps/{{ .name }}").replace(
        "shop.git, ", "shop.git, targetRevision: HEAD, "
    )
    files = {
        "charts/apps/Chart.yaml": CHART,
        "charts/apps/values.yaml": "apps: [{name: plain}, {name: overlay}]\n",
        "charts/apps/templates/apps.yaml": f"{{{{- range .Values.apps }}}}\n---\n{app}{{{{- end }}}}\n",
        "platform/root/root.yaml": application("root", "path: charts/apps"),
    }
    make(Path(), files)
    ended = run("inject", "--check", "--render")
    assert workloads(ended) == ["plain/web", "shop/web"], ended.stderr
    git(Path.cwd(), "add", "-A")
    git(Path.cwd(), "commit", "-qm", "apps in a chart")
    make(Path(), {"charts/apps/values.yaml": "apps: [{name: overlay}]\n"})
    assert "Deployment plain/web: removed" in diff().stdout


CLUSTERS = """\
sidecarsets: [sets]
render: [{argocd: platform/root}]
clusters:
- {name: eu, paths: [clusters/eu], include: [sets], destinations: [eu-1.example.com]}
- {name: us, paths: [clusters/us], include: [sets]}
"""


def on(application_text: str, destination: str) -> str:
    return application_text.replace("destination: {", f"destination: {{{destination}, ")


def test_the_destination_says_to_which_cluster_an_application_belongs() -> None:
    sets = APPS["platform/apps/sets.yaml"].replace('namespace: "web-', 'name: "{{region}}", namespace: "web-')
    files = {
        ".sidecarctl.yaml": CLUSTERS,
        "clusters/eu/own.yaml": BARE.replace("name: web", "name: own", 1),
        "clusters/us/own.yaml": BARE.replace("name: web", "name: own", 1),
        "platform/root/root.yaml": on(ROOT, "server: 'https://kubernetes.default.svc'"),
        "platform/apps/sets.yaml": sets,
        "platform/apps/plain.yaml": on(APPS["platform/apps/plain.yaml"], "server: eu-1.example.com"),
        "platform/apps/overlay.yaml": on(APPS["platform/apps/overlay.yaml"], "name: us"),
        "platform/apps/chart.yaml": on(APPS["platform/apps/chart.yaml"], "name: elsewhere"),
    }
    make(Path(), files)
    found = {name: run("inject", "--check", "--render", "--only-cluster", name) for name in ("eu", "us")}
    assert workloads(found["eu"]) == ["own", "plain/web", "web-eu/web"]
    assert workloads(found["us"]) == ["own", "shop/web", "web-us/web"]
    for ended in found.values():
        [line] = [line for line in ended.stderr.splitlines() if "is not read" in line]
        assert "note: Application chart is not read: no cluster in .sidecarctl.yaml has elsewhere among its" in line
    listed = run("validate", "--render", "--list").stdout
    assert listed == (
        "plain platform/apps, by Application root, namespace root, cluster https://kubernetes.default.svc\n"
    )


def test_a_change_of_an_application_is_reported_for_its_cluster() -> None:
    files = {".sidecarctl.yaml": CLUSTERS, "clusters/eu/a.yaml": SET, "clusters/us/a.yaml": SET}
    files |= {"platform/root/root.yaml": on(APPS["platform/apps/plain.yaml"], "name: eu")}
    make(Path(), files)
    git(Path.cwd(), "add", "-A")
    git(Path.cwd(), "commit", "-qm", "clusters")
    make(Path(), {"apps/plain/web.yaml": BARE.replace("labels: {app: web}", "labels: {app: api}")})
    ended = run("diff", "--before", "git:HEAD", "--render", "-o", "markdown")
    assert ended.code == 1, ended.stderr
    assert "changes in 1 of 2 clusters: logs SidecarLost" in ended.stdout
    assert "no effect in 1 cluster: us" in ended.stdout


def test_a_dump_beside_rendered_trees_is_only_read() -> None:
    files = {
        ".sidecarctl.yaml": f"{CLUSTERS}".replace("paths: [clusters/eu],", "paths: [clusters/eu], pods: [dump.json],")
    }
    files |= {"clusters/eu/a.yaml": SET, "clusters/us/a.yaml": SET}
    files |= {"platform/root/root.yaml": on(application("plain", "path: apps/none"), "name: eu")}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0", "labels": {"app": "web"}}}
    pod |= {"spec": {"containers": [{"name": "web", "image": "web:1"}]}, "status": {"phase": "Running"}}
    make(Path(), {**files, "dump.json": json.dumps(pod)})
    git(Path.cwd(), "add", "-A")
    git(Path.cwd(), "commit", "-qm", "clusters")
    make(
        Path(), {"sets/logs.yaml": SET.replace("2.4.1", "2.5.0"), "clusters/eu/a.yaml": SET.replace("2.4.1", "2.5.0")}
    )
    ended = run("diff", "--before", "git:HEAD", "--render", "--only-cluster", "eu")
    assert ended.stderr.count("there is no folder apps/none") == 1, ended.stderr
    assert "no running pod takes part in its rollout, though 1 is selected" in ended.stdout
