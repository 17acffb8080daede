"""Which cluster, and as whom: the options that kubectl gets handed on."""

from sidecarctl.facts.named_tuples import NamedTuple

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
