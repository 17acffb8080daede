"""The error tree: each class owns its exit code and carries findings for the user."""

from collections.abc import Sequence
from typing import ClassVar

from sidecarctl.facts.exit_codes import FINDINGS, IMPOSSIBLE, INTERNAL_FAULT, UNREADABLE
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason


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
    """The input is readable and was checked, and under --strict what was found ends the run."""

    exit_code = FINDINGS


class ImpossibleError(SidecarctlError):
    """The input is readable, but what was asked cannot be done with it."""

    exit_code = IMPOSSIBLE


class InternalFaultError(SidecarctlError):
    """A promise of the program itself is broken: a bug."""

    exit_code = INTERNAL_FAULT


def usage_error(message: str, hint: str = "") -> UsageError:
    """The error for a command line that makes no sense."""
    return UsageError(error(Reason.USAGE, message, hint=hint))


def input_error(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> InputError:
    """The error for an input that cannot be read, about one field."""
    return InputError(error(reason, message, path, hint=hint))


def impossible(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> ImpossibleError:
    """The error for what cannot be done as asked, about one field."""
    return ImpossibleError(error(reason, message, path, hint=hint))
