"""Which cluster, and as whom: the options that kubectl gets handed on; and its failures, as a reason and a hint.

kubectl has one exit code for every failure, so the cause is only in its message.
"""

import re
from typing import NamedTuple

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Place, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.start_up import lazy_pattern
from sidecarctl.kubectl.api_requests import Answer

TIMEOUT = 300.0
"""Seconds that a kubectl command may take, where the user names no other time."""


class Connection(NamedTuple):
    """The user's choice of cluster; empty if kubectl decides. `program` is kubectl, or what stands in for it."""

    context: str = ""
    kubeconfig: str = ""
    program: str = "kubectl"

    def command(self, *words: str) -> list[str]:
        """The words of a kubectl command; an option and its value are one word, so that no value passes for one."""
        given = {"--context": self.context, "--kubeconfig": self.kubeconfig}
        return [self.program, *(f"{option}={value}" for option, value in given.items() if value), *words]


def command_text(*words: str) -> str:
    """A kubectl command as messages name it, without the connection's options."""
    return " ".join(("kubectl", *words))


_SHOWN = 300
"""Characters of kubectl's message that are shown: some errors contain a whole object."""


class _Cause(NamedTuple):
    words: re.Pattern[str]
    reason: Reason
    hint: str


_INSTALLED = "is Kruise installed? `kubectl api-resources --api-group=apps.kruise.io` lists its kinds"
_CONTEXTS = "`kubectl config get-contexts` lists the contexts"
_LOGIN = "does `kubectl get namespaces` work with the same context?"
_SLOW = "raise the time limit: --kubectl-timeout, of push --request-timeout"
_REACHABLE = "is this the right cluster? check `kubectl config current-context`, or use --context"
_CAUSES = tuple(
    _Cause(lazy_pattern(words, re.IGNORECASE), reason, hint)
    for words, reason, hint in (
        (r"doesn't have a resource type|\(NotFound\)", Reason.RESOURCE_NOT_FOUND, _INSTALLED),
        (r"\(Forbidden\)", Reason.FORBIDDEN, "`kubectl auth can-i list RESOURCE` shows whether you may"),
        (r"forgot the list", Reason.LIST_EXPIRED, ""),
        (r"did not answer within", Reason.KUBECTL_TIMEOUT, _SLOW),
        (r"context was not found|context .* does not exist", Reason.CONTEXT_NOT_FOUND, _CONTEXTS),
        (
            r"\(Unauthorized\)|logged in|credentials|Please enter|: executable |^error: EOF$",
            Reason.NOT_LOGGED_IN,
            _LOGIN,
        ),
        (r"^error: stat |config file|kubeconfig", Reason.KUBECONFIG_UNREADABLE, "--kubeconfig selects the file"),
        (
            r"(was|connection) refused|unable to co|no such host|time(d )?out|deadline exceeded|no route|unreachable",
            Reason.CLUSTER_UNREACHABLE,
            _REACHABLE,
        ),
    )
)

_REASONS = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound"}
"""The reasons that some servers leave out."""


def failure(command: str, said: str, exit_code: int) -> InputError:
    """The error for a command that ended with an exit code, from its stderr."""
    words = _last_words(said) or f"exit code {exit_code}, without output"
    for cause in _CAUSES:
        if cause.words.search(words):
            return kubectl_error(command, cause.reason, words, cause.hint)
    return kubectl_error(command, Reason.KUBECTL_FAILED, words)


def refusal(command: str, answer: Answer) -> InputError:
    """The error for an answer of the API server that refuses, in the words that kubectl has for it."""
    reason = answer.reason or _REASONS.get(answer.status, "")
    return failure(command, f"Error from server{f' ({reason})' * bool(reason)}: {answer.message}", 1)


def kubectl_error(command: str, reason: Reason, message: str, hint: str = "") -> InputError:
    """The error about a command."""
    return InputError(Finding(Severity.ERROR, reason, message, place=Place(command), hint=hint))


def _last_words(said: str) -> str:
    """The last line that is no log line of kubectl's own (`E1121 12:42:20.657584 ...`), shortened."""
    lines = [line.strip() for line in said.splitlines()]
    answers = [line for line in lines if line and not re.match(r"[EWIF][0-9]{4} ", line)]
    words = answers[-1] if answers else ""
    return words if len(words) <= _SHOWN else words[:_SHOWN] + " ..."
