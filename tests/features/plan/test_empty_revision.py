"""A ControllerRevision without data, which changes nothing in Kruise."""

from pathlib import Path

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

REVISION = """\
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: logs-1, namespace: kruise-system}
revision: 1
"""


def test_the_set_is_injected_as_it_is_and_the_revision_is_named(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(
        f"{SET}  injectionStrategy: {{revision: {{revisionName: logs-1}}}}\n{REVISION}"
    )
    (tmp_path / "app.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", tmp_path / "set.yaml", tmp_path / "app.yaml")
    assert ended.code == 0
    assert "log-agent:2.4.1" in ended.stdout
    assert "the ControllerRevision logs-1 has no data" in ended.stderr
    assert "[EmptyRevision]" in ended.stderr
