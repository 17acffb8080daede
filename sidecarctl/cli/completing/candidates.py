"""What may follow the words so far: commands, options, their values, files."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecarctl.cli.app import COMMANDS
from sidecarctl.cli.completing.candidate import Candidate
from sidecarctl.cli.completing.files import paths
from sidecarctl.cli.completing.values import values_of_argument, values_of_option

_READ = ("sidecarsets", "filename", "from_old", "before", "after", "old")
"""Options whose values are files with SidecarSets."""


def candidates(top: Any, words: Sequence[str]) -> list[Candidate]:
    """The completions of the last word; `top` is the group of all commands, the first word is the program."""
    *given, incomplete = words[1:]
    place = next((index for index, word in enumerate(given) if not _is_option(word)), None)
    if place is None:
        found: Iterable[Candidate] = _options(top.params, incomplete) if _is_option(incomplete) else _commands(top)
    elif given[place] in top.list_commands(None):
        command = top.get_command(None, given[place])
        found = _of_command(command, given[place], given[place + 1 :], incomplete)
    else:
        found = ()
    return [item for item in found if item.value.startswith(incomplete)]


def _of_command(command: Any, name: str, given: Sequence[str], incomplete: str) -> Iterable[Candidate]:
    options = {spelling: option for option in command.params for spelling in option.opts if _is_option(spelling)}
    spelling, joint, value = incomplete.partition("=")
    named = _given_paths(options, given)
    if joint and spelling.startswith("--") and spelling in options:
        found = values_of_option(name, options[spelling], value, named)
        return [item._replace(value=f"{spelling}={item.value}") for item in found]
    if given and _takes_value(options.get(given[-1])):
        return values_of_option(name, options[given[-1]], incomplete, named)
    if _is_option(incomplete):
        return _options(command.params, incomplete)
    number = len(_arguments(options, given))
    own = [item for item in command.params if item.param_type_name == "argument"]
    argument = own[min(number, len(own) - 1)] if own else None
    return values_of_argument(argument, incomplete) if argument else paths(incomplete)


def _commands(top: Any) -> Iterator[Candidate]:
    return (Candidate(name, COMMANDS[name][1]) for name in top.list_commands(None))


def _options(params: Iterable[Any], incomplete: str) -> Iterator[Candidate]:
    yield Candidate("--help", "Show this message and exit.")
    for option in params:
        if option.param_type_name == "option" and not option.hidden:
            spellings = (*option.opts, *option.secondary_opts)
            wanted = [item for item in spellings if item.startswith("--") or incomplete == item]
            yield from (Candidate(item, option.help or "") for item in wanted)


def _takes_value(option: Any) -> bool:
    return option is not None and not option.is_flag


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _arguments(options: dict[str, Any], given: Sequence[str]) -> list[str]:
    """The words that are neither options nor their values."""
    return [
        word
        for before, word in zip(["", *given], given, strict=False)
        if not (_is_option(word) or _takes_value(options.get(before)))
    ]


def _given_paths(options: dict[str, Any], given: Sequence[str]) -> list[str]:
    """The words that name what is read."""
    values = [
        word
        for before, word in zip(["", *given], given, strict=False)
        if before in options and options[before].name in _READ
    ]
    return [*values, *_arguments(options, given)]
