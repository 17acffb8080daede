"""A manifest decoded as a SidecarSet of the API version that it names.

Source: docs/behaviour/api.md.
"""

from sidecarctl.api.decoding import check
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.sets import GROUP, Version

_VERSIONS: dict[str, Version] = {f"{GROUP}/v1alpha1": "v1alpha1", f"{GROUP}/v1beta1": "v1beta1"}


def version_of(manifest: Value) -> Version:
    """The API version of a SidecarSet's manifest; InputError if it is no SidecarSet of a known one."""
    if not isinstance(manifest, dict) or manifest.get("kind") != "SidecarSet":
        raise input_error(Reason.WRONG_TYPE, "not a SidecarSet", ("kind",), hint="kind: SidecarSet")
    api_version = manifest.get("apiVersion")
    version = _VERSIONS.get(api_version) if isinstance(api_version, str) else None
    if version is None:
        known = " or ".join(_VERSIONS)
        raise input_error(Reason.UNKNOWN_VERSION, "unknown API version", ("apiVersion",), hint=known)
    return version


def type_of(version: Version) -> str:
    """The type of a SidecarSet in the field table."""
    return f"{version}.SidecarSet"


def decode(manifest: Value, release: Release = MASTER) -> Version:
    """The API version of a manifest; InputError with a finding for each value that a release cannot decode."""
    version = version_of(manifest)
    problems = check(manifest, type_of(version), release=release)
    if problems:
        raise InputError(*problems)
    return version
