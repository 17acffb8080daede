import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.round.pod_changes import mark
from sidecarctl.engine.rollout.simulated_pods import UpgradableCondition
from tests.engine.rollout.manifests import pod, simulated


def _with_condition(**condition: object) -> Object:
    return pod(status={"conditions": [{"type": "SidecarSetUpgradable", **condition}]})


def test_a_pod_without_the_condition_gets_it() -> None:
    found = simulated(pod())
    change = mark(found, "logs", upgradable=False)
    assert change is not None
    assert change.before is None
    assert change.after == found.condition == ("False", "UpdateImmutableField", '{"logs":false}')
    assert (change.pod_index, change.pod) == (0, found.name)


@pytest.mark.parametrize(
    ("message", "after"),
    [
        (None, ("True", "AllSidecarsetUpgradable", '{"logs":true}')),
        ("null", ("True", "AllSidecarsetUpgradable", '{"logs":true}')),
        ('{"mesh":true,"logs":false}', ("True", "AllSidecarsetUpgradable", '{"logs":true,"mesh":true}')),
        ('{"mesh":false}', ("False", "UpdateImmutableField", '{"logs":true,"mesh":false}')),
        (
            '{"z":{"y":1.0,"x":"<"}, "a":0}',
            ("True", "AllSidecarsetUpgradable", '{"a":0,"logs":true,"z":{"x":"\\u003c","y":1}}'),
        ),
    ],
)
def test_other_sets_stay_as_they_are(message: str | None, after: tuple[str, str, str]) -> None:
    found = simulated(_with_condition(status="False", reason="x", message=message))
    change = mark(found, "logs", upgradable=True)
    assert change is not None
    assert change.before == UpgradableCondition("False", "x", message or "")
    assert change.after == after


def test_nothing_is_written_when_nothing_changes() -> None:
    manifest = _with_condition(status="True", reason="AllSidecarsetUpgradable", message='{"logs":true}')
    assert mark(simulated(manifest), "logs", upgradable=True) is None


@pytest.mark.parametrize("message", ["nope", "[]", "5", " "])
def test_a_message_that_is_not_an_object(message: str) -> None:
    found = simulated(_with_condition(message=message))
    with pytest.raises(ImpossibleError) as raised:
        mark(found, "logs", upgradable=True)
    assert raised.value.findings[0].reason is Reason.CONDITION_UNREADABLE
