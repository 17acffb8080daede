"""What one set injects into any pod, computed once.

Source: docs/behavior/injection.md, "What is written" and "Annotations written on the pod".
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.errors import naming
from sidecarctl.engine.facts.findings import Finding, ObjectReference, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.pod.sidecars import Sidecar, sidecar_of
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry
from sidecarctl.engine.sidecarset.sets import GROUP, SidecarSet, sidecar_list


class SetPlan:
    """A set as admitted, or as restored from a revision, and what it injects.

    `volumes` are those that a sidecar of the set mounts, in the order in which they are queued, each name once.
    """

    def __init__(self, sidecarset: SidecarSet) -> None:
        spec = sidecarset.spec
        self.sidecarset = sidecarset
        self.release = sidecarset.release
        self.init_sidecars = _sidecars(sidecarset, "initContainers")
        self.sidecars = _sidecars(sidecarset, "containers")
        self._declared = {
            volume["name"]: volume for volume in typed(spec.get("volumes") or [], "[]core.Volume", self.release)
        }
        self.volumes = tuple(self._mounted_volumes())
        self.pull_secrets: tuple[Object, ...] = tuple(
            typed(spec.get("imagePullSecrets") or [], "[]core.LocalObjectReference")
        )
        self.patches: tuple[Object, ...] = tuple(spec.get("patchPodMetadata") or ())

    @property
    def name(self) -> str:
        """The set's name."""
        return self.sidecarset.name

    @cached_property
    def reference(self) -> ObjectReference:
        """The set, for findings about its fields."""
        return reference_to(self.sidecarset)

    @cached_property
    def all_sidecars(self) -> tuple[Sidecar, ...]:
        """The initContainers, then the containers."""
        return self.init_sidecars + self.sidecars

    @cached_property
    def hot_names(self) -> tuple[str, ...]:
        """The names of the hot containers."""
        return tuple(sidecar.name for sidecar in self.all_sidecars if sidecar.is_hot)

    @cached_property
    def hash_entries(self) -> tuple[HashEntry, HashEntry] | None:
        """What the two hash annotations record of the set, without a time; nothing of a set without containers."""
        if not self._is_recorded():
            return None
        given = self.sidecarset
        sidecars = sidecar_list(given.spec, every=self.release.lists_plain_init_containers)
        revision = given.latest_revision if self.release.revision_at_injection else ""
        return (
            HashEntry(None, given.hash, given.name, sidecars, revision),
            HashEntry(None, given.hash_without_image, given.name, sidecars),
        )

    @property
    def crash(self) -> Finding | None:
        """Why the webhook of the set's release crashes at every pod; None if it does not."""
        if self.release.missing_volumes_left_out:
            return None
        for sidecar in self.all_sidecars:
            for name in sidecar.volume_names:
                if name not in self._declared:
                    message = (
                        f"volume {name} is not in the SidecarSet: the webhook of {self.release.behavior} crashes"
                    )
                    hint = "the pod cannot be created; add the volume to the SidecarSet"
                    return error(Reason.WEBHOOK_CRASHES, message, (*sidecar.path, "volumeMounts"), hint=hint)
        return None

    def _is_recorded(self) -> bool:
        match self.release.hash_entries:
            case "always":
                return True
            case "with a container that is not an initContainer":
                return bool(self.sidecars)
        return bool(self.all_sidecars)

    def _mounted_volumes(self) -> Iterator[Object]:
        names = dict.fromkeys(name for sidecar in self.all_sidecars for name in sidecar.volume_names)
        return (self._declared[name] for name in names if name in self._declared)


def reference_to(sidecarset: SidecarSet) -> ObjectReference:
    """A set as the subject of findings."""
    return ObjectReference(f"{GROUP}/{sidecarset.version}", "SidecarSet", "", sidecarset.name)


def _sidecars(sidecarset: SidecarSet, field: str) -> tuple[Sidecar, ...]:
    return tuple(
        sidecar_of(container, ("spec", field, index), sidecarset.release)
        for index, container in enumerate(sidecarset.spec.get(field) or ())
    )


def findings_about(plans: Iterable[SetPlan]) -> Iterator[Finding]:
    """Warnings for tokens of resource expressions that count as 0."""
    for plan in plans:
        yield from naming(plan.reference, _typos(plan))


def _typos(plan: SetPlan) -> Iterator[Finding]:
    for sidecar in plan.all_sidecars:
        if sidecar.policy is not None:
            yield from _typos_of(sidecar.policy, (*sidecar.path, "resourcesPolicy"))


def _typos_of(policy: Object, path: Path) -> Iterator[Finding]:
    # The expression language, which few sets use.
    from sidecarctl.engine.sidecarset.expression_operands import ExpressionError
    from sidecarctl.engine.sidecarset.resources_policy import policy_typos

    # The pod is rejected for an error, unless a target has no limit and the expression is never looked at.
    with suppress(ExpressionError):
        yield from policy_typos(policy, path)
