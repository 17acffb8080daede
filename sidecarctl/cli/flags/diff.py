"""What the command line of `diff` asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from sidecarctl.api.workloads import Workload, parse_workload
from sidecarctl.cli.flags.injection import feature_gates as gates_of
from sidecarctl.cli.worlds import Named
from sidecarctl.documents.document import Reader
from sidecarctl.documents.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN

FORMS = ("text", "markdown", "json", "yaml")


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """Two versions: `old` and `new`, with `pods` beside them; of whole trees, if `trees`, injected each by itself.

    What `sidecarsets` hold belongs to both versions.
    """

    old: Sequence[str]
    new: Sequence[str]
    pods: Sequence[str]
    trees: bool
    recursive: bool
    namespace: str
    only: Sequence[str]
    output: Sequence[str] | None
    exit_code: bool
    trust_annotated_hash: bool
    template_paths: Sequence[str]
    size: int
    sidecarsets: Sequence[str] = ()
    feature_gates: Sequence[str] = ()

    def named(self, paths: Sequence[str]) -> Named:
        """Some of the paths, with what belongs to both versions, as files are opened by."""
        return Named(paths, self.sidecarsets, recursive=self.recursive)

    def gates(self) -> frozenset[str]:
        """The feature gates that are on; UsageError for one that there is not."""
        return gates_of(self.feature_gates)

    def kinds(self) -> list[Workload]:
        """The user's own kinds of workloads."""
        return [parse_workload(text) for text in self.template_paths]

    def reader(self) -> Reader:
        """How documents are read."""
        return Reader(DEFAULT_LIMITS._replace(size=self.size * 1024 * 1024))


def versions(
    paths: Sequence[str], before: Sequence[str] | None, after: Sequence[str] | None, shared: Sequence[str] = ()
) -> tuple[Sequence[str], Sequence[str], Sequence[str], bool]:
    """Old and new paths, those of pods, and whether they are trees; UsageError for less than two versions."""
    every = [*paths, *(before or ()), *(after or ())]
    if every.count(STDIN) + 2 * shared.count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once, and -s is read with either version")
    if before or after:
        if not (before and after) or paths:
            raise usage_error("--before and --after go together, and without PATHS", hint="--before DIR --after DIR")
        return before, after, (), True
    if len(paths) < 2:
        hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
        raise usage_error("two versions are needed", hint=hint)
    return paths[:1], paths[1:2], paths[2:], False
