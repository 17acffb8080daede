"""Names of commands that do not exist: what the user may have meant, by meaning or by spelling."""

from collections.abc import Collection
from difflib import get_close_matches

from sidecarctl.facts.errors import UsageError, usage_error

_MEANT = {
    "validate": ("lint", "check", "verify", "vet", "test", "doctor", "conform", "scan", "policy"),
    "push": ("apply", "deploy", "rollout", "execute", "run", "sync", "upgrade", "update", "patch-pods"),
    "plan": ("preview", "simulate", "dry-run", "dryrun", "forecast", "schedule", "whatif", "what-if", "waves"),
    "render": ("patch", "patches", "script", "generate", "template"),
    "explain": ("why", "describe", "reason", "reasons", "debug", "trace"),
    "status": ("get", "pods", "list", "ls", "ps", "state", "progress", "show"),
    "revisions": ("history", "revision", "versions", "restore"),
    "rollback": ("undo", "revert"),
    "convert": ("migrate", "translate"),
    "uninject": ("remove", "eject", "strip", "delete", "clean", "extract"),
    "inject": ("add", "transform", "mutate", "kube-inject"),
    "diff": ("compare", "changes", "delta", "impact"),
    "hash": ("checksum", "digest", "sum"),
    "schema": ("crd", "schemas", "types", "jsonschema"),
    "rules": ("rule", "catalogue", "catalog"),
    "completion": ("completions", "complete", "autocomplete", "autocompletion"),
    "plugin": ("plugins", "install", "kustomize", "krew"),
    "version": ("about", "info"),
    "help": ("man", "usage", "docs", "commands"),
}
"""Words of other tools and of everyday speech for what each command does."""

_INSTEAD = {"push": "render", "rollback": "revisions"}
"""What comes nearest where a command does not exist."""


def unknown_command(name: str, commands: Collection[str]) -> UsageError:
    """The error for a name that no command has, with what may be meant."""
    meant = meant_commands(name, commands)
    hint = f"did you mean {' or '.join(meant)}?" if meant else "sidecarctl --help lists the commands"
    return usage_error(f"there is no command {name}", hint=hint)


def meant_commands(name: str, commands: Collection[str]) -> list[str]:
    """The commands that do what the name says, and those that are spelled alike; the former first."""
    word = name.lower()
    meant = [command for command, words in _MEANT.items() if word in words]
    meant = [command if command in commands else _INSTEAD.get(command, "") for command in meant]
    alike = [] if meant else get_close_matches(word, list(commands), n=2, cutoff=0.6)
    return [command for command in dict.fromkeys([*meant, *alike]) if command in commands]
