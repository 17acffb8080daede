"""The error tree: each class owns its exit code and carries findings, with the object and file that these name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from sidecarctl.engine.facts.exit_codes import FINDINGS, IMPOSSIBLE, INTERNAL_FAULT, UNREADABLE
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Path


class SidecarctlError(Exception):
    """The base of every error that a user may see; `findings` holds at least one error."""

    exit_code: ClassVar[int]

    def __init__(self, *findings: Finding) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings: Sequence[Finding] = findings

    def __reduce__(self) -> tuple[type["SidecarctlError"], tuple[Finding, ...]]:
        return type(self), tuple(self.findings)  # worker processes send errors home


class UsageError(SidecarctlError):
    """The command line asks for something that makes no sense."""

    exit_code = UNREADABLE


class InputError(SidecarctlError):
    """An input cannot be read, or is not what it must be."""

    exit_code = UNREADABLE


class RefusedError(SidecarctlError):
    """The input is readable, but with --strict its findings end the run."""

    exit_code = FINDINGS


class ImpossibleError(SidecarctlError):
    """The input is readable, but the request cannot be fulfilled."""

    exit_code = IMPOSSIBLE


class InternalFaultError(SidecarctlError):
    """The program broke one of its own promises: a bug."""

    exit_code = INTERNAL_FAULT


def usage_error(message: str, hint: str = "") -> UsageError:
    """The error for a command line that makes no sense."""
    return UsageError(error(Reason.USAGE, message, hint=hint))


def unknown_word(where: str, word: str, known: Iterable[str] = (), hint: str = "") -> UsageError:
    """The error for an unknown value of an option or argument; without a hint, it lists the known ones."""
    return usage_error(f"{where} {word} is unknown", hint or f"one of {', '.join(known)}")


def input_error(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> InputError:
    """The error for an input that cannot be read, about one field."""
    return InputError(error(reason, message, path, hint=hint))


def impossible(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> ImpossibleError:
    """The error for what cannot be done as asked, about one field."""
    return ImpossibleError(error(reason, message, path, hint=hint))


@contextmanager
def about(subject: ObjectReference) -> Iterator[None]:
    """Adds the object to errors raised inside the block."""
    try:
        yield
    except ImpossibleError as problem:
        raise ImpossibleError(*naming(subject, problem.findings)) from problem


def naming(subject: ObjectReference, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with the object that their paths are in; a finding that has one keeps it."""
    return tuple(finding if finding.subject else finding._replace(subject=subject) for finding in findings)


def in_file(findings: Iterable[Finding], file: str) -> list[Finding]:
    """The findings with their file: at the line if it is known, else without one."""
    return [finding._replace(place=(finding.place or Place(file))._replace(file=file)) for finding in findings]


def placed(findings: Iterable[Finding], subject: ObjectReference, place_of: Callable[[Path], Place]) -> list[Finding]:
    """The findings with the object and the position of their field; what a finding already names stays."""
    return [
        finding._replace(subject=finding.subject or subject, place=finding.place or place_of(finding.path))
        for finding in findings
    ]
