"""What validation is given: the SidecarSets to be checked, and everything that they are checked against."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.conversion import to_v1beta1
from sidecarctl.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.sidecarset.sets import WHITELIST, SidecarSet

METADATA_DEFAULTS_GATE = "SidecarSetPatchPodMetadataDefaultsAllowed"


class Given(NamedTuple):
    """The inputs of a validation. All but `sidecarsets` may be empty: what needs them is then not checked.

    - `sidecarsets`: as admitted, of either version, also those that will be refused; `manifests` are these as they
      were written, by name.
    - `namespaces`: labels by name, of those that a manifest is known of. `pods`: Pods, and what workloads would make.
    - `others`: all other objects, such as Secrets and workloads, by kind.
    - `whitelist`: the ConfigMap that says which annotations may be patched. `gates`: feature gates that are on.
    - `strict`: whether a missing whitelist is an error, as it is for Kruise.
    - `older`: SidecarSets as the cluster has them, by name.
    - `uncounted`: the `pods` of these, by their own kind and name, are more or fewer than are here.
    """

    sidecarsets: Sequence[SidecarSet]
    manifests: Mapping[str, Object] = {}
    namespaces: Mapping[str, Labels] = {}
    pods: Sequence[Object] = ()
    revisions: Sequence[Revision] = ()
    others: Mapping[str, Sequence[Object]] = {}
    whitelist: Object | None = None
    gates: frozenset[str] = frozenset()
    strict: bool = False
    older: Mapping[str, SidecarSet] = {}
    uncounted: frozenset[ObjectReference] = frozenset()


def spec_in_v1beta1(sidecarset: SidecarSet) -> Object:
    """The spec of a SidecarSet in the form that Kruise checks."""
    if sidecarset.version == "v1beta1":
        return sidecarset.spec
    spec: Object = to_v1beta1({"metadata": sidecarset.metadata, "spec": sidecarset.spec})["spec"]
    return spec


def labels_in_v1beta1(sidecarset: SidecarSet) -> Labels:
    """The labels of a SidecarSet in the form that Kruise checks, without the one that names its version."""
    if sidecarset.version == "v1beta1":
        labels: Labels = sidecarset.metadata.get("labels", {})
        return labels
    converted: Labels = to_v1beta1({"metadata": sidecarset.metadata, "spec": {}})["metadata"]["labels"]
    return converted


def whitelist_in(config_maps: Iterable[Object]) -> Object | None:
    """The ConfigMap among some that says which annotations SidecarSets may patch."""
    for one in config_maps:
        metadata = one.get("metadata") or {}
        if (metadata.get("namespace"), metadata.get("name")) == WHITELIST:
            return one
    return None
