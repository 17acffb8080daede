"""`--kruise VERSION`: which release is computed, what it does not know, and who says so."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod
from tests.schemas import assert_valid

ALPHA = SET.replace("v1beta1", "v1alpha1")
EVERYWHERE = ALPHA.replace("spec:\n", "spec:\n  namespaceSelector: {matchLabels: {team: a}}\n", 1)
NATIVE = (
    ALPHA.replace("  containers:\n", "  initContainers:\n").rstrip()
    + "\n    restartPolicy: Always\n  updateStrategy: {type: NotUpdate}\n"
)
_ANNOTATIONS = '{apps.kruise.io/sidecarset-canary: "true", apps.kruise.io/sidecarset-base: logs}'
CANARY = ALPHA.replace("name: logs\n", f"name: logs-canary\n  annotations: {_ANNOTATIONS}\n", 1).replace(
    "  selector:", "  updateStrategy: {type: NotUpdate}\n  selector:"
)
CONFIG = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarInjection
spec:
  paths: [set.yaml]
  options: {{kruise: {}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod()]}))
    return tmp_path


def inject(sidecarset: str, *options: str, command: str = "inject", env: dict[str, str] | None = None) -> Ended:
    Path("set.yaml").write_text(sidecarset)
    return run(command, "-s", "set.yaml", "web.yaml", *options, env=env)


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("1.0.0", "(one of 1.0, 1.1)"),
        ("0.9.2", "(one of 1.0"),
        ("1.5.0", "(one of 1.4, 1.5"),
        ("1.7.5", "(one of 1.7, 1.8"),
        ("2.0", "(one of 1.9, master"),
        ("newest", "(one of master, 1.9"),
    ],
)
def test_other_releases_are_refused_with_the_nearest(version: str, hint: str) -> None:
    ended = inject(ALPHA, "--kruise", version)
    assert (ended.code, ended.stdout) == (2, "")
    assert f"error: --kruise {version} is not " in ended.stderr
    assert hint in ended.stderr


def test_the_environment_and_the_config_name_it_too() -> None:
    assert inject(SET, env={"SIDECARCTL_KRUISE": "1.8"}).code == 3
    assert inject(SET, "--kruise", "1.9", env={"SIDECARCTL_KRUISE": "1.8"}).code == 0
    Path("set.yaml").write_text(SET)
    Path("config.yaml").write_text(CONFIG.format('"1.8"'))
    assert run("inject", "--config", "config.yaml", "web.yaml").code == 3
    assert run("inject", "--config", "config.yaml", "--allow-unknown", "web.yaml").code == 0
    Path("config.yaml").write_text(CONFIG.format("1.8"))
    ended = run("inject", "--config", "config.yaml", "web.yaml")
    assert ended.code == 2
    assert 'a release in quotes, such as "1.7"' in ended.stderr
    Path("config.yaml").write_text(CONFIG.format('"0.9"'))
    assert "choose 1.0" in run("inject", "--config", "config.yaml", "web.yaml").stderr


def test_a_patch_release_is_its_profile() -> None:
    assert "behavior: Kruise 1.7\n" in inject(ALPHA, "--kruise", "v1.7.4").stderr
    assert "behavior: Kruise 1.7.0\n" in inject(ALPHA, "--kruise", "1.7.0").stderr
    assert "behavior" not in inject(ALPHA).stderr
    assert inject(ALPHA, "--kruise", "1.9").stderr == inject(ALPHA).stderr
    assert "behavior: Kruise 1.9 (with canary sets)\n" in inject(ALPHA, "--kruise", "master").stderr


@pytest.mark.parametrize(
    ("sidecarset", "release", "said"),
    [
        (
            EVERYWHERE,
            "1.3",
            "does not know the field namespaceSelector (supported since 1.4): the SidecarSet applies",
        ),
        (
            NATIVE,
            "1.6",
            "does not know the field restartPolicy (supported since 1.7): the sidecar becomes a plain",
        ),
        (SET, "1.8", "does not know the API version v1beta1 (supported since 1.9)"),
        (CANARY, "1.9", "a canary SidecarSet needs `--kruise master`: with Kruise 1.9, as with every release"),
    ],
)
def test_inject_stops_at_what_the_release_does_not_know(sidecarset: str, release: str, said: str) -> None:
    ended = inject(sidecarset, "--kruise", release)
    assert (ended.code, ended.stdout) == (3, "")
    assert f"Kruise {release}" in ended.stderr
    assert said in ended.stderr
    assert "error: set.yaml:" in ended.stderr
    allowed = inject(sidecarset, "--kruise", release, "--allow-unknown")
    assert allowed.code == 0
    assert "warning: set.yaml:" in allowed.stderr
    assert "log-agent" in allowed.stdout
    assert inject(sidecarset, "--kruise", release, "--allow-unknown", "--strict").code == 1


def test_the_hint_for_v1beta1_is_to_convert() -> None:
    assert "sidecarctl convert --to v1alpha1" in inject(SET, "--kruise", "1.8").stderr


def test_without_the_field_the_pod_is_that_of_the_old_release() -> None:
    old = inject(NATIVE, "--kruise", "1.6", "--allow-unknown").stdout
    assert "restartPolicy" not in old
    assert "restartPolicy: Always" in inject(NATIVE).stdout


@pytest.mark.parametrize(
    ("name", "before", "since"),
    [
        ("EnableSortSidecarContainerByName", "1.8", "1.9"),
        ("EnablePodProbeMarkerOnServerless", "1.7", "1.8"),
        ("EnhancedLivenessProbe", "1.6", "1.7"),
        ("SidecarSetPatchPodMetadataDefaultsAllowed", "1.2", "1.3"),
    ],
)
def test_a_feature_gate_that_the_release_lacks_stops_inject(name: str, before: str, since: str) -> None:
    gate = f"{name}=true"
    ended = inject(ALPHA, "--kruise", before, "--feature-gates", gate)
    assert ended.code == 3
    assert f"does not know the feature gate {name}" in ended.stderr
    assert inject(ALPHA, "--kruise", before, "--feature-gates", gate, "--allow-unknown").code == 0
    assert inject(ALPHA, "--kruise", since, "--feature-gates", gate).code == 0


@pytest.mark.parametrize("sidecarset", [EVERYWHERE, NATIVE, SET, CANARY])
def test_validate_finds_what_the_release_does_not_know(sidecarset: str) -> None:
    Path("set.yaml").write_text(sidecarset)
    ended = run("validate", "set.yaml", "--kruise", "1.3")
    assert ended.code == 1
    assert "error: set.yaml:" in ended.stdout
    assert "[UnknownToRelease]" in ended.stdout
    allowed = run("validate", "set.yaml", "--kruise", "1.3", "--allow-unknown")
    assert "error" not in allowed.stdout
    assert "[UnknownToRelease]" in allowed.stdout
    assert "[UnknownToRelease]" not in run("validate", "set.yaml", "--kruise", "master").stdout


def test_validate_goes_by_the_rules_of_the_release() -> None:
    both = "  updateStrategy: {partition: 1, selector: {matchLabels: {app: web}}}\n"
    Path("set.yaml").write_text(ALPHA.replace("spec:\n", f"spec:\n{both}", 1))
    assert run("validate", "set.yaml", "--kruise", "1.7").code == 0
    assert run("validate", "set.yaml", env={"SIDECARCTL_KRUISE": "1.8"}).code == 1


def test_validate_finds_a_feature_gate_that_the_release_lacks() -> None:
    Path("set.yaml").write_text(ALPHA)
    gate = ("--feature-gates", "EnableSortSidecarContainerByName=true")
    assert "does not know the feature gate" in run("validate", "set.yaml", "--kruise", "1.8", *gate).stdout
    assert run("validate", "set.yaml", "--kruise", "1.9", *gate).code == 0


def test_a_field_that_a_release_had_and_newer_ones_have_not_is_known_there() -> None:
    claim = "{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
    volume = f"  volumes: [{{name: v, ephemeral: {{readOnly: true, volumeClaimTemplate: {claim}}}}}]\n"
    Path("set.yaml").write_text(ALPHA.rstrip() + "\n" + volume)
    assert "[unknown-field]" not in run("validate", "set.yaml", "--kruise", "1.0").stdout
    assert "[unknown-field]" in run("validate", "set.yaml", "--kruise", "1.2").stdout


@pytest.mark.parametrize(
    "words", [("plan", "set.yaml", "pods.json"), ("status", "set.yaml", "pods.json"), ("hash", "set.yaml")]
)
def test_reports_continue_and_say_so(words: tuple[str, ...]) -> None:
    Path("set.yaml").write_text(EVERYWHERE)
    ended = run(*words, "--kruise", "1.3")
    assert ended.code == 1
    assert "error: set.yaml:6:22: SidecarSet logs: spec.namespaceSelector: Kruise 1.3 does not know" in ended.stderr
    assert "logs" in ended.stdout
    assert run(*words, "--kruise", "1.3", "--allow-unknown").code == 0


@pytest.mark.parametrize(
    ("sidecarset", "to", "release", "said"),
    [
        (
            EVERYWHERE,
            "v1alpha1",
            "1.3",
            "set.yaml:6:22: SidecarSet logs: spec.namespaceSelector: Kruise 1.3 does not",
        ),
        (NATIVE, "v1alpha1", "1.6", "does not know the field restartPolicy (supported since 1.7)"),
        (ALPHA, "v1beta1", "1.8", "apiVersion: Kruise 1.8 does not know the API version v1beta1"),
        (SET, "v1beta1", "1.8", "apiVersion: Kruise 1.8 does not know the API version v1beta1"),
    ],
)
def test_convert_stops_at_what_the_release_does_not_know(sidecarset: str, to: str, release: str, said: str) -> None:
    Path("set.yaml").write_text(sidecarset)
    ended = run("convert", "set.yaml", "--to", to, "--kruise", release)
    assert (ended.code, ended.stdout) == (3, "")
    assert said in ended.stderr
    assert "[UnknownToRelease]" in ended.stderr
    allowed = run("convert", "set.yaml", "--to", to, "--kruise", release, "--allow-unknown")
    assert allowed.code == 0
    assert allowed.stdout == run("convert", "set.yaml", "--to", to).stdout
    assert "warning: set.yaml:" in allowed.stderr


def test_convert_to_what_the_release_knows_is_the_way_out() -> None:
    Path("set.yaml").write_text(SET)
    ended = run("convert", "set.yaml", "--to", "v1alpha1", "--kruise", "1.8")
    assert (ended.code, ended.stdout) == (0, ALPHA)
    assert "UnknownToRelease" not in ended.stderr


def test_convert_names_the_hash_of_the_release() -> None:
    Path("set.yaml").write_text(ALPHA)
    for release in ("1.7", "1.9"):
        computed = run("hash", "set.yaml", "--kruise", release).stdout.split()[1]
        ended = run("convert", "set.yaml", "--to", "v1beta1", "--kruise", release, "--allow-unknown")
        assert f"hash {computed}, unchanged" in ended.stderr


@pytest.mark.parametrize(
    "action",
    [("list",), ("make",), ("restore", "--revision", "1"), ("diff", "--old", "1")],
    ids=lambda action: str(action[0]),
)
def test_every_action_of_revisions_reports_it(action: tuple[str, ...]) -> None:
    Path("set.yaml").write_text(NATIVE)
    ended = run("revisions", *action, "set.yaml", "--kruise", "1.6")
    assert ended.code == 1
    assert ended.stdout
    assert ended.stderr.count("Kruise 1.6 does not know the field restartPolicy (supported since 1.7)") == 1
    allowed = run("revisions", *action, "set.yaml", "--kruise", "1.6", "--allow-unknown")
    assert (allowed.code, allowed.stdout) == (0, ended.stdout)
    assert "warning: " in allowed.stderr


def test_revisions_report_what_earlier_manifests_have_too() -> None:
    Path("old.yaml").write_text(NATIVE)
    Path("set.yaml").write_text(ALPHA)
    ended = run("revisions", "list", "set.yaml", "--revision-from", "old.yaml", "--kruise", "1.6")
    assert ended.code == 1
    assert "error: old.yaml:" in ended.stderr
    assert "error: set.yaml:" not in ended.stderr
    twice = run("revisions", "list", "set.yaml", *("--revision-from", "old.yaml") * 2, "--kruise", "1.6")
    assert twice.stderr == ended.stderr


def test_a_restored_sidecarset_keeps_its_version_if_the_release_has_it() -> None:
    beta = ALPHA.replace("v1alpha1", "v1beta1")
    for text, release, version in (
        (ALPHA, "1.8", "v1alpha1"),
        (ALPHA, "1.9", "v1alpha1"),
        (beta, "1.8", "v1alpha1"),
        (beta, "1.9", "v1beta1"),
    ):
        Path("set.yaml").write_text(text)
        ended = run("revisions", "restore", "set.yaml", "--revision", "1", "-o", "yaml", "--kruise", release)
        assert ended.code == (text is beta and release == "1.8")  # whose objects that release does not know
        assert ended.stdout.startswith(f"apiVersion: apps.kruise.io/{version}\n")


def test_uninject_continues_since_none_of_it_was_injected() -> None:
    injected = inject(NATIVE, "--kruise", "1.6", "--allow-unknown").stdout
    Path("injected.yaml").write_text(injected)
    ended = run("uninject", "-s", "set.yaml", "injected.yaml", "--kruise", "1.6")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)


def test_diff_looks_at_the_new_version_alone() -> None:
    Path("old.yaml").write_text(ALPHA)
    Path("new.yaml").write_text(EVERYWHERE)
    ended = run("diff", "old.yaml", "new.yaml", "--kruise", "1.3")
    assert ended.code == 1
    assert ended.stderr.count("error: new.yaml:") == 1
    assert ended.stdout.startswith("behavior: Kruise 1.3\n\n")
    assert run("diff", "new.yaml", "old.yaml", "--kruise", "1.3").code == 0


@pytest.mark.parametrize(
    ("words", "schema"),
    [
        (("plan", "set.yaml", "pods.json"), "rollout-plan.json"),
        (("plan", "set.yaml", "pods.json", "--sweep", "partition=0,1"), "rollout-sweep.json"),
        (("status", "set.yaml", "pods.json"), "rollout-status.json"),
        (("diff", "set.yaml", "set.yaml"), "sidecarset-diff.json"),
        (("validate", "set.yaml"), "validation-result.json"),
        (("diff", "--before", "set.yaml", "--after", "set.yaml"), "injection-diff.json"),
    ],
)
def test_every_document_names_the_behavior(words: tuple[str, ...], schema: str) -> None:
    Path("set.yaml").write_text(ALPHA)
    document = json.loads(run(*words, "--kruise", "1.7.1", "-o", "json").stdout)
    assert_valid(document, schema)
    assert document["behavior"] == "Kruise 1.7"
    assert run(*words, "--kruise", "1.7.1").stdout.startswith("behavior: Kruise 1.7\n\n")
    assert "behavior" not in run(*words).stdout


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "markdown"])
@pytest.mark.parametrize(
    "words", [("inject", "-s", "set.yaml", "web.yaml"), ("validate", "set.yaml")], ids=["inject", "validate"]
)
def test_reports_name_the_behavior_where_it_is_not_the_default(words: tuple[str, ...], form: str) -> None:
    Path("set.yaml").write_text(ALPHA)
    assert run(*words, "--kruise", "1.7.1", "--report", f"{form}=report").code == 0
    assert "Kruise 1.7" in Path("report").read_text()
    assert run(*words, "--report", f"{form}=report").code == 0
    assert "Kruise 1.7" not in Path("report").read_text()


def test_hashes_are_those_of_the_release() -> None:
    Path("set.yaml").write_text(NATIVE)
    old, new = (run("hash", "set.yaml", "--kruise", release, "--allow-unknown").stdout for release in ("1.6", "1.7"))
    assert old != new
    assert len(old.splitlines()) == 1  # lines for programs: stderr names the behavior


def test_inject_checks_by_the_rules_of_the_release() -> None:
    both = "  updateStrategy: {partition: 1, selector: {matchLabels: {app: web}}}\n"
    given = ALPHA.replace("spec:\n", f"spec:\n{both}", 1)
    said = "[partition-and-selector]"
    assert said not in inject(given, "--kruise", "1.7").stderr
    assert said in inject(given, "--kruise", "1.8").stderr
    assert inject(given, "--kruise", "1.7", "--strict").code == 0
    assert inject(given, "--kruise", "1.8", "--strict").code != 0
    for words in (("plan", "set.yaml", "pods.json"), ("diff", "set.yaml", "set.yaml")):
        assert said not in run(*words, "--kruise", "1.7").stderr
        assert said in run(*words, "--kruise", "1.8").stderr


def test_a_canary_sidecarset_needs_master() -> None:
    Path("base.yaml").write_text(ALPHA)
    said = "a canary SidecarSet needs `--kruise master`: with Kruise 1.9, as with every release, base"
    ended = inject(CANARY, "-s", "base.yaml")
    assert (ended.code, ended.stdout) == (3, "")
    assert said in ended.stderr
    for named in (("--kruise", "master"), ("--config", "config.yaml")):
        Path("config.yaml").write_text(CONFIG.format("master"))
        ended = inject(CANARY, "-s", "base.yaml", *named)
        assert (ended.code, "[UnknownToRelease]" in ended.stderr) == (0, False)
    assert inject(CANARY, "-s", "base.yaml", env={"SIDECARCTL_KRUISE": "master"}).code == 0
    assert said in inject(CANARY, "-s", "base.yaml", "--allow-unknown").stderr


@pytest.mark.parametrize(
    "words", [("plan",), ("status",), ("diff", "base.yaml"), ("validate",)], ids=lambda words: words[0]
)
def test_every_command_says_that_a_canary_needs_master(words: tuple[str, ...]) -> None:
    Path("base.yaml").write_text(ALPHA)
    both = ALPHA + "---\n" + CANARY
    Path("set.yaml").write_text(both)
    for options, is_said in (((), True), (("--kruise", "master"), False), (("--allow-unknown",), True)):
        ended = run(*words, "set.yaml", "pods.json", *options)
        said = "metadata.annotations[apps.kruise.io/sidecarset-canary]: a canary SidecarSet needs `--kruise master`"
        assert (said in ended.stdout + ended.stderr) is is_said


@pytest.mark.parametrize(
    "words", [("inject", "-s", "set.yaml", "web.yaml"), ("validate", "set.yaml"), ("hash", "set.yaml")]
)
def test_an_unknown_patch_release_is_computed_as_its_minor_with_a_note(words: tuple[str, ...]) -> None:
    Path("set.yaml").write_text(SET)
    ended = run(*words, "--kruise", "1.9.1")
    assert ended.code == 0
    said = "note: Kruise 1.9.1 is not known here, and computed as 1.9 [UnknownPatchRelease]\n"
    assert (ended.stdout + ended.stderr).count(said) == 1
    known = run(*words, "--kruise", "1.9.0")
    assert "UnknownPatchRelease" not in known.stdout + known.stderr


@pytest.mark.parametrize("command", ["diff", "validate"])
def test_an_upgrade_notes_unknown_patch_releases_of_both_sides(command: str) -> None:
    Path("set.yaml").write_text(ALPHA)
    ended = run(command, "--kruise-from", "1.8.9", "--kruise-to", "1.9.1", "set.yaml")
    said = ended.stdout + ended.stderr
    assert said.count("note: Kruise 1.8.9 is not known here, and computed as 1.8 [UnknownPatchRelease]\n") == 1
    assert said.count("note: Kruise 1.9.1 is not known here, and computed as 1.9 [UnknownPatchRelease]\n") == 1


def test_version_lists_the_profiles() -> None:
    lines = run("version", "--kruise", env={"SIDECARCTL_KRUISE": "1.7"}).stdout.splitlines()
    assert lines[0] == "master  Kruise 1.9 (with canary sets)"
    assert lines[1] == "1.9     1.9.0 (the default)"
    assert "1.7     1.7.1, 1.7.2, 1.7.3, 1.7.4" in lines
    assert lines[-1] == "1.0     1.0.1"
