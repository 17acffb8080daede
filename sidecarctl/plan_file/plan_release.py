"""The release of Kruise that a plan was made for."""

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.releases.profiles import PROFILES
from sidecarctl.releases.release import Release


def release_of(document: Object) -> Release:
    """The release; ImpossibleError (EditedPlan) for a behaviour that is not known here."""
    behaviour = document["behaviour"]
    for release in PROFILES.values():
        if release.behaviour == behaviour:
            return release
    message = f"the behaviour of the plan, {behaviour}, is not known here"
    raise impossible(Reason.EDITED_PLAN, message, ("behaviour",), hint="make a new plan")
