"""The comment over several clusters is one report: each change once, with all that the comment of one cluster has."""

import shutil
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

BASE = "https://code.example.com/acme/shop/blob/main"
DIFF = ("diff", "--before", "git:HEAD")
NEWER = SET.replace("2.4.1", "2.5.0")


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three clusters that share a SidecarSet, and one that has its own; two have workloads."""
    monkeypatch.chdir(tmp_path)
    for name in ("base", "clusters/eu", "clusters/us", "clusters/ap", "clusters/own"):
        Path(name).mkdir(parents=True)
    Path("base/logs.yaml").write_text(SET)
    Path("clusters/own/logs.yaml").write_text(SET)
    for name, replicas in {"eu": 2, "us": 5}.items():
        Path(f"clusters/{name}/web.yaml").write_text(DEPLOYMENT.replace("replicas: 2", f"replicas: {replicas}"))
    Path("clusters/ap/readme.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    Path(".sidecarctl.yaml").write_text("clusters: [{paths: [clusters/*], include: [base]}]\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def comment(*words: str) -> str:
    ended = run(*DIFF, "-o", "markdown", "--link-base", BASE, *words)
    assert ended.code in (0, 1), ended.stderr
    return ended.stdout


def test_a_change_is_said_once_with_its_clusters() -> None:
    Path("base/logs.yaml").write_text(NEWER)
    text = comment()
    assert text.startswith(
        "<!-- sidecarctl diff -->\n**1 SidecarSet changes in 3 of 4 clusters: logs InPlace**\n"
    )  # fmt: skip
    [row] = [line for line in text.splitlines() if line.startswith("| <a href")]
    assert (
        f'<a href="{BASE}/base/logs.yaml#L1"><code>logs</code></a> | InPlace | log-agent 2.4.1 &#8594; 2.5.0 |' in row
    )
    assert row.endswith("| ap, eu, us |")
    assert "eu: Only images change: all 2 pods" in row
    assert "us: Only images change: all 5 pods" in row
    assert "| 2 | <code>Deployment shop/web</code> | log-agent 2.4.1 &#8594; 2.5.0 | eu, us |\n" in text
    assert "- no effect in 1 cluster: own\n" in text
    assert text.count("<code>spec.containers&#91;log-agent&#93;.image</code>") == 1


def test_it_has_what_the_comment_of_a_cluster_has() -> None:
    Path("base/logs.yaml").write_text(
        NEWER.replace("app: web", "app: shop") + "    env:\n    - {name: LEVEL, value: debug}\n  bogus: 1\n"
    )
    text, alone = comment(), comment("--only-cluster", "eu")
    assert "SidecarLost" in alone
    for line in alone.splitlines():
        if line.startswith(("- ", "| <code>spec", "+  ")) and "hash" not in line and "revision" not in line:
            said = line.removeprefix("- ").split("</code>: ")[-1].split(": ")[-1]
            assert said in text, line
    assert "| SidecarLost<br>Recreate |" in text


def test_merged_documents_make_the_same_comment() -> None:
    Path("base/logs.yaml").write_text(f"{NEWER}  bogus: 1\n")
    text = comment()
    for name in ("ap", "eu", "own", "us"):
        run(*DIFF, "--only-cluster", name, "-o", f"json={name}.out")
        shutil.move(f"{name}.out", f"../{name}.json")
    files = [f"../{name}.json" for name in ("ap", "eu", "own", "us")]
    assert run("merge", *files, "-o", "markdown", "--link-base", BASE).code == 2  # merge has no links
    merged = run("merge", *files, "-o", "markdown").stdout
    assert [line for line in merged.splitlines() if line.startswith("| <code>spec")] == [
        line for line in text.splitlines() if line.startswith("| <code>spec")
    ]
    assert merged.splitlines()[:2] == text.splitlines()[:2]


def test_where_fields_differ_the_clusters_are_named() -> None:
    Path("base/logs.yaml").write_text(NEWER)
    Path("clusters/own/logs.yaml").write_text(SET.replace("2.4.1", "2.6.0"))
    text = comment()
    assert "in ap, eu, us:" in text
    assert "in own:" in text
    assert "in all 4 clusters: logs InPlace**" in text
    plain = run(*DIFF).stdout
    assert plain.startswith("diff of 4 clusters: 1 SidecarSet\n\nlogs: InPlace in all 4 clusters\n")
    assert "REVISION" not in plain
    assert "UPDATED" not in plain


def test_without_an_effect_there_is_nothing_to_post(fleet: Path) -> None:
    Path("base/logs.yaml").write_text(f"{SET}  bogus: 1\n")
    git(fleet, "commit", "-qam", "a warning")
    Path("clusters/eu/readme.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
    text = comment()
    assert text.startswith(
        "<!-- sidecarctl diff --><!-- nothing new -->\n**No SidecarSet changes in 4 clusters**\n"
    )  # fmt: skip
    assert "<summary>2 findings of the base: 1 warning, 1 note</summary>" in text
    assert "- no effect in 4 clusters: ap, eu, own, us\n" in text
