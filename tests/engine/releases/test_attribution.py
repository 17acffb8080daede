"""Each switch decides the recorded cases that are attributed to it: put back, some of them come out otherwise."""

from dataclasses import replace

import pytest

from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import MASTER
from tests.conformance.cases import FOLDER, cases_in
from tests.conformance.operations import difference_in
from tests.conformance.under_release import under_release
from tests.engine.releases.attribution import SWITCHES, attributed
from tests.engine.releases.recordings import Recordings
from tests.engine.releases.tables import switch_names

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
    "adds_later_steps": "what these steps add is not computed",
    "budget_annotations": "op pub is recorded for master alone",
    "budget_counts_down": "op pub is recorded for master alone",
    "budget_everywhere": "op pub is recorded for master alone",
    "budget_fields": "op pub is recorded for master alone",
    "budget_frees_inconsistent": "op pub is recorded for master alone",
    "budget_labels": "op pub is recorded for master alone",
    "budget_of_any_pod": "what the pod webhook adds for budgets is not computed",
    "budget_of_none_frees": "op pub is recorded for master alone",
    "budget_percent_up": "op pub is recorded for master alone",
    "budget_total": "op pub is recorded for master alone",
    "budget_words": "op pub is recorded for master alone",
    "budget_words_may_be_empty": "op pub is recorded for master alone",
    "chart_ignores_failures": "the cases ask the handler, behind every rule of an installation",
    "chart_leaves_out": "the cases ask the handler, behind every rule of an installation",
    "completed_annotation": "op webhook is recorded for master alone",
    "enhanced_liveness": "op webhook is recorded for master alone",
    "image_limit_without_host": "no case has an image name of this length",
    "lists_plain_init_containers": "1.7.0 has no attribution",
    "new_gates_are_on": "what these gates are for is not computed, or recorded for master alone",
    "old_json_escapes": "op webhook is recorded for master alone",
    "probe_marker_gate": "the gate decides about no recorded operation",
    "serves_v1beta1": "the recordings read v1beta1 as v1alpha1",
    "skips_system_namespaces": "no case has these namespaces",
    "survives_missing_selector": "no case has a set without selector beside another",
    "terminates_sidecars": "what ends sidecars is a controller's work, which no case records",
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
