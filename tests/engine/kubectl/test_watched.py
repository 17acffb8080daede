"""`status --live --watch` and `plan --live --watch`: the whole way, with a kubectl whose proxy streams events."""

import io
import re
import signal

import pexpect
import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HashEntry, write_hashes
from tests.cli.running import run
from tests.engine.kubectl.stand_in import NAMESPACES, PODS, REVISIONS, SETS, WEBHOOKS, StandIn, webhook
from tests.engine.kubectl.watching import Watching, words
from tests.engine.rollout.manifests import not_ready, pod, sidecarset

WATCHED = (NAMESPACES, REVISIONS, SETS, PODS, WEBHOOKS)


def stored(manifest: Object, version: int = 1) -> Object:
    """An object as the server has it, with a uid and a version."""
    metadata = manifest["metadata"]
    return {**manifest, "metadata": {"uid": metadata["name"], **metadata, "resourceVersion": str(version)}}


def updated(name: str) -> Object:
    new = write_hashes({"logs": HashEntry(None, sidecarset("2").hash, "logs", ("agent",), "logs-2")})
    return pod(name, images={"agent": "agent:2", "app": "app:1"}, annotations={HASH: new})


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, stored(sidecarset("2").manifest))
    kubectl.holds(PODS, *(stored(pod(f"p{number}")) for number in range(2)))
    kubectl.holds(WEBHOOKS, stored(webhook()))
    return kubectl


@pytest.mark.slow
def test_a_line_for_each_change_of_a_status(cluster: StandIn) -> None:
    with Watching("status") as watching:
        assert watching.line() == "logs: 0 of 2 pods updated, 2 ready, 0 updated and ready"
        cluster.changes(PODS, "MODIFIED", stored(updated("p0"), 8))
        assert watching.line() == "logs: shop/p0: Waiting -> Updated"
        assert watching.line() == "logs: 1 of 2 pods updated, 2 ready, 1 updated and ready"
        cluster.changes(PODS, "MODIFIED", stored(not_ready(updated("p0")), 9))
        assert watching.line() == "logs: shop/p0: Updated -> NotReady (not ready: agent, app)"
        assert watching.line() == "logs: 1 of 2 pods updated, 1 ready, 0 updated and ready"
        cluster.changes(PODS, "DELETED", stored(pod("p0"), 10))
        assert watching.line() == "logs: shop/p0: NotReady -> gone"
        assert watching.line() == "logs: 0 of 1 pod updated, 1 ready, 0 updated and ready"
        cluster.changes(SETS, "DELETED", stored(sidecarset("2").manifest, 11))
        assert watching.process.wait(240) == 2  # as without --watch


@pytest.mark.slow
def test_the_sidecarset_that_only_names_is_deleted(cluster: StandIn) -> None:
    """It was there when the command began, so nothing is wrong with the command line."""
    cluster.holds(SETS, *(stored(sidecarset("2", name=name).manifest) for name in ("logs", "other")))
    with Watching("status", "--only", "other") as watching:
        assert watching.line().startswith("other: ")
        cluster.changes(SETS, "DELETED", stored(sidecarset("2", name="other").manifest, 11))
        watching.wait_for_news("the SidecarSets have changed: --only other: SidecarSet not found")
        assert watching.process.wait(240) == 2


@pytest.mark.slow
def test_a_line_for_each_change_of_a_plan_and_one_watch_a_kind(cluster: StandIn) -> None:
    with Watching("plan") as watching:
        whole = "Completes: all 2 pods updated after 2 waves."
        assert watching.line() == f"logs: 0 of 2 pods updated, 0 unavailable; next shop/p0; {whole}"
        cluster.changes(PODS, "MODIFIED", stored(updated("p0"), 8))
        left = "Completes: all 2 pods updated after 1 wave."
        assert watching.line() == f"logs: 1 of 2 pods updated, 0 unavailable; next shop/p1; {left}"
        cluster.changes(SETS, "MODIFIED", stored(sidecarset("2", updateStrategy={"paused": True}).manifest, 9))
        assert "Does nothing: updateStrategy.paused is true; 1 of 2 pods updated." in watching.line()
        assert watching.end(signal.SIGINT) == (130, "")
    asked = [call[1].partition("?") for call in cluster.calls if call[0] == "GET"]
    for path in WATCHED:
        first, second = (query for found, _, query in asked if found == path)
        assert ("watch=1" in first, "watch=1" in second) == (False, True)
    assert len(asked) == 2 * len(WATCHED) + 3  # the cluster, Kruise's Deployment, and budgets, which are not served


@pytest.mark.slow
@pytest.mark.parametrize("command", ["status", "plan"])
def test_on_a_terminal_the_text_stays_in_its_place(cluster: StandIn, command: str) -> None:
    """Nothing is cleared, no line is wrapped by the terminal, and the cursor is back at the end."""
    program, *rest = words(command)
    environ = {"PATH": str(cluster.folder), "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    cluster.holds(PODS, *(stored(pod(f"p{number:02}")) for number in range(30)))
    terminal = pexpect.spawn(program, rest, env=environ, dimensions=(6, 80), timeout=60, encoding="utf-8")
    written = terminal.logfile_read = io.StringIO()
    for number in range(3):
        terminal.expect(r"\.\.\. \d+ more lines")
        cluster.changes(PODS, "MODIFIED", stored(updated(f"p{number:02}"), 8 + number))
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    shown = written.getvalue()
    assert terminal.exitstatus == 130
    assert "\x1b[2J" not in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown))
    assert max(map(len, lines)) <= 80
    assert "Traceback" not in shown


@pytest.mark.slow
def test_a_signal_that_ends_it() -> None:
    with Watching("status") as watching:
        watching.line()
        assert watching.end(signal.SIGTERM)[0] == 143


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["status", "--watch"], "--watch needs --live"),
        (["status", "--live", "--watch", "-o", "json"], "--watch shows one text on stdout"),
        (["status", "--live", "--watch", "-o", "text=x"], "--watch shows one text on stdout"),
        (["status", "--live", "--watch", "--exit-code"], "--exit-code cannot be combined with --watch"),
        (["status", "--live", "--watch", "--report", "text"], "--report cannot be combined with --watch"),
        (["plan", "--live", "--watch", "--sweep", "max-unavailable=1,2"], "--sweep cannot be combined with --watch"),
        (["plan", "--live", "--watch", "-"], "standard input (-) can be read only once"),
    ],
)
def test_what_it_cannot_be_combined_with(options: list[str], said: str) -> None:
    ended = run(*options)
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_what_cannot_be_read_ends_it(cluster: StandIn) -> None:
    cluster.fails(PODS, "Error from server (Forbidden): pods is forbidden")
    ended = run("status", "--live", "--watch")
    assert (ended.code, ended.stdout) == (2, "")
    assert "pods is forbidden" in ended.stderr
