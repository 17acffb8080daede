"""A call with arguments: standalone, or as a legacy plugin of kustomize."""

from collections.abc import Callable, Mapping, Sequence

from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN, inputs
from sidecarctl.inputs.opening import Source
from sidecarctl.krm.output import Answer
from sidecarctl.krm.standalone import LEGACY_ROOT, Text, standalone


def answer_to_arguments(words: Sequence[str], environ: Mapping[str, str], stdin: Callable[[], bytes]) -> Answer:
    """The answer to a functionConfig file and inputs; a legacy plugin has its input on stdin.

    UsageError for options, and where no input is named.
    """
    for word in words:
        if word.startswith("-") and word != STDIN:
            raise usage_error(f"unknown option {word}", hint="see sidecarctl-fn --help")
    named = [words[0], STDIN] if LEGACY_ROOT in environ else list(words)
    if len(named) < 2:
        raise usage_error("no inputs besides the functionConfig file", hint="name inputs, or - for stdin")
    if named.count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    sources: list[Source] = []
    for name in named:
        sources += [Text("stdin", stdin())] if name == STDIN else inputs([name], recursive=False, stdin=None)
    return standalone(sources[0], sources[1:], environ)
