"""What keeps an update in place if the default of imagePullPolicy changed with the image tag."""

import pytest

from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference, kept_in_place

POLICY = FieldDifference(("spec", "containers", 0, "imagePullPolicy"), "Always", "IfNotPresent")
ARGS = FieldDifference(("spec", "containers", 0, "args"), None, ["x"])


@pytest.mark.parametrize(
    ("blocking", "said"),
    [
        ([POLICY], "write imagePullPolicy: Always in the SidecarSet, which keeps the update in place"),
        ([POLICY, POLICY], "write imagePullPolicy: Always in the SidecarSet, which keeps the update in place"),
        ([POLICY, ARGS], ""),
        ([ARGS], ""),
        ([POLICY._replace(now=None)], ""),
        ([], ""),
    ],
)
def test_pull_policies_alone_can_be_kept(blocking: list[FieldDifference], said: str) -> None:
    assert kept_in_place(blocking) == said
