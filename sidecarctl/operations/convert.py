"""Conversion of SidecarSets to the other API version, applied to every object of the inputs."""

from sidecarctl.api.canonical import typed
from sidecarctl.facts.errors import InternalFaultError
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.operations.transforming.object_changes import Change, Outcome
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.conversion import converted
from sidecarctl.sidecarset.decoding import decode, type_of
from sidecarctl.sidecarset.sets import GROUP, Version
from sidecarctl.sidecarset.version_change import in_version


class Convert:
    """The transformation: each SidecarSet in the given API version, everything else unchanged."""

    def __init__(self, version: Version) -> None:
        self.version = version

    def __call__(self, found: ManifestObject) -> Change:
        """The SidecarSet in that version; InputError if it cannot be decoded."""
        if (found.group, found.reference.kind) != (GROUP, "SidecarSet"):
            return Change(Outcome.OTHER)
        manifest = found.inherited | found.manifest
        if decode(manifest) == self.version:
            return Change(Outcome.UNCHANGED, summary=f"it is already {self.version}")
        change = in_version(found.manifest, self.version)
        unchanged = _proven(manifest, found.inherited | change.after, self.version)
        return Change(Outcome.CHANGED, change.after, f"hash {unchanged}, unchanged", findings=change.findings)


def _proven(before: Object, after: Object, version: Version) -> str:
    """The hash of a SidecarSet in both versions; InternalFaultError if anything except the version changed."""
    old, new = admit(before), admit(after)
    if (old.hash, old.hash_without_image) != (new.hash, new.hash_without_image):
        message = f"the hash would change from {old.hash} to {new.hash}"
    elif typed(after, type_of(version)) != typed(converted(before), type_of(version)):
        message = "the edited text differs from the SidecarSet that the API server would return"
    else:
        return old.hash
    raise InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this, with the manifest"))
