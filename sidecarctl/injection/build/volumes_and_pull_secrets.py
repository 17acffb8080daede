"""What sets add to the lists of a pod: volumes and pull secrets, each name once.

Source: docs/behaviour/injection.md, "Then the pod is assembled".
"""

from collections.abc import Iterable

from sidecarctl.facts.values import Value


def with_volumes(present: list[Value] | None, queued: tuple[Value, ...]) -> list[Value] | None:
    """A pod's volumes with those queued whose name it does not have; the same object when there is none."""
    if not queued:
        return present
    names = {name_of(item) for item in present or ()}
    added = [item for item in queued if name_of(item) not in names]
    return [*(present or ()), *added] if added else present


def with_pull_secrets(present: list[Value] | None, queued: tuple[Value, ...]) -> list[Value] | None:
    """A pod's pull secrets, the first of each name, then those queued; the same object when nothing changes."""
    if present:
        own = first_of_each_name(present)
        present = present if len(own) == len(present) else own
    return with_volumes(present, queued)


def first_of_each_name(items: Iterable[Value]) -> list[Value]:
    """The items without those whose name an earlier one has."""
    found: dict[str, Value] = {}
    for item in items:
        found.setdefault(name_of(item), item)
    return list(found.values())


def name_of(item: Value) -> str:
    """The name of a list's item; empty when it has none."""
    return (item or {}).get("name") or ""
