"""Workloads with more replicas than any cluster has."""

from pathlib import Path

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.features.plan.test_empty_revision import REVISION

MANY = DEPLOYMENT.replace("replicas: 2 ", "replicas: 2147483647 ")
PARTIAL = """\
  updateStrategy: {partition: 50%}
  injectionStrategy: {revision: {revisionName: logs-1, policy: Partial}}
"""


def test_draws_are_made_for_the_first_ones(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(f"{SET}{PARTIAL}{REVISION}")
    (tmp_path / "app.yaml").write_text(MANY)
    ended = run("inject", "-s", tmp_path / "set.yaml", tmp_path / "app.yaml")
    assert ended.code == 0
    assert "of the first 100,000 of 2,147,483,647 replicas get the older revision of logs" in ended.stderr


def test_a_plan_of_them_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "app.yaml").write_text(MANY)
    ended = run("plan", "-s", tmp_path / "set.yaml", tmp_path / "app.yaml", "--from", tmp_path / "set.yaml")
    assert ended.code == 3
    assert "2,147,483,647 pods from ordinal 0 are too many to simulate" in ended.stderr
