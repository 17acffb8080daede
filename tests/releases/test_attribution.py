"""Each switch decides the recorded cases that are attributed to it: put back, some of them come out otherwise."""

from dataclasses import replace

import pytest

from sidecarctl.releases.release import MASTER
from sidecarctl.releases.versions import release_named
from tests.conformance.cases import FOLDER, cases_in
from tests.conformance.operations import difference_in
from tests.conformance.under_release import under_release
from tests.releases.attribution import SWITCHES, attributed
from tests.releases.recordings import Recordings
from tests.releases.tables import switch_names

CASES = {case.key: case for case in cases_in(FOLDER)}
RECORDINGS = Recordings()
NEWEST = {name: release for release, switches in reversed(attributed().items()) for name in switches}
"""The newest release that has the old value of each switch."""

TRIED = 10
SHOWN_OTHERWISE = {
    "customVersionField": "the version is among the labels of the manifest itself, which are checked in any case",
    "selectorValues": "the newer path lies below the older one, so it is right as well",
}

NOT_ATTRIBUTED = {
    "lists_plain_init_containers": "1.7.0 has no attribution",
    "serves_v1beta1": "the recordings read v1beta1 as v1alpha1",
    "skips_system_namespaces": "no case has these namespaces",
    "survives_missing_selector": "no case has a set without selector beside another",
    "unset_policy_goes_last": "no case that is kept here has such a revision",
}


@pytest.mark.parametrize("name", sorted(SWITCHES.keys() - SHOWN_OTHERWISE.keys()))
def test_a_switch_decides_its_cases(name: str) -> None:
    release, switch = release_named(NEWEST[name]), SWITCHES[name]
    put_back = release.older(release.name, **{switch: getattr(MASTER, switch)})
    cases = [under_release(CASES[key], release, RECORDINGS) for key in attributed()[NEWEST[name]][name][:TRIED]]
    kept = [case for case in cases if case]
    assert all(difference_in(case) is None for case in kept)
    assert any(difference_in(replace(case, release=put_back)) for case in kept)


def test_every_switch_is_attributed_or_says_why_not() -> None:
    assert set(switch_names()) - set(SWITCHES.values()) == NOT_ATTRIBUTED.keys()
