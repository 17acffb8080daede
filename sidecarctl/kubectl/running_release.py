"""Which release of Kruise is computed for a cluster: the one that runs there.

Source: docs/behaviour/releases.md, "Profiles".
"""

from collections.abc import Sequence

from sidecarctl.facts.findings import Finding, note
from sidecarctl.facts.reasons import Reason
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.releases.versions import UnknownReleaseError, release_named

_HINT = "name it with --kruise"


def running_release(version: str, notes: Sequence[Finding]) -> tuple[Release | None, list[Finding]]:
    """The release of a version that a cluster runs, None if it is unknown; and the notes, with one about it.

    `version` is empty if it is not known, and one of the notes says why.
    """
    if not version:
        return None, [
            _with_default(finding) if finding.reason is Reason.KRUISE_UNKNOWN else finding for finding in notes
        ]
    try:
        release = release_named(version)
    except UnknownReleaseError as unknown:
        message = f"the cluster runs Kruise {version}, and {unknown}"
        return None, [*notes, _with_default(note(Reason.KRUISE_UNKNOWN, message))]
    message = f"the cluster runs Kruise {version}: the behaviour of {release.behaviour} is computed"
    return release, [*notes, note(Reason.RUNNING_RELEASE, message)]


def _with_default(finding: Finding) -> Finding:
    """The note, saying what is computed instead."""
    message = f"{finding.message}; the behaviour of {MASTER.behaviour} is computed"
    return finding._replace(message=message, hint=_HINT)
