"""What is filled into the volumes of a set.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update", the part on volumes.
"""

from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.filling import Fill, defaults, each, in_turn, inside

FIELD_VERSION = inside(fieldRef=defaults(apiVersion="v1"))
"""A fieldRef names the version of the API that its path is read in."""


def _with_source(volume: Object) -> Object:
    return volume if volume.keys() - {"name"} else volume | {"emptyDir": {}}


_MODE = defaults(defaultMode=420)
_ITEMS = inside(items=each(FIELD_VERSION))
_SOURCE = inside(downwardAPI=_ITEMS, serviceAccountToken=defaults(expirationSeconds=3600))

_IN_ALL_RELEASES = in_turn(
    _with_source,
    inside(
        hostPath=defaults(type=""),
        secret=_MODE,
        configMap=_MODE,
        downwardAPI=in_turn(_MODE, _ITEMS),
        projected=in_turn(_MODE, inside(sources=each(_SOURCE))),
    ),
)
_IN_OLD_RELEASES = inside(
    iscsi=defaults(iscsiInterface="default"),
    rbd=defaults(pool="rbd", user="admin", keyring="/etc/ceph/keyring"),
    azureDisk=defaults(cachingMode="ReadWrite", kind="Shared", fsType="ext4", readOnly=False),
    scaleIO=defaults(storageMode="ThinProvisioned", fsType="xfs"),
)


def volume_defaults(release: Release) -> Fill:
    """What gives a volume in typed form the defaults of a release; one without any source is an emptyDir."""
    return in_turn(_IN_ALL_RELEASES, _IN_OLD_RELEASES) if release.old_volume_defaults else _IN_ALL_RELEASES
