"""The values that options and arguments take, as completions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecarctl.cli.app import COMMANDS
from sidecarctl.cli.completing.candidate import Candidate
from sidecarctl.cli.completing.files import paths

_KINDS = {"validate": "validation", "revisions": "revision-list"}
"""Kinds of reports of commands that are not called as their command."""
_FOLDERS, _FILES = ("DIR",), ("FILE", "PATH", "OLD", "NEW", "PLAN", "PODS", "MANIFEST", "FOLDER")


def values_of_option(command: str, option: Any, incomplete: str, given: Sequence[str]) -> Iterable[Candidate]:
    """The values of an option; `given` are the files that the command line names."""
    if (choices := getattr(option.type, "choices", None)) is not None:
        return map(Candidate, map(str, choices))
    match option.name:
        case "only" | "sidecarset":
            from sidecarctl.cli.completing.sidecarset_names import sidecarset_names

            return map(Candidate, sidecarset_names(given))
        case "output" | "report":
            return _forms(command, option.name, incomplete)
        case "kruise" | "kruise_from" | "kruise_to":
            from sidecarctl.releases.profiles import PROFILES

            return map(Candidate, [*PROFILES, "master"])
        case "explain" | "ignore" if command == "validate":
            from sidecarctl.validation.catalogue import rules

            return (Candidate(rule.id, rule.sentence) for rule in rules().values())
        case "color":
            return map(Candidate, ("auto", "always", "never"))
    return _by_metavar(option.metavar or "", incomplete)


def values_of_argument(argument: Any, incomplete: str) -> Iterable[Candidate]:
    """The values of an argument: its choices, or files."""
    if (choices := getattr(argument.type, "choices", None)) is not None:
        return map(Candidate, map(str, choices))
    if argument.name == "command":
        return (Candidate(name, summary) for name, (_, summary) in COMMANDS.items())
    if argument.name == "kind":
        from sidecarctl.files.shipped_schemas import shipped_schemas

        return map(Candidate, ["SidecarSet", *shipped_schemas()])
    return paths(incomplete)


def _by_metavar(metavar: str, incomplete: str) -> Iterable[Candidate]:
    if any(word in metavar for word in _FOLDERS):
        return paths(incomplete, folders_alone=True)
    return paths(incomplete) if any(word in metavar for word in _FILES) else ()


def _forms(command: str, option: str, incomplete: str) -> Iterator[Candidate]:
    """The forms of a document or a report; behind `=` the file that it goes to."""
    from sidecarctl.reports.formats import DOCUMENT_FORMS, REPORT_FORMS, forms_of

    form, joint, file = incomplete.partition("=")
    if joint:
        yield from (Candidate(f"{form}={item.value}") for item in paths(file))
        return
    of_document = forms_of(_KINDS.get(command, command)) or DOCUMENT_FORMS
    yield from map(Candidate, REPORT_FORMS if option == "report" else of_document)
