"""Two versions of a set: the verdict follows from the hashes, the causes from the fields; both must agree."""

from itertools import pairwise

import pytest

from sidecarctl.engine.comparing.set_changes import changed
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.sidecarset.admission import admit
from tests.conformance.cases import FOLDER, Case, cases_in

_UPDATES = [case for case in cases_in(FOLDER / "admit") if "old" in case.params and "sets" in case.expect]
_REVISIONS = [case for case in cases_in(FOLDER / "revisions") if case.params.get("updates")]


@pytest.mark.parametrize("case", [*_UPDATES, *_REVISIONS], ids=lambda case: case.name)
def test_every_recorded_update_has_causes_just_where_pods_must_be_recreated(case: Case) -> None:
    sets = [item for item in case.objects if item["kind"] == "SidecarSet"]
    versions = [case.params["old"], sets[-1]] if "old" in case.params else [sets[0], *case.params["updates"]]
    for written in pairwise(versions):
        old, new = map(admit, written)
        change = changed(old, new, written)
        assert bool(change.causes) == (old.hash_without_image != new.hash_without_image)
        assert {*change.causes, *change.defaulted} <= {field.text for field in change.fields}
        if change.verdict is Verdict.IN_PLACE:
            assert old.hash != new.hash
        assert change.verdict.sentence
