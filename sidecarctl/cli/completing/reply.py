"""What a shell asks for while somebody types: `sidecarctl __complete SHELL WORDS...`."""

import sys
from collections.abc import Sequence

from sidecarctl.cli.completing.candidate import Candidate
from sidecarctl.cli.completing.candidates import candidates
from sidecarctl.cli.completing.words import as_bash_replaces, of_last_command, words_of_line

_NO_BLANK, _NO_FILES = 2, 4
"""Directives of Cobra, the library that kubectl takes its completion from."""


def reply(arguments: Sequence[str]) -> None:
    """Print the completions, one a line; nothing for what makes no sense, and never an error."""
    import typer

    from sidecarctl.cli.app import app

    shell, *words = arguments or [""]
    words = words_of_line(words[0] if words else "") if shell == "bash" else of_last_command(words)
    if len(words) < 2:
        return
    found = candidates(typer.main.get_command(app), words)
    sys.stdout.write("".join(f"{line}\n" for line in lines(shell, found, words[-1])))


def lines(shell: str, found: Sequence[Candidate], incomplete: str) -> list[str]:
    """The completions as the script of a shell reads them.

    bash: what it puts in, a blank where no blank is to follow it. zsh and fish: value, tab, meaning. kubectl: the
    same, and then a directive.
    """
    if shell == "bash":
        return [as_bash_replaces(item.value, incomplete) for item in found]
    words = [f"{item.value}\t{' '.join(item.meaning.split())}" for item in found]
    return [*words, _directive(found)] if shell == "kubectl" else words


def _directive(found: Sequence[Candidate]) -> str:
    """What the completion of kubectl's plugins ends with: no files but those that are listed, perhaps no blank."""
    goes_on = len(found) == 1 and found[0].goes_on
    return f":{_NO_FILES + _NO_BLANK if goes_on else _NO_FILES}"
