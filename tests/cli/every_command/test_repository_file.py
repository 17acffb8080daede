"""`.sidecarctl.yaml`: what a repository says once, read by every command."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.config import FILE_KIND
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.rollout.facts import UNFINISHED
from sidecarctl.engine.rollout.statuses import UNEXPECTED
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.inputs.repositories import git, make_repository
from tests.krm.calls import call, injection

CONFIG = """\
sidecarsets: [infra/k8s/platform/sidecarsets]
paths: [infra/k8s/apps]
"""


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository with the file, and a subfolder as the working directory."""
    folder = make_repository(tmp_path / "shop")
    (folder / ".sidecarctl.yaml").write_text(CONFIG)
    monkeypatch.chdir(folder / "infra" / "k8s")
    return folder


def say(top: Path, more: str = "", config: str = CONFIG) -> None:
    (top / ".sidecarctl.yaml").write_text(config + more)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("inject", 0),
        ("inject --check", 1),
        ("uninject --check", 0),
        ("validate", 0),
        ("hash", 0),
        ("status", 0),
        ("explain", 0),
        ("explain deployment/web", 0),
        ("revisions list", 0),
        ("convert --to v1alpha1 --check", 1),
        ("plan --from platform", 0),
        ("diff --kruise-from 1.8 --kruise-to 1.9", 0),
        ("validate --kruise-from 1.8 --kruise-to 1.9", 0),
    ],
)
def test_every_command_reads_what_the_file_names(words: str, code: int) -> None:
    ended = run(*words.split())
    assert ended.code == code, ended.stdout + ended.stderr
    assert "settings: ../../.sidecarctl.yaml\n" in ended.stderr
    without = run(*words.split(), "--no-config")
    assert without.code == 2
    assert "settings: " not in without.stderr


