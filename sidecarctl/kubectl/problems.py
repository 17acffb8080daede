"""A failure of kubectl, as a reason and a hint.

kubectl has one exit code for every failure, so the cause is only in its message.
"""

import re

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place

_SHOWN = 300
"""Characters of kubectl's message that are shown: some errors contain a whole object."""


class _Cause(NamedTuple):
    words: re.Pattern[str]
    reason: Reason
    hint: str


_INSTALLED = "is Kruise installed? `kubectl api-resources --api-group=apps.kruise.io` lists its kinds"
_CONTEXTS = "`kubectl config get-contexts` lists the contexts"
_LOGIN = "does `kubectl get namespaces` work with the same context?"
_REACHABLE = "is this the right cluster? check `kubectl config current-context`, or use --context"
_CAUSES = tuple(
    _Cause(lazy_pattern(words, re.IGNORECASE), reason, hint)
    for words, reason, hint in (
        (r"doesn't have a resource type|\(NotFound\)", Reason.RESOURCE_NOT_FOUND, _INSTALLED),
        (r"\(Expired\)|\(ResourceExpired\)", Reason.LIST_EXPIRED, ""),
        (r"\(Forbidden\)", Reason.FORBIDDEN, "`kubectl auth can-i list RESOURCE` shows whether you may"),
        (r"context was not found|context .* does not exist", Reason.CONTEXT_NOT_FOUND, _CONTEXTS),
        (
            r"\(Unauthorized\)|logged in|credentials|Please enter|: executable |^error: EOF$",
            Reason.NOT_LOGGED_IN,
            _LOGIN,
        ),
        (r"^error: stat |config file|kubeconfig", Reason.KUBECONFIG_UNREADABLE, "--kubeconfig selects the file"),
        (
            r"was refused|unable to connect|no such host|timed out|timeout|deadline exceeded|no route|unreachable",
            Reason.CLUSTER_UNREACHABLE,
            _REACHABLE,
        ),
    )
)


def failure(command: str, said: str, exit_code: int) -> InputError:
    """The error for a command that ended with an exit code, from its stderr."""
    words = _last_words(said) or f"exit code {exit_code}, without output"
    for cause in _CAUSES:
        if cause.words.search(words):
            return problem(command, cause.reason, words, cause.hint)
    return problem(command, Reason.KUBECTL_FAILED, words)


def problem(command: str, reason: Reason, message: str, hint: str = "") -> InputError:
    """The error about a command."""
    return InputError(Finding(Severity.ERROR, reason, message, place=Place(command), hint=hint))


def _last_words(said: str) -> str:
    """The last line that is no log line of kubectl's own (`E1121 12:42:20.657584 ...`), shortened."""
    lines = [line.strip() for line in said.splitlines()]
    answers = [line for line in lines if line and not re.match(r"[EWIF][0-9]{4} ", line)]
    words = answers[-1] if answers else ""
    return words if len(words) <= _SHOWN else words[:_SHOWN] + " ..."
