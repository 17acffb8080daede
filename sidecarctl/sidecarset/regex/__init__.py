"""Regular expressions as Go has them (RE2): this is the one door, the modules are its own business.

The matcher is our own because google-re2 has no wheels for musl, where container images run.
"""

from sidecarctl.sidecarset.regex.automaton import Automaton, RegexError
from sidecarctl.sidecarset.regex.patterns import compile_re2

__all__ = ["Automaton", "RegexError", "compile_re2"]
