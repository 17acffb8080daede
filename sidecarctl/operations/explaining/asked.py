"""Which pods and which SidecarSet the user asks about: the inputs decide what a bare name means."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.inputs.world import refuse_unknown_sidecarsets
from sidecarctl.operations.explaining.subjects import Subject


class AskedAbout(NamedTuple):
    """Pods by `[KIND/|NAMESPACE/]NAME`, none for all of them, and one SidecarSet, empty for all.

    `unclear` is the name of a SidecarSet that may be that of a pod too: it came without a kind.
    """

    pods: Sequence[str] = ()
    sidecarset: str = ""
    unclear: str = ""

    @property
    def names(self) -> frozenset[str] | None:
        """The names of all objects that may be meant; None if every pod is."""
        asked = [*self.pods, *([self.unclear] if self.unclear else [])]
        return frozenset(item.rpartition("/")[2] for item in asked) if self.pods else None

    def chosen(self, every: Iterable[Subject]) -> Iterator[Subject]:
        """The pods that are asked about, one after another.

        UsageError for a name that nothing has, for one that a pod and the SidecarSet have, and where there is no pod.
        """
        missing, found_any = set(self.pods), False
        for subject in every:
            if self.unclear and subject.answers_to(self.unclear):
                hint = f"write sidecarset/{self.unclear}, or {subject.reference.kind.lower()}/{self.unclear}"
                raise usage_error(f"{self.unclear} is the name of a SidecarSet and of {subject.name}", hint=hint)
            answering = {pod for pod in self.pods if subject.answers_to(pod)}
            if answering or not self.pods:
                missing -= answering
                found_any = True
                yield subject
        for name in self.pods:
            if name in missing:
                hint = "a name is [KIND/]NAME or NAMESPACE/NAME; a SidecarSet is sidecarset/NAME"
                raise usage_error(f"{name}: no pod or workload with this name in PATHS", hint=hint)
        if not found_any:
            raise usage_error("there is neither a pod nor a workload to explain", hint="--labels invents a pod")


def asked_about(
    names: Sequence[str], pods: Sequence[str], sidecarsets: Sequence[str], known: Collection[str]
) -> AskedAbout:
    """What is asked: `names` came without a kind, `known` are the SidecarSets in force.

    UsageError for a SidecarSet that does not exist, and for two of them.
    """
    refuse_unknown_sidecarsets(sidecarsets, known, "--sidecarset")
    bare = [name for name in names if name in known]
    asked = list(dict.fromkeys([*sidecarsets, *bare]))
    if len(asked) > 1:
        raise usage_error(f"explain takes one SidecarSet, not {' and '.join(asked)}", hint="--only takes several")
    rest = [name for name in names if name not in bare]
    return AskedAbout([*pods, *rest], asked[0] if asked else "", bare[0] if bare else "")
