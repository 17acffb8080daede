"""Regular expressions as in Go (RE2). Import only from here; the modules are private to the package.

The matcher is our own because google-re2 has no wheels for musl, where container images run.
"""

from sidecarctl.engine.sidecarset.regex.automaton import Automaton
from sidecarctl.engine.sidecarset.regex.characters import RegexError
from sidecarctl.engine.sidecarset.regex.patterns import compile_re2

__all__ = ["Automaton", "RegexError", "compile_re2"]