def test_it_is_read_from_every_folder_of_the_repository(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = run("inject", "--check")
    assert "2 to inject" in here.stderr
    monkeypatch.chdir(top)
    ended = run("inject", "--check")
    assert ended.stderr.startswith("settings: .sidecarctl.yaml\n")
    assert ended.stderr.splitlines()[1:] == [
        line.replace(" platform", " infra/k8s/platform").replace(" apps", " infra/k8s/apps")
        for line in here.stderr.splitlines()[1:]
    ]


def test_the_nearest_file_is_used() -> None:
    Path(".sidecarctl.yaml").write_text("sidecarsets: [platform]\npaths: [apps/shop/api]\n")
    ended = run("inject", "--check")
    assert "settings: .sidecarctl.yaml\n" in ended.stderr
    assert "1 to inject" in ended.stderr


def test_no_file_above_the_repository_is_used(top: Path) -> None:
    (top / ".sidecarctl.yaml").rename(top.parent / ".sidecarctl.yaml")
    assert run("inject").code == 2
    (top / ".git").rename(top / "no-git")
    assert "settings: ../../../.sidecarctl.yaml" in run("validate").stderr  # of folders that are no repository


def test_without_paths_it_is_the_folder_of_the_file(top: Path) -> None:
    say(top, config="")
    ended = run("validate")
    assert (ended.code, "1 SidecarSet of 4 manifests in 7 files" in ended.stderr) == (0, True), ended.stderr


def test_what_is_named_wins() -> None:
    ended = run("inject", "--check", "apps/shop/api")
    assert "1 to inject" in ended.stderr
    Path("other").mkdir()
    Path("other/logs.yaml").write_text(SET.replace("2.4.1", "9.9.9"))
    assert "log-agent:9.9.9" in run("inject", "-s", "other", "apps").stdout
    ended = run("inject", "other", "apps")  # a SidecarSet among PATHS
    assert "log-agent:9.9.9" in ended.stdout
    assert "log-agent:2.4.1" not in ended.stdout
    assert "platform/sidecarsets/logs.yaml" in ended.stderr
    assert "left out: other/logs.yaml:1:1, which was named, has it too" in ended.stderr
    assert run("validate", "other").code == 0
    assert "log-agent:9.9.9" not in run("hash", "other").stdout
    assert run("plan", "other", "apps", "--from", "platform").code == 0


def test_a_set_twice_in_what_the_file_names_is_an_error(top: Path) -> None:
    Path("other").mkdir()
    Path("other/logs.yaml").write_text(SET.replace("2.4.1", "9.9.9"))
    say(top, "exclude: [clusters]\n", config="sidecarsets: [infra/k8s/platform]\n")
    ended = run("inject")
    assert (ended.code, "also defined in" in ended.stderr) == (2, True)


def test_nothing_that_is_compared_gets_the_sets_of_the_file_too() -> None:
    Path("old.yaml").write_text(SET.replace("2.4.1", "2.4.0"))
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    ended = run("diff", "old.yaml", "new.yaml")
    assert (ended.code, "log-agent:2.4.0" in ended.stdout) == (0, True), ended.stderr


def test_exclusions_count_from_the_folder_of_the_file(top: Path) -> None:
    say(top, "exclude: [infra/k8s/apps/shop/api]\n")
    assert "1 to inject" in run("inject", "--check").stderr
    assert "1 excluded file" in run("inject", "--check").stderr
    assert "1 to inject" in run("inject", "--check", "apps/shop/api").stderr  # which was named
    assert "1 to inject" in run("inject", "--check", "apps/shop/api/api.yaml").stderr
    assert "1 excluded file" in run("hash", "git:HEAD:").stderr
    assert "1 excluded file" in run("hash", "git:HEAD").stderr
    assert "0 to inject" in run("inject", "--check", "--exclude", "web").stderr  # it adds to them
    say(top, "exclude: ['a*i']\n")
    assert "1 to inject" in run("inject", "--check").stderr
    say(top, "exclude: [/api, infra/k8s/apps/*/web/*.yaml]\n")
    assert "1 to inject" in run("inject", "--check").stderr


def test_the_release_of_the_file(top: Path) -> None:
    say(top, "kruise: '1.6'\n")
    assert "Kruise 1.6" in run("inject", "--check").stderr
    assert "Kruise 1.7" in run("inject", "--check", "--kruise", "1.7").stderr
    assert (
        run("validate", "--kruise-from", "1.7", "--kruise-to", "1.8").code == 0
    )  # it names another, and is set aside


def test_gates_and_template_paths(top: Path) -> None:
    say(top, "featureGates: {KruisePodReadinessGate: true}\ntemplatePaths: {Game.example.com: spec.template}\n")
    Path("apps/game.yaml").write_text(
        "apiVersion: example.com/v1\nkind: Game\nmetadata: {name: g}\nspec:\n  template:\n    metadata:\n"
        "      labels: {app: web}\n    spec:\n      containers: [{name: g, image: g}]\n"
    )
    assert "Game g" in run("inject", "--check").stderr
    assert "3 to inject" in run("inject", "--check").stderr
    other = run("inject", "--check", "--template-path", "Game.example.com=spec.other")
    assert "2 to inject" in other.stderr
    found = json.loads(run("status", "-o", "json").stdout)
    assert "KruisePodReadinessGate" in json.dumps(found)
    found = json.loads(run("status", "-o", "json", "--feature-gates", "KruisePodReadinessGate=false").stdout)
    assert "KruisePodReadinessGate" not in json.dumps(found)


def test_rules_of_the_file(top: Path) -> None:
    assert "[no-resources]" in run("validate").stdout
    say(top, "severities: {no-resources: error}\n")
    ended = run("validate")
    assert (ended.code, ended.stdout.startswith("error: ")) == (1, True)
    assert run("inject", "--check", "--strict").code == 1
    assert "[no-resources]" in run("inject", "--check").stderr
    say(top, "severities: {no-resources: warning}\nstrict: true\n")
    assert run("validate").code == 1
    say(top, "severities: {no-resources: error}\nignore: [no-resources]\n")
    ended = run("validate")
    assert (ended.code, "[no-resources]" in ended.stdout) == (0, False)
    assert "1 suppressed" in ended.stderr
    assert "[no-resources]" not in run("inject", "--check").stderr


CLASH = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: logs, image: 'logs:1', ports: [{containerPort: 80, hostPort: 80}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: shop, labels: {app: web}}
spec: {containers: [{name: main, image: 'main:1', ports: [{containerPort: 80, hostPort: 80}]}]}
"""


def test_rules_may_have_their_older_ids(top: Path) -> None:
    Path("platform/sidecarsets/logs.yaml").write_text(CLASH)
    assert "[pod-invalid]" in run("validate").stdout
    for settings in (
        "ignore: [injected-pod-refused]\n",
        "severities: {injected-pod-refused: off}\n",
        "rulesByPath: [{paths: [infra], ignore: [injected-pod-refused]}]\n",
    ):
        say(top, settings)
        ended = run("validate")
        assert "[pod-invalid]" not in ended.stdout, ended.stderr
    assert "[pod-invalid]" in run("validate", "--rule", "pod-invalid=error").stdout


def test_rules_of_the_file_for_some_paths(top: Path) -> None:
    by_path = "severities: {no-resources: error}\nrulesByPath:\n- paths: [%s]\n  %s\n"
    for paths, rules, code, count in (
        ("infra/k8s/platform", "severities: {no-resources: note}", 0, 0),
        ("infra/k8s/platform", "ignore: [no-resources]", 0, 1),
        ("infra", "severities: {no-resources: off}", 0, 1),
        ("infra/k8s/plat", "ignore: [no-resources]", 1, 0),
        ("infra/k8s/apps", "ignore: [no-resources]", 1, 0),
    ):
        (top / "infra/k8s/plat").mkdir(exist_ok=True)
        say(top, by_path % (paths, rules))
        ended = run("validate", "-o", "json")
        assert (ended.code, json.loads(ended.stdout)["suppressed"]) == (code, count), (
            paths,
            rules,
        )
    say(top, by_path % ("infra", "ignore: [no-resources]"))
    assert run("validate", "--rule", "no-resources=error").code == 1
    say(top, by_path % ("infra", "severities: {container-image: note}"))
    ended = run("validate")
    assert (ended.code, "rulesByPath[0].severities.container-image" in ended.stderr) == (2, True)


def test_parameters_of_rules(top: Path) -> None:
    others = "{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}"
    sets = Path("platform/sidecarsets/logs.yaml")
    sets.write_text(
        "apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet\nmetadata: {name: logs}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n"
        "  containers: [{name: logs, image: 'logs:edge', resources: {requests: {cpu: 50m}}}]\n"
        f"  namespaceSelector: {{matchExpressions: [{others}]}}\n"
        "  updateStrategy: {maxUnavailable: 60%}\n"
    )
    assert "[image-without-tag]" not in run("validate").stdout
    for parameters, said in (
        ("image-without-tag: {tags: [latest, edge]}", "logs:edge has the tag edge"),
        ("no-resources: {required: [requests.cpu, limits.memory]}", "has no limits.memory, which the settings"),
        ("no-namespace-limit: {namespaces: [kube-system, monitoring]}", "the pods of monitoring are selected too"),
        ("max-unavailable: {below: 50%}", "60% is not below 50%"),
    ):
        assert said not in run("validate").stdout
        say(top, f"parameters: {{{parameters}}}\n")
        assert said in run("validate").stdout
        say(top, f"rulesByPath: [{{paths: [infra/k8s/platform], parameters: {{{parameters}}}}}]\n")
        assert said in run("validate").stdout
        say(top, f"rulesByPath: [{{paths: [infra/k8s/apps], parameters: {{{parameters}}}}}]\n")
        assert said not in run("validate").stdout
        say(top)


def test_parameters_that_no_rule_has(top: Path) -> None:
    for parameters, said in (
        ("no-resources: {most: 3}", "parameters.no-resources.most"),
        ("no-resource: {required: []}", "parameters.no-resource"),
        ("no-resources: {required: [cpu]}", "parameters.no-resources.required[0]"),
        ("max-unavailable: {below: 50}", "parameters.max-unavailable.below"),
    ):
        say(top, f"parameters: {{{parameters}}}\n")
        ended = run("validate")
        assert (ended.code, said in ended.stderr) == (2, True), ended.stderr
    say(top, "parameters: {no-resources: null, image-without-tag: {tags: null}}\n")
    assert run("validate").code == 0


def test_the_release_of_kubernetes_of_the_file(top: Path) -> None:
    native = "  initContainers: [{name: proxy, image: 'p:1', restartPolicy: Always}]\n"
    sets = Path("platform/sidecarsets/logs.yaml")
    sets.write_text(SET + native + "  updateStrategy: {type: NotUpdate}\n")
    assert "native-sidecar-release" not in run("validate").stdout
    say(top, 'kubernetes: "1.27"\n')
    assert "native-sidecar-release" in run("validate").stdout
    assert "native-sidecar-release" not in run("validate", "--kubernetes", "1.30").stdout
    say(top, 'kubernetes: "27"\n')
    assert "27 is not a release of Kubernetes" in run("validate").stderr


def test_what_kruise_rejects_stays_an_error(top: Path) -> None:
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("    image:", "    bild:"))
    say(top, "ignore: [container-image]\n")
    assert run("validate").code == 1
    say(top, "severities: {container-image: note}\n")
    ended = run("validate")
    assert (ended.code, "rejects what breaks container-image" in ended.stderr) == (2, True), ended.stderr


def test_labels_of_namespaces_that_no_input_has(top: Path) -> None:
    spec = "spec:\n  namespaceSelector: {matchLabels: {env: prod}}"
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("spec:", spec))
    assert run("inject", "--check").code == 2
    say(top, "namespaceLabels: {shop: {env: prod}}\n")
    assert "2 to inject" in run("inject", "--check").stderr
    assert "0 to inject" in run("inject", "--check", "--namespace-labels", "shop=env:test").stderr


def test_the_environment_wins_like_the_command_line(top: Path) -> None:
    say(top, "kruise: '1.6'\n")
    assert run("inject", "--check", env={"SIDECARCTL_KRUISE": "1.9"}).code == 1
    assert run("inject", "--check").code == 3
    assert "settings: " not in run("validate", "apps", "platform", env={"SIDECARCTL_NO_CONFIG": "1"}).stderr


def test_earlier_sets_of_a_plan(top: Path) -> None:
    commit(top)
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    ended = run("plan", "--from", "git:HEAD")
    assert (ended.code, "4 matched (made from workloads)" in ended.stdout) == (0, True), ended.stdout + ended.stderr
    assert ended.stdout == run("plan", "platform", "apps", "--from", "git:HEAD:./platform").stdout


def test_verdicts_that_fail(top: Path) -> None:
    Path("old.yaml").write_text(SET.replace("2.4.1", "2.4.0"))
    call = ("diff", "old.yaml", "platform/sidecarsets/logs.yaml")
    assert run(*call).code == 0
    say(top, "failOn: {diff: [InPlace]}\n")
    assert run(*call).code == 1
    assert run(*call, "--fail-on", "none").code == 0


def test_it_names_nothing_to_edit() -> None:
    ended = run("inject", "-i", "-R")
    assert (ended.code, "-i needs PATHS" in ended.stderr) == (2, True)
    assert Path("apps/shop/web/deployment.yaml").read_text() == DEPLOYMENT
    assert run("inject", "-i", "-R", "apps").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("path: [apps]\n", "../../.sidecarctl.yaml:1:7: path: unknown field path (did you mean paths?)"),
        ("paths: [apps]\npaths: [x]\n", "../../.sidecarctl.yaml:2:1:"),
        ("paths: apps\n", "../../.sidecarctl.yaml:1:8: paths: expected a list"),
        ("kruise: 1.7\n", '../../.sidecarctl.yaml:1:9: kruise: expected a release in quotes, such as "1.7"'),
        ("\nkruise: '0.9'\n", "../../.sidecarctl.yaml:2:9: kruise: "),
        ("sidecarsets: ['git:main:sets']\n", "the path of a file or folder, from the folder of this file"),
        ("sidecarsets: [/etc]\n", "../../.sidecarctl.yaml:1:15: sidecarsets[0]: expected the path of a file"),
        ("paths: ['-']\n", "expected the path of a file or folder"),
        ("featureGates: {PodWebhok: true}\n", "unknown feature gate PodWebhok (did you mean PodWebhook?)"),
        ("templatePaths: {Game: ''}\n", "../../.sidecarctl.yaml:1:23: templatePaths.Game"),
        ("failOn: {diff: [Recreated]}\n", "did you mean Recreate?"),
        ("ignore: [no-resource]\n", "unknown rule no-resource (did you mean no-resources?)"),
        ("severities: {no-resource: note}\n", "did you mean no-resources?"),
        (
            "severities: {no-resources: loud}\n",
            "../../.sidecarctl.yaml:1:28: severities.no-resources: expected error",
        ),
        ("a: b\n---\nc: d\n", "expected one document"),
        ("- a\n", "../../.sidecarctl.yaml:1:1: expected settings, such as paths: [apps]"),
        ("a: b: c", "../../.sidecarctl.yaml:1:5: mapping values"),
        ("namespaceLabels: {Shop: {}}\n", 'the namespace "Shop" cannot exist'),
        ("live: true\n", "unknown field live"),
        ("inPlace: true\n", "unknown field inPlace"),
        ("kubectl: sh\n", "unknown field kubectl"),
    ],
)
def test_what_is_wrong_with_it_has_its_line(top: Path, text: str, said: str) -> None:
    say(top, config=text)
    ended = run("validate", "apps", "--report", "json=report.json", "--report", "sarif=report.sarif")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert json.loads(Path("report.json").read_text())["failed"] is True
    assert run("validate", "platform", "apps", "--no-config").code == 0


def test_a_path_that_is_not_there(top: Path) -> None:
    say(top, config="paths: [infra/k8s/nowhere]\n")
    ended = run("inject")
    assert ended.code == 2
    assert "../../.sidecarctl.yaml:1:9: paths[0]: there is no such file or folder" in ended.stderr


def test_a_file_of_another_name_is_not_missed_silently(top: Path) -> None:
    (top / ".sidecarctl.yaml").rename(top / ".sidecarctl.yml")
    ended = run("inject", "apps")
    assert (
        ended.code,
        "../../.sidecarctl.yml: settings are not read from a file with this name (name it" in ended.stderr,
    ) == (2, True)
    assert run("validate", "platform", "--no-config").code == 0


def test_the_function_does_not_read_it(top: Path) -> None:
    say(top, config="no: sense\n")
    answer = call([yaml.safe_load(DEPLOYMENT)], injection(paths=["platform"]))
    assert (answer.code, "log-agent:2.4.1" in answer.text) == (0, True), answer.lines


def test_reports_name_the_file() -> None:
    forms = ("json", "sarif", "junit", "github", "markdown")
    run("validate", *(word for form in forms for word in ("--report", f"{form}={form}")))
    assert json.loads(Path("json").read_text())["config"] == ".sidecarctl.yaml"
    assert json.loads(Path("sarif").read_text())["runs"][0]["properties"]["config"] == ".sidecarctl.yaml"
    suites = ET.fromstring(Path("junit").read_text())  # noqa: S314 - our own
    found = suites.find(".//property[@name='config']")
    assert found is not None
    assert found.get("value") == ".sidecarctl.yaml"
    assert "; settings: .sidecarctl.yaml" in Path("github").read_text()
    assert "settings: <code>../../.sidecarctl.yaml</code>" in Path("markdown").read_text()
    for command in (("validate",), ("plan", "--from", "platform")):
        assert "; settings: ../../.sidecarctl.yaml" in run(*command, "-o", "html").stdout
    comment = run("diff", "--before", "git:HEAD", "-o", "markdown").stdout
    assert "\nsettings: <code>../../.sidecarctl.yaml</code>\n" in comment


def test_it_is_not_a_manifest(top: Path) -> None:
    ended = run("validate", str(top), "-o", "json")
    assert "sidecarctl.yaml" not in ended.stdout
    assert "in 7 files" in ended.stderr


def test_the_schema_is_printed_and_knows_what_the_program_knows() -> None:
    schema = json.loads(run("schema", "config").stdout)
    assert schema == shipped_schema(FILE_KIND)
    words = {
        "diff": [verdict for verdict in Verdict if verdict is not Verdict.NO_EFFECT],
        "plan": UNFINISHED,
        "status": UNEXPECTED,
    }
    for command, known in words.items():
        enum = schema["properties"]["failOn"]["properties"][command]["items"]["enum"]
        assert enum == [*map(str, known), "any", "none"]


def test_commands_without_manifests_do_not_read_it(top: Path) -> None:
    say(top, config="no: sense\n")
    for name in ("version", "rules", "schema"):
        assert run(name).code == 0
    assert run("validate").code == 2
    assert run("kinds").code == 2  # which shows what it teaches
    assert run("kinds", "--no-config").code == 0


def commit(top: Path) -> None:
    git(top, "add", ".")
    git(top, "commit", "-qm", "next")


BEFORE = ("diff", "--before", "git:HEAD")


def test_what_the_file_names_is_compared_with_what_it_named(top: Path) -> None:
    say(top, "exclude: [infra/k8s/apps/shop/api]\n")
    commit(top)
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    ended = run(*BEFORE)
    assert (ended.code, "1 workload: 1 changed" in ended.stdout) == (0, True), ended.stdout + ended.stderr
    Path("platform/sidecarsets").rename("sets")  # the file of each side says where they are
    say(top, "exclude: [infra/k8s/apps/shop/api]\n", config=CONFIG.replace("platform/sidecarsets", "sets"))
    ended = run(*BEFORE)
    assert (ended.code, "1 workload: 1 changed" in ended.stdout) == (0, True), ended.stdout + ended.stderr
    old = run("validate", "--old", "git:HEAD")
    assert (old.code, "in 5 files" in old.stderr) == (0, True), old.stderr


def test_a_set_that_must_not_change_is_compared(top: Path) -> None:
    commit(top)
    Path("platform/sidecarsets/logs.yaml").write_text(SET + "  updateStrategy: {type: NotUpdate}\n")
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("containers:", "initContainers:"))
    with_old = run("validate", "--old", "git:HEAD")
    assert with_old.stdout == run("validate", "--old", "git:HEAD", "platform", "apps").stdout
    assert with_old.code == 1 or "error" not in with_old.stdout


def test_a_file_that_is_new_names_what_is_compared(top: Path) -> None:
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    ended = run(*BEFORE)
    assert "2 workloads: 2 changed" in ended.stdout
    assert "sidecarsets: adds infra/k8s/platform/sidecarsets (compared with git:HEAD) [ConfigChanged]" in ended.stderr
    (top / ".sidecarctl.yaml").unlink()
    ended = run(*BEFORE)  # the current folder
    assert "3 workloads: " in ended.stdout or "2 workloads: 2 changed" in ended.stdout
    assert "ConfigChanged" not in ended.stderr


@pytest.mark.parametrize("call", [("validate", "--old", "git:HEAD"), BEFORE, (*BEFORE, "--after", ".")], ids=" ".join)
def test_a_change_of_the_file_itself_is_reported(top: Path, call: tuple[str, ...]) -> None:
    say(top, "kruise: '1.9'\nfailOn: {diff: [Recreate]}\n")
    commit(top)
    assert "ConfigChanged" not in "".join(vars_of(run(*call)))
    say(top, "ignore: [no-resources]\nfailOn: {diff: [none]}\n")
    ended = run(*call, "--report", "json=report.json")
    found = json.loads(Path("report.json").read_text())["findings"]
    told = {item["message"]: item for item in found if item["reason"] == "ConfigChanged"}
    assert set(told) == {
        "adds no-resources",
        "{diff: [Recreate]} -> {diff: [none]}",
        "kruise: 1.9 -> nothing",
    }
    assert all(item["severity"] == "warning" for item in told.values())
    assert told["adds no-resources"]["line"] == 3
    assert "ignore: adds no-resources (compared with git:HEAD) [ConfigChanged]" in ended.stdout + ended.stderr
    assert run(*call, "--strict").code == 1
    assert "ConfigChanged" not in "".join(vars_of(run(*call, "--no-config")))
    (top / ".sidecarctl.yaml").unlink()
    ended = run(*(word for word in call), *(["platform", "apps"] if call[0] == "validate" else []))
    assert "paths: takes out infra/k8s/apps (compared with git:HEAD) [ConfigChanged]" in ended.stdout + ended.stderr


def vars_of(ended: Ended) -> tuple[str, str]:
    return ended.stdout, ended.stderr


def test_folders_that_are_compared_have_files_too(top: Path, tmp_path: Path) -> None:
    shutil.copytree(top, tmp_path / "base")
    say(top, "ignore: [no-resources]\n")
    assert "adds no-resources" in run("diff", "--before", "../../../base/infra/k8s", "--after", ".").stderr
    assert "ConfigChanged" not in run("diff", "--before", "apps", "--after", ".", "-s", "platform").stderr


def test_a_shown_comment_names_changes_of_the_file(top: Path) -> None:
    commit(top)
    say(top, "ignore: [no-resources]\n")
    shown = run(*BEFORE, "-o", "markdown").stdout
    assert "<code>../../.sidecarctl.yaml:3:9</code>: ignore: adds no-resources (compared with git:HEAD)" in shown
