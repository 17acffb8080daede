"""The options that --help shows: those that people need first; --help-all shows every one.

A command with few options shows them all.
"""

MOST = 14
"""So many options need no choice."""

_EVERYWHERE = frozenset(("sidecarsets", "namespace", "kruise", "live", "output", "report", "color"))
_WRITING = frozenset(("in_place", "output_folder", "diff", "check"))
_FIRST = {
    "inject": _WRITING | {"only", "as_pods", "config", "template_path"},
    "uninject": _WRITING | {"only", "force", "config"},
    "convert": _WRITING | {"to"},
    "plan": {"only", "from_old", "partition", "max_unavailable", "pod_update_duration", "sweep", "fail_on"},
    "diff": {"only", "delete", "before", "after", "kruise_from", "kruise_to", "exit_code", "fail_on"},
    "explain": {"only", "pod", "field", "labels", "sidecarset", "every", "reasons"},
    "status": {"only", "exit_code", "fail_on", "all_pods", "image"},
    "images": {"only", "image", "from_old"},
    "revisions": {"only", "revision", "old", "new", "in_place", "every"},
    "hash": {"recursive", "exclude", "filename"},
    "render": {"wave", "only", "output_folder", "simulated"},
    "push": {"dry_run", "waves", "pause_after", "confirm", "max_parallel", "max_failures", "timeout", "journal",
             "resume", "context"},
    "test": {"name", "lists", "fail_fast", "recursive"},
    "rollback": {"journal", "to", "only", "max_unavailable"},
    "validate": {"old", "ignore", "rule", "baseline", "explain", "kubernetes", "strict"},
}  # a table, a command a line  # fmt: skip


def is_shown(command: str, option: str, number: int) -> bool:
    """Whether the short help of a command with this many options shows one, by the name of its parameter."""
    return number <= MOST or option in _EVERYWHERE or option in _FIRST.get(command, ()) or option == "help"
