"""Every recorded case that is kept here passes."""

import pytest

from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.operations import difference_in
from tests.effort import unmeasured

CASES = list(cases_in(FOLDER))


@unmeasured
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_recorded(case: Case) -> None:
    assert difference_in(case) is None
