"""Completion of command lines: what may follow the words so far, as each shell reads it.

The candidates are commands, options, their values, files. A shell asks while somebody types.
"""

import itertools
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from posixpath import basename
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.cli.command_table import COMMANDS
from sidecarctl.cli.flags.repository import repository_above
from sidecarctl.cli.formats import formats_of
from sidecarctl.cli.invoked import HELP_ALL, MOST, choices_of
from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.files.fixed_files import shipped_schemas
from sidecarctl.engine.inputs.manifests import read_manifests
from sidecarctl.engine.inputs.opening import Named, Sources, opened
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.inputs.settings import found_in
from sidecarctl.engine.inputs.unknown_templates import teaching
from sidecarctl.engine.inputs.world import is_sidecarset
from sidecarctl.engine.releases.feature_gates import GATES
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.validation.catalog import rules
from sidecarctl.render.run.formats import REPORT_FORMATS

if TYPE_CHECKING:  # a shell asks while somebody types
    from sidecarctl.engine.sidecarset.world import Located


class Candidate(NamedTuple):
    """The whole word, and what it means."""

    value: str
    meaning: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the word may continue, so that no blank follows."""
        return self.value.endswith(("/", "="))


_READ = ("sidecarsets", "filename", "from_old", "before", "after", "old")
"""Options whose values are files with SidecarSets."""


def candidates(top: Any, words: Sequence[str]) -> list[Candidate]:
    """The completions of the last word; `top` is the group of all commands, the first word is the program."""
    *given, incomplete = words[1:]
    place = next((index for index, word in enumerate(given) if not _is_option(word)), None)
    if place is None:
        commands = itertools.starmap(Candidate, COMMANDS.items())
        found: Iterable[Candidate] = _options(top.params, incomplete) if _is_option(incomplete) else commands
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


def _options(params: Sequence[Any], incomplete: str) -> Iterator[Candidate]:
    yield Candidate("--help", "Show this message and exit.")
    if len(params) > MOST:
        yield Candidate(HELP_ALL, "Show every option.")
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
    """The words that name inputs."""
    values = [
        word
        for before, word in zip(["", *given], given, strict=False)
        if before in options and options[before].name in _READ
    ]
    return [*values, *_arguments(options, given)]


_KINDS = {"validate": "validation", "revisions": "revision-list", "rollback": "plan", "merge": "fleet"}
"""Kinds of reports of commands that are not called as their command."""
_FOLDERS, _FILES = ("DIR",), ("FILE", "PATH", "OLD", "NEW", "PLAN", "PODS", "MANIFEST", "FOLDER")


def values_of_option(command: str, option: Any, incomplete: str, given: Sequence[str]) -> Iterable[Candidate]:
    """The values of an option; `given` are the files that the command line names."""
    if choices := choices_of(option):
        return map(Candidate, choices)
    match option.name:
        case "only" | "sidecarset":
            return map(Candidate, sidecarset_names(given))
        case "only_cluster":
            return map(Candidate, cluster_names())
        case "output" | "report":
            return _forms(command, option.name, incomplete)
        case "kruise" | "kruise_from" | "kruise_to":
            return map(Candidate, [*PROFILES, "master"])
        case "template_paths":
            return taught_by_files(given)
        case "feature_gates":
            return (Candidate(f"{gate}={str(not on).lower()}") for gate, on in GATES.items())
        case "ignore" if command == "validate":
            return _rules()
        case "color":
            return map(Candidate, ("auto", "always", "never"))
    return _by_metavar(option.metavar or "", incomplete)


def values_of_argument(argument: Any, incomplete: str) -> Iterable[Candidate]:
    """The values of an argument: its choices, or files."""
    if choices := choices_of(argument):
        return map(Candidate, choices)
    if argument.name == "command":
        return itertools.starmap(Candidate, COMMANDS.items())
    if argument.name == "rule":
        return _rules()
    if argument.name == "kind":
        return map(Candidate, ["SidecarSet", *shipped_schemas()])
    return paths(incomplete)


def _rules() -> Iterable[Candidate]:
    return (Candidate(rule.id, rule.sentence) for rule in rules().values())


def _by_metavar(metavar: str, incomplete: str) -> Iterable[Candidate]:
    if any(word in metavar for word in _FOLDERS):
        return paths(incomplete, folders_alone=True)
    return paths(incomplete) if any(word in metavar for word in _FILES) else ()


def _forms(command: str, option: str, incomplete: str) -> Iterator[Candidate]:
    """The forms of a document or a report; behind `=` the file that it goes to."""
    form, joint, file = incomplete.partition("=")
    if joint:
        yield from (Candidate(f"{form}={item.value}") for item in paths(file))
        return
    of_document = formats_of(_KINDS.get(command, command))
    yield from map(Candidate, REPORT_FORMATS if option == "report" else of_document)


def paths(incomplete: str, *, folders_alone: bool = False) -> Iterator[Candidate]:
    """The files with this prefix; folders end with a slash. Hidden ones are offered only after their dot."""
    folder, _, begin = incomplete.rpartition("/")
    folder = f"{folder}/" if "/" in incomplete else ""
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as found:  # noqa: PTH111 - a text stays a text
            entries = sorted((item.name, item.is_dir()) for item in found)
    except OSError:
        return
    for name, is_folder in entries:
        is_hidden = name.startswith(".") and not begin.startswith(".")
        if name.startswith(begin) and not is_hidden and (is_folder or not folders_alone):
            yield Candidate(f"{folder}{name}{'/' if is_folder else ''}")


_LARGEST = 4 << 20
"""The largest file, in bytes, to read for a completion; a dump of pods is larger."""


def sidecarset_names(paths: Sequence[str]) -> list[str]:
    """The names, in order, each once; none from unreadable files."""
    names = [item.reference.name for item in _small_objects(paths) if is_sidecarset(item)]
    return sorted({name for name in names if name}, key=natural)


def cluster_names() -> list[str]:
    """The clusters that .sidecarctl.yaml names; none if it cannot be read."""
    try:
        found = repository_above(Path.cwd())
        return [cluster.name for cluster in found_in(found.settings.clusters, found.folder)] if found else []
    except (SidecarctlError, OSError):
        return []


def _small_objects(paths: Sequence[str]) -> "Sequence[Located]":
    """The objects of the small files; none from unreadable ones."""
    try:
        with opened(Named([path for path in paths if path and path != "-"]), lenient=True) as (sources,):
            small = [item for item in sources.paths if item.path.is_file() and item.path.stat().st_size <= _LARGEST]
            return read_manifests(Sources(small), Reading(Reader())).objects
    except (SidecarctlError, OSError):
        return []


def taught_by_files(paths: Sequence[str]) -> Iterator[Candidate]:
    """Values for kinds in the files that the table lacks; then the known kinds, for other paths."""
    found = {text: item for item in _small_objects(paths) for text in teaching(item.manifest, item.reference)}
    yield from (Candidate(text, f"a pod template of {item.reference}") for text, item in found.items())
    yield from (Candidate(f"{item.name}=", "a kind that is known") for item in WORKLOADS if item.kind != "Pod")


_NO_BLANK, _NO_FILES = 2, 4
"""Directives of Cobra, the library that kubectl takes its completion from."""


def reply(arguments: Sequence[str], commands: Any) -> None:
    """Print the completions, one per line, and never an error. `commands`: the group of all commands."""
    shell, *words = arguments or [""]
    words = words_of_line(words[0] if words else "") if shell == "bash" else of_last_command(words)
    if len(words) < 2:
        return
    found = candidates(commands, words)
    sys.stdout.write("".join(f"{line}\n" for line in lines(shell, found, words[-1])))


def lines(shell: str, found: Sequence[Candidate], incomplete: str) -> list[str]:
    """The completions as the script of a shell reads them.

    bash: what it puts in, a blank if no blank is to follow it. zsh and fish: value, tab, meaning. kubectl: the
    same, and then a directive.
    """
    if shell == "bash":
        return [as_bash_replaces(item.value, incomplete) for item in found]
    words = [f"{item.value}\t{' '.join(item.meaning.split())}" for item in found]
    return [*words, _directive(found)] if shell == "kubectl" else words


def _directive(found: Sequence[Candidate]) -> str:
    """The end of a completion for kubectl plugins: only the listed files, perhaps no blank."""
    goes_on = len(found) == 1 and found[0].goes_on
    return f":{_NO_FILES + _NO_BLANK if goes_on else _NO_FILES}"


_BREAKS = "=:"
"""Characters at which only bash ends a word."""


def words_of_line(line: str) -> list[str]:
    """The words of a line up to the cursor, of its last command; the last word is the one to complete.

    A quotation that is still open ends with the line.
    """
    for closing in ("", '"', "'"):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        is_begun = closing or (line and not line[-1].isspace()) or line.endswith("\\ ")
        return of_last_command(words if is_begun else [*words, ""])
    return []


def of_last_command(words: Sequence[str]) -> list[str]:
    """The words from the last one on that calls the program: before it there may be a pipe."""
    calls = [index for index, word in enumerate(words) if basename(word) == "sidecarctl"]
    return list(words[calls[-1] if calls else 0 :])


def as_bash_replaces(value: str, incomplete: str) -> str:
    """The part of a completion that replaces the part of the word that bash knows."""
    kept = max(incomplete.rfind(mark) for mark in _BREAKS) + 1
    quoted = shlex.quote(value[kept:])
    return quoted if quoted == value[kept:] else "".join(map(_escaped, value[kept:]))


def _escaped(letter: str) -> str:
    return letter if letter.isalnum() or letter in "_-./,+=:@%~" or ord(letter) > 0x7F else f"\\{letter}"


def script_of(shell: str) -> str:
    """The script of a shell."""
    return (Path(__file__).parent / "shells" / f"sidecarctl.{shell}").read_text(encoding="utf-8")
