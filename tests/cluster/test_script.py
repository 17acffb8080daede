"""The kubectl script, run against real pods."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ended
from tests.cluster.shop import Shop, images
from tests.cluster.test_patches import HOT, METADATA, assert_as_planned, cold, start
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.plan.render.test_render_guards import set_of, shared_pod

_ON_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


def script(shop: Shop, *options: str) -> str:
    ended = shop.render("-o", "kubectl", *options)
    assert ended.code == 0, ended.stderr
    return ended.stdout


def executed(shop: Shop, text: str, *, code: int = 0, **environ: str) -> Ended:
    return shop.sh(text, code=code, **{"YES": "1", "TIMEOUT": "240", **environ})


def answered(shop: Shop, text: str, answer: str) -> Ended:
    """Run a script on a terminal on which somebody answers."""
    path = shop.folder / "script"
    path.write_text(text)
    ended = subprocess.run(
        [sys.executable, "-c", _ON_A_TERMINAL, "sh", str(path)],
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TIMEOUT": "240"},
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.parametrize("spec", [{}, {"patchPodMetadata": METADATA}], ids=["", "with metadata"])
def test_cold_updates_and_again(shop: Shop, spec: dict[str, object]) -> None:
    before = start(shop, [pod(f"p{index}") for index in range(3)], cold(**spec))
    plan = shop.plan()
    executed(shop, script(shop))
    assert_as_planned(shop, plan, before)
    again = executed(shop, script(shop))
    order = [item["name"] for wave in plan["sidecarSets"][0]["waves"] for item in wave["pods"]]
    assert [line for line in again.stdout.splitlines() if "planned" in line] == [
        f"pod {shop.namespace}/{name} is already as planned" for name in order
    ]
    assert_as_planned(shop, plan, before)


@pytest.mark.parametrize("options", [(), ("--write-conditions",)])
def test_a_hot_upgrade_and_again(shop: Shop, options: tuple[str, ...]) -> None:
    before = start(shop, [pod("p0", hot=True, images=HOT)], sidecarset("2", hot=True).manifest)
    plan = shop.plan()
    for _ in range(2):
        executed(shop, script(shop, *options))
        assert_as_planned(shop, plan, before)


def test_two_sets_and_again(shop: Shop) -> None:
    before = start(shop, [shared_pod("p0"), shared_pod("p1")], set_of("logs"), set_of("mesh"))
    plan = shop.plan()
    for _ in range(2):
        executed(shop, script(shop))
        assert_as_planned(shop, plan, before)


def test_it_continues_where_it_was_stopped(shop: Shop) -> None:
    before = start(shop, [pod(f"p{index}") for index in range(4)], cold())
    plan = shop.plan()
    executed(shop, script(shop, "--waves", "1"))
    ended = executed(shop, script(shop))
    assert ended.stdout.count("is already as planned") == 2
    assert_as_planned(shop, plan, before)


def test_a_pod_that_has_changed_is_named_with_what_was_expected(shop: Shop) -> None:
    start(shop, [pod("p0"), pod("p1")], cold())
    first, last = (item["name"] for item in shop.plan()["sidecarSets"][0]["waves"][0]["pods"])
    shop.api.patch(shop.path(last), {"spec": {"containers": [{"name": "agent", "image": "agent:9"}]}})
    ended = executed(shop, script(shop), code=1)
    uid = shop.pod(last)["metadata"]["uid"]
    assert f"pod {shop.namespace}/{last} was not patched." in ended.stderr
    assert f"expected: uid {uid}; resourceVersion " in ended.stderr
    assert "; agent as number 0 of containers, with the image agent:1; as when the plan was made: " in ended.stderr
    assert "found: [agent=agent:9][app=app:1] uid=" in ended.stderr
    assert images(shop.pod(first))["agent"] == "agent:2"


def test_a_pod_that_is_gone(shop: Shop) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    shop.api.delete(shop.path("p0"))
    assert f"pod {shop.namespace}/p0 cannot be read" in executed(shop, script(shop), code=1).stderr


def test_a_dry_run_changes_nothing(shop: Shop) -> None:
    before = start(shop, [pod("p0", hot=True, images=HOT)], sidecarset("2", hot=True).manifest)
    shop.plan()
    ended = executed(shop, script(shop, "--write-conditions"), DRY_RUN="server")
    assert "; a dry run, nothing is changed\n" in ended.stdout
    assert "pod/p0 patched" in ended.stdout
    assert f"pod {shop.namespace}/p0: its later patch cannot be checked" in ended.stdout
    assert shop.pod("p0") == before["p0"]
    assert "DRY_RUN is server or empty" in executed(shop, script(shop), code=2, DRY_RUN="client").stderr


def test_a_dry_run_finds_what_has_changed(shop: Shop) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    shop.api.patch(shop.path("p0"), {"spec": {"containers": [{"name": "agent", "image": "agent:9"}]}})
    assert "p0 was not patched" in executed(shop, script(shop), code=1, DRY_RUN="server").stderr


def test_it_shows_the_context_and_asks(shop: Shop) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    refused = answered(shop, script(shop), "n\n")
    assert refused.code == 1
    assert "1 pod; context: test, https://127.0.0.1:" in refused.stdout
    assert "Patch them? [y/N]" in refused.stdout
    assert images(shop.pod("p0"))["agent"] == "agent:1"
    assert answered(shop, script(shop), "y\n").code == 0
    assert images(shop.pod("p0"))["agent"] == "agent:2"


def test_without_a_terminal_it_does_not_begin(shop: Shop) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    path = shop.folder / "script"
    path.write_text(script(shop))
    ended = subprocess.run(["sh", path], capture_output=True, text=True, check=False, start_new_session=True)
    assert (ended.returncode, images(shop.pod("p0"))["agent"]) == (1, "agent:1")
    assert "use YES=1 to skip it" in ended.stderr


def test_the_context_that_it_shows_is_the_one_that_it_uses(shop: Shop, tmp_path: Path) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    config = (tmp_path / "kubeconfig").read_text().replace("current-context: test", "current-context: elsewhere")
    (tmp_path / "kubeconfig").write_text(config)
    ended = executed(shop, script(shop), KUBECTL="kubectl --context=test")
    assert "context: test, https://127.0.0.1:" in ended.stdout
