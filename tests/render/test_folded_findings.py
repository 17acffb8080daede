"""Very many findings that say the same."""

from sidecarctl.engine.facts.findings import warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.render.findings import folded_lines


def test_a_few_are_reported_and_the_others_counted() -> None:
    many = [warning(Reason.POD_WITHOUT_STATUS, "no status", ("status",)) for _ in range(10)]
    other = warning(Reason.UNKNOWN_PHASE, "what is it?")
    lines = list(folded_lines([*many, other]))
    assert lines[:3] == ["warning: status: no status [PodWithoutStatus]"] * 3
    assert lines[3:] == [
        "warning: what is it? [UnknownPhase]",
        "warning: 7 more: no status [PodWithoutStatus]",
    ]
