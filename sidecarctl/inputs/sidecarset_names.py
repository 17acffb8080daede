"""SidecarSets that no cluster would hold, because they have no name."""

from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object


def refuse_nameless(manifest: Object) -> None:
    """InputError for a SidecarSet without a name; the manifest must have passed `decoding.check`.

    Pods record what was injected by the name of the SidecarSet, so nothing can be computed for one that has none.
    """
    metadata = manifest.get("metadata") or {}
    if not metadata.get("name"):
        raise _nameless(metadata)


def _nameless(metadata: Object) -> InputError:
    path = ("metadata", "name")
    if metadata.get("generateName"):
        message = (
            "the name is missing: with generateName only the API server makes it, when the SidecarSet is created"
        )
        return input_error(Reason.MISSING_FIELD, message, path, hint="write metadata.name")
    from sidecarctl.api.unknown_fields import did_you_mean

    meant = [key for key in metadata if did_you_mean(key, ["name"])]
    hint = f"did you mean name instead of {meant[0]}?" if meant else "write metadata.name"
    return input_error(Reason.MISSING_FIELD, "the name is missing", path, hint=hint)
