"""SidecarSets rewritten in their own manifests: to the other API version, or back to a revision.

What does not change keeps its text. Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions", Restoring.
"""

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.errors import InternalFaultError
from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.field_changes import paired_by_key
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL, decode, type_of, version_of
from sidecarctl.engine.sidecarset.other_version import converted, in_version
from sidecarctl.engine.sidecarset.revisions.controller_revisions import STORED_FIELDS, Revision
from sidecarctl.engine.sidecarset.sets import GROUP, SidecarSet, Version
from sidecarctl.engine.validation.warnings import gaps_of, refuse_errors


class Convert:
    """The transformation: each SidecarSet in the given API version, everything else unchanged.

    `release` is the Kruise that the result is for; with `allow_unknown` what it does not know is a warning.
    """

    def __init__(self, version: Version, release: Release = DEFAULT, *, allow_unknown: bool = False) -> None:
        self.version = version
        self.release = release
        self.allow_unknown = allow_unknown

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """The SidecarSet in that version; InputError if it cannot be decoded.

        ImpossibleError if the release would drop part of the result.
        """
        if (found.group, found.reference.kind) != (GROUP, "SidecarSet"):
            return ObjectChange(Outcome.OTHER)
        manifest = found.inherited | found.manifest
        if decode(manifest) == self.version:
            gaps = self._gaps(manifest)
            return ObjectChange(Outcome.UNCHANGED, summary=f"it is already {self.version}", findings=gaps)
        changed, about = in_version(found.manifest, self.version)
        after = found.inherited | changed
        unchanged = self._proven(manifest, after)
        findings = (*about, *self._gaps(after))
        return ObjectChange(Outcome.CHANGED, changed, f"hash {unchanged}, unchanged", findings=findings)

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


_ABSENT = object()


class Restore:
    """The transformation: the manifest of a SidecarSet with the content of a revision, everything else unchanged.

    `spec` is what the revision makes of the SidecarSet, with all defaults.
    """

    def __init__(self, sidecarset: SidecarSet, revision: Revision, spec: Object) -> None:
        self.sidecarset = sidecarset
        self.revision = revision
        self.spec = spec

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """The restored SidecarSet; other objects stay as they are."""
        if (found.group, found.reference.kind, found.reference.name) != (GROUP, "SidecarSet", self.sidecarset.name):
            return ObjectChange(Outcome.OTHER)
        after = self._named(self._with_content(found.manifest), version_of(found.inherited | found.manifest))
        if after == found.manifest:
            return ObjectChange(Outcome.UNCHANGED, summary=f"it is already {self.revision.name}")
        return ObjectChange(Outcome.CHANGED, after, self.revision.name)

    def _with_content(self, manifest: Object) -> Object:
        spec = manifest.get("spec") or {}
        fields = {
            name: _written(
                spec.get(name, _ABSENT), self.sidecarset.spec.get(name, _ABSENT), self.spec.get(name, _ABSENT)
            )
            for name in STORED_FIELDS
        }
        return manifest | {"spec": _members(spec, fields)}

    def _named(self, manifest: Object, version: str) -> Object:
        """The manifest with the revision's custom version where its API version has it."""
        name = self.revision.labels.get(CUSTOM_VERSION_LABEL) or _ABSENT
        if version == "v1beta1":
            return manifest | {"spec": _members(manifest["spec"], {"customVersion": name})}
        metadata = manifest.get("metadata") or {}
        labels = _members(metadata.get("labels") or {}, {CUSTOM_VERSION_LABEL: name})
        changed = {"labels": labels or _ABSENT} if labels != (metadata.get("labels") or {}) else {}
        return manifest | {"metadata": _members(metadata, changed)}


def _members(own: Object, changed: Object) -> Object:
    return {key: value for key, value in (own | changed).items() if value is not _ABSENT}


def _written(own: Value, held: Value, wanted: Value) -> Value:
    """`wanted`, written as `own` is (its typed form is `held`) where values are equal, defaults included."""
    if held == wanted or wanted is _ABSENT:
        return own if held == wanted else _ABSENT
    if all(isinstance(value, dict) for value in (own, held, wanted)):
        keys = dict.fromkeys([*own, *wanted])
        return _members(
            {}, {key: _written(*(each.get(key, _ABSENT) for each in (own, held, wanted))) for key in keys}
        )
    if all(isinstance(value, list) for value in (own, held, wanted)):
        owned, were = paired_by_key(own, wanted), paired_by_key(held, wanted)
        if owned and were:
            return [_written(*(each.get(key, _ABSENT) for each in (owned[0], were[0], owned[1]))) for key in owned[1]]
    return wanted
