"""The comment on a pull request: a marker, what changes in each row, links to lines, findings; nothing is lost."""

import html
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

NEWER = SET.replace("log-agent:2.4.1", "log-agent:2.5.0") + "    env:\n    - {name: LEVEL, value: debug}\n"
BASE = "https://code.example.com/acme/platform/blob/main"
LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "platform").mkdir()
    monkeypatch.chdir(tmp_path / "platform")
    tree("old", SET)
    tree("new", NEWER)
    return tmp_path


def tree(name: str, sets: str) -> None:
    Path(name).mkdir(exist_ok=True)
    Path(name, "set.yaml").write_text(sets)
    Path(name, "web.yaml").write_text(DEPLOYMENT)


def comment(*options: str, env: dict[str, str] | None = None) -> str:
    return _diff("-o", "markdown", *options, env=env).stdout


def _diff(*options: str, env: dict[str, str] | None = None) -> Ended:
    return run("diff", "--before", "old", "--after", "new", *options, env=env)


@pytest.mark.parametrize("options", [(), ("--kruise", "1.8")])
def test_a_marker_comes_first(options: tuple[str, ...]) -> None:
    lines = comment(*options).splitlines()
    assert lines[0] == "<!-- sidecarctl diff -->"
    assert lines[1].startswith("**1 of 1 SidecarSet needs pods recreated")
    assert ("behavior: Kruise 1.8" in lines[3]) is bool(options)
    assert run("diff", "old", "new", "-o", "markdown", *options).stdout.startswith("<!-- sidecarctl diff -->\n**")


def test_rows_say_what_changes_under_headers() -> None:
    text = comment()
    words = "log-agent 2.4.1 &#8594; 2.5.0; env LEVEL added to log-agent"
    assert "| SidecarSet | verdict | what changes | what it means for pods |\n" in text
    assert f"| <code>logs</code> | Recreate | {words} | More than images changes: all 2 pods keep" in text
    assert "\n| number | workloads | what changes in their pods |\n| ---: | --- | --- |\n" in text
    assert f"\n| 1 | <code>Deployment shop/web</code> | {words} |\n" in text
    for row in text.splitlines():
        assert "| |" not in row.replace("|  |", "")


def test_findings_are_in_it_most_severe_first() -> None:
    tree("new", NEWER.replace("    env:", "    imagePullPolicy: Never\n    env:") + "  bogus: 1\n")
    text = comment()
    field = "SidecarSet logs: spec.containers&#91;0&#93;.imagePullPolicy"
    assert f"- ❌ <code>new/set.yaml:12:22</code>: {field}: pods must be recreated" in text
    assert text.index("❌") < text.index("⚠️")
    assert "bogus" in text


def test_what_matters_only_to_those_who_write_manifests_is_not_in_it() -> None:
    gates = ("--feature-gates", "KruisePodReadinessGate=true")
    for name in ("old", "new"):
        cloneset = DEPLOYMENT.replace("apps/v1", "apps.kruise.io/v1alpha1").replace("Deployment", "CloneSet")
        Path(name, "web.yaml").write_text(cloneset)
    assert "NotReversible" in run("inject", "-s", "new/set.yaml", "new/web.yaml", *gates).stderr
    ended = _diff("-o", "markdown", *gates)
    assert "uninject" not in ended.stdout + ended.stderr
    assert "NotReversible" not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("options", "variables", "address"),
    [
        (("--link-base", BASE), {}, f"{BASE}/platform/new/set.yaml#L1"),
        (("--link-base", f"{BASE}/"), {}, f"{BASE}/platform/new/set.yaml#L1"),
        ((), {"SIDECARCTL_LINK_BASE": BASE}, f"{BASE}/platform/new/set.yaml#L1"),
        (
            (),
            {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_SHA": "abc"},
            "https://github.com/acme/shop/blob/abc/platform/new/set.yaml#L1",
        ),
        (
            (),
            {"CI_PROJECT_URL": "https://gitlab.example.com/acme/shop", "CI_COMMIT_SHA": "abc"},
            "https://gitlab.example.com/acme/shop/-/blob/abc/platform/new/set.yaml#L1",
        ),
        ((), {"GITHUB_SHA": "abc"}, ""),
    ],
)
def test_links_to_lines(options: tuple[str, ...], variables: dict[str, str], address: str) -> None:
    text = comment(*options, env=variables)
    assert text.count(f'<a href="{address}">') == (1 if address else 0)
    assert text.count(f'<a href="{address}3">') == (1 if address else 0)  # line 13, of the field
    assert ("href" in text) is bool(address)


def test_files_outside_of_the_working_tree_have_no_address(folder: Path) -> None:
    (folder / ".git").rmdir()
    elsewhere = ("--before", "old", "--after", "../platform/new", "--link-base", BASE, "-o", "markdown")
    assert f'<a href="{BASE}/new/set.yaml#L1">' in run("diff", *elsewhere).stdout
    (folder / "beside").mkdir()
    (folder / "beside" / "set.yaml").write_text(NEWER)
    assert "href" not in run("diff", "old", "../beside", "--link-base", BASE, "-o", "markdown").stdout


def test_the_findings_of_a_report_are_linked_too() -> None:
    variables = {"CI_PROJECT_URL": "https://gitlab.example.com/acme/shop", "CI_COMMIT_SHA": "abc"}
    _diff("-o", "json=diff.json", "--report", "markdown=report.md", env=variables)
    assert (
        '<a href="https://gitlab.example.com/acme/shop/-/blob/abc/platform/new/set.yaml#L13">'
        in Path("report.md").read_text()
    )


def test_a_base_that_is_not_an_address_is_refused() -> None:
    ended = _diff("--link-base", "javascript:x")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--link-base javascript:x is not an address" in ended.stderr


def test_no_value_is_lost() -> None:
    tree("new", SET + f"    env:\n    - {{name: A, value: '{LONG}'}}\n    args: {[f'--{n}' for n in range(99)]}\n")
    text = html.unescape(comment())
    for number in range(200):
        assert f"word{number}" in text
    page = html.unescape(_diff("-o", "html").stdout)
    assert LONG in page
    assert "--98" in page.split("before/shop")[0]
