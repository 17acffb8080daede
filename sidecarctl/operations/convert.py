"""Conversion of SidecarSets to the other API version, applied to every object of the inputs."""

from sidecarctl.api.canonical import typed
from sidecarctl.facts.errors import InternalFaultError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.operations.checking.release_findings import gaps_of, refuse_errors
from sidecarctl.operations.transforming.object_changes import Change, Outcome
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.conversion import converted
from sidecarctl.sidecarset.decoding import decode, type_of
from sidecarctl.sidecarset.sets import GROUP, Version
from sidecarctl.sidecarset.version_change import in_version


class Convert:
    """The transformation: each SidecarSet in the given API version, everything else unchanged.

    `release` is the Kruise that the result is for; with `allow_unknown` what it does not know is a warning.
    """

    def __init__(self, version: Version, release: Release = MASTER, *, allow_unknown: bool = False) -> None:
        self.version = version
        self.release = release
        self.allow_unknown = allow_unknown

    def __call__(self, found: ManifestObject) -> Change:
        """The SidecarSet in that version; InputError if it cannot be decoded.

        ImpossibleError if the release would drop part of the result.
        """
        if (found.group, found.reference.kind) != (GROUP, "SidecarSet"):
            return Change(Outcome.OTHER)
        manifest = found.inherited | found.manifest
        if decode(manifest) == self.version:
            gaps = self._gaps(manifest)
            return Change(Outcome.UNCHANGED, summary=f"it is already {self.version}", findings=gaps)
        change = in_version(found.manifest, self.version)
        after = found.inherited | change.after
        unchanged = self._proven(manifest, after)
        findings = (*change.findings, *self._gaps(after))
        return Change(Outcome.CHANGED, change.after, f"hash {unchanged}, unchanged", findings=findings)

    def _gaps(self, manifest: Object) -> tuple[Finding, ...]:
        found = gaps_of(manifest, self.release, allow=self.allow_unknown)
        refuse_errors(found)
        return tuple(found)

    def _proven(self, before: Object, after: Object) -> str:
        """The hash in both versions; InternalFaultError if anything except the version changed."""
        old, new = admit(before, self.release), admit(after, self.release)
        if (old.hash, old.hash_without_image) != (new.hash, new.hash_without_image):
            message = f"the hash would change from {old.hash} to {new.hash}"
        elif typed(after, type_of(self.version)) != typed(converted(before), type_of(self.version)):
            message = "the edited text differs from the SidecarSet that the API server would return"
        else:
            return old.hash
        raise InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this, with the manifest"))
