"""Which cluster, and as whom: the options that kubectl gets handed on."""

from typing import NamedTuple


class Connection(NamedTuple):
    """The user's choice of cluster; empty where kubectl decides."""

    context: str = ""
    kubeconfig: str = ""

    def command(self, *words: str) -> list[str]:
        """The words of a kubectl command; an option and its value are one word, so that no value passes for one."""
        given = {"--context": self.context, "--kubeconfig": self.kubeconfig}
        return ["kubectl", *(f"{option}={value}" for option, value in given.items() if value), *words]


def command_text(*words: str) -> str:
    """A kubectl command as messages name it, without the connection's options."""
    return " ".join(("kubectl", *words))
