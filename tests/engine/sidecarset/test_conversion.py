"""Sets in the other API version; the recorded cases of `convert` show the rest."""

from copy import deepcopy

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.sidecarset.other_version import converted
from tests.conformance.cases import FOLDER, cases_in
from tests.engine.sidecarset.manifests import sidecarset


def test_what_cannot_be_decoded_is_refused() -> None:
    with pytest.raises(InputError, match="expected a list"):
        converted(sidecarset(containers={}))


def test_status_is_there_only_if_it_was() -> None:
    assert "status" not in converted(sidecarset())
    with_status = sidecarset("v1alpha1") | {"status": {"updatedPods": 3}}
    assert converted(with_status)["status"] == {"matchedPods": 0, "updatedPods": 3, "readyPods": 0}


def test_there_and_back_is_the_same_but_for_the_namespace() -> None:
    for case in cases_in(FOLDER / "convert"):
        for manifest in case.objects:
            before = deepcopy(manifest)
            there = converted(manifest)
            if "namespace" not in manifest["spec"]:
                assert converted(converted(there)) == there
            assert manifest == before
