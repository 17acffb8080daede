"""What `explain` is asked: files with names among them, and options."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

import typer

from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import InjectionFlags
from sidecarctl.cli.flags.repository import completed, repository
from sidecarctl.facts.errors import usage_error
from sidecarctl.inputs.opening import Named, Words, words_of
from sidecarctl.inputs.reading import refuse_no_paths
from sidecarctl.operations.explaining.explain import Question

PathsAndNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS [POD] [SIDECARSET]",
        help="Files, folders, - for standard input, or git:REV[:PATH]; a word that is none of these is the name "
        "of a pod, a "
        "workload ([KIND/][NAMESPACE/]NAME, as for kubectl) or a SidecarSet ([sidecarset/]NAME) in them.",
        show_default=False,
    ),
]


class PathsAndNamesFlags(DumpFlags):
    """PATHS, and names of objects in them."""

    title = "Inputs"
    paths: PathsAndNames = None

    @cached_property
    def words(self) -> Words:
        """The words of the command line, split into paths and names."""
        return words_of(self.paths or ())

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The files that are named; UsageError for no PATHS, unless they are `optional`."""
        files = [*self.words.paths, *(self.filename or ())]
        if not (files or optional or repository()) and self.words.names:
            name = self.words.names[0]
            raise usage_error(
                f"{name}: not found", hint="names are looked up in PATHS, or with --live in the cluster"
            )
        named = completed(self.tree(files, older))
        if named.paths or not optional:
            refuse_no_paths(named)
        return named


class ExplainFlags(InjectionFlags):
    """The question."""

    title = "Question"
    pod: Annotated[
        list[str] | None,
        typer.Option(
            "--pod", metavar="[KIND/][NAMESPACE/]NAME", help="Only this pod or workload of PATHS; repeatable."
        ),
    ] = None
    labels: Annotated[
        str,
        typer.Option(
            "--labels",
            metavar="KEY=VALUE,...",
            help="A pod that does not exist, in the namespace of -n; beside the name of a workload: what if it had "
            "these labels too.",
        ),
    ] = ""
    field: Annotated[
        str,
        typer.Option(
            "--field",
            metavar="PATH",
            help="Who put this field into the pod: 'spec.containers[web].env[TZ]', 'metadata.annotations[KEY]'.",
        ),
    ] = ""
    sidecarset: Annotated[
        str,
        typer.Option(
            "--sidecarset", metavar="NAME", help="Show which pods a SidecarSet applies to, which not, and why."
        ),
    ] = ""
    every: Annotated[
        bool, typer.Option("--all", help="Explain every SidecarSet, also the many that do not apply for one reason.")
    ] = False
    reasons: Annotated[bool, typer.Option("--reasons", help="List all reason codes.")] = False

    def question(self, words: Words) -> Question:
        """The question; UsageError for invalid values."""
        return Question(
            options=self.options(),
            words=words,
            pods=self.pod or (),
            sidecarsets=[self.sidecarset] if self.sidecarset else [],
            labels=self.pairs() if self.labels else None,
            unfolded=self.every,
            field=self.field,
        )

    def pairs(self) -> dict[str, str]:
        """The labels of the invented pod; UsageError if malformed."""
        pairs = [pair.partition("=") for pair in self.labels.split(",")]
        for key, joint, _ in pairs:
            if not (key and joint):
                raise usage_error(
                    f"--labels {self.labels} is not a list of labels", hint="such as app=web,tier=front"
                )
        return {key: value for key, _, value in pairs}
