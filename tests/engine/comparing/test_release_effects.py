"""Properties of every upgrade of Kruise, for any SidecarSet."""

import pytest
from hypothesis import given

from sidecarctl.engine.comparing.release_effects import Topic, Versions, effects_of, verdict_of
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.admission import admit
from tests.effort import share
from tests.engine.injection.strategies import sidecarsets
from tests.engine.releases.watching import NEIGHBORS

PAIRS = pytest.mark.parametrize(("older", "newer"), NEIGHBORS, ids=lambda release: release.name)
RELEASES = pytest.mark.parametrize("release", PROFILES.values(), ids=lambda release: release.name)


def versions(manifest: Object, before: Release, after: Release) -> Versions | None:
    try:
        return Versions(manifest, admit(manifest, before), admit(manifest, after))
    except InputError:
        return None


@RELEASES
@given(sidecarsets)
@share(8)
def test_no_upgrade_has_no_effect(release: Release, sets: tuple[Object, ...]) -> None:
    for manifest in sets:
        if same := versions(manifest, release, release):
            assert effects_of(same) == []
            assert verdict_of(same) is Verdict.NO_EFFECT


@PAIRS
@given(sidecarsets)
@share(8)
def test_the_way_back_takes_away_what_the_way_there_brought(
    older: Release, newer: Release, sets: tuple[Object, ...]
) -> None:
    for manifest in sets:
        there, back = versions(manifest, older, newer), versions(manifest, newer, older)
        if there is None or back is None:
            continue
        topics = [{effect.topic for effect in effects_of(item)} for item in (there, back)]
        for item in (Topic.HASH, Topic.REVISION, Topic.ORDER, Topic.PACE, Topic.HOT_RESET, Topic.CONDITION):
            assert (item in topics[0]) is (item in topics[1])
        begins = sum(effect.topic is Topic.FIELD_BEGINS for effect in effects_of(there))
        assert begins == sum(effect.topic is Topic.FIELD_CEASES for effect in effects_of(back))


@PAIRS
@given(sidecarsets)
@share(8)
def test_the_verdict_follows_from_the_hashes(older: Release, newer: Release, sets: tuple[Object, ...]) -> None:
    for manifest in sets:
        if changed := versions(manifest, older, newer):
            says_hash = any(effect.topic is Topic.HASH for effect in effects_of(changed))
            assert says_hash is (changed.before.hash != changed.after.hash)
            if verdict_of(changed) in (Verdict.IN_PLACE, Verdict.RECREATE):
                assert says_hash
