"""The input of a validation: the SidecarSets to check, and everything that they are checked against."""

from collections.abc import Iterable, Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.conversion import to_v1beta1
from sidecarctl.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.sidecarset.sets import WHITELIST, SidecarSet

METADATA_DEFAULTS_GATE = "SidecarSetPatchPodMetadataDefaultsAllowed"


class Given(NamedTuple):
    """The inputs of a validation. All except `sidecarsets` may be empty; checks that need them are then skipped.

    - `sidecarsets`: with defaults, of either version, invalid ones too; `manifests` are their manifests, by name.
    - `namespaces`: labels by name, of namespaces among the inputs. `pods`: Pods, and those that workloads would
      create.
    - `others`: all other objects, such as Secrets and workloads, by kind.
    - `whitelist`: the ConfigMap that lists the annotations that may be patched. `gates`: enabled feature gates.
    - `strict`: whether a missing whitelist is an error, as it is for Kruise.
    - `older`: the SidecarSets before the update, by name.
    - `uncounted`: objects whose number of pods is not known; `pods` has more or fewer of them.
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
    """The spec of a SidecarSet in v1beta1."""
    if sidecarset.version == "v1beta1":
        return sidecarset.spec
    spec: Object = to_v1beta1({"metadata": sidecarset.metadata, "spec": sidecarset.spec})["spec"]
    return spec


def checked_spec(sidecarset: SidecarSet) -> Object:
    """The spec of a SidecarSet in the form that its release checks."""
    return spec_in_v1beta1(sidecarset) if sidecarset.release.namespace_is_selector else sidecarset.spec


def checked_labels(sidecarset: SidecarSet) -> Labels:
    """The labels of a SidecarSet that its release checks; if customVersion is a field, no label names it."""
    if sidecarset.version == "v1beta1" or not sidecarset.release.custom_version_field:
        labels: Labels = sidecarset.metadata.get("labels", {})
        return labels
    converted: Labels = to_v1beta1({"metadata": sidecarset.metadata, "spec": {}})["metadata"]["labels"]
    return converted


def whitelist_in(config_maps: Iterable[Object]) -> Object | None:
    """The ConfigMap that lists the annotations that SidecarSets may patch."""
    for config_map in config_maps:
        metadata = config_map.get("metadata") or {}
        if (metadata.get("namespace"), metadata.get("name")) == WHITELIST:
            return config_map
    return None
