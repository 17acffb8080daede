"""Which workload of one version is which of another."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from sidecarctl.engine.facts.findings import has_name
from sidecarctl.engine.sidecarset.world import Located

Key: TypeAlias = tuple[str, ...]
"""Group, kind, namespace and name of a workload; one with a generateName also has its number among those with the
same."""


def workload_keys(found: Iterable[Located], namespace: str) -> list[Key]:
    """What each workload is known by; `namespace` is the default."""
    alike: Counter[Key] = Counter()
    keys: list[Key] = []
    for item in found:
        group = item.reference.api_version.rpartition("/")[0]
        key: Key = group, item.reference.kind, item.reference.namespace or namespace, item.reference.name
        if not has_name(item.manifest):
            alike[key] += 1
            key = *key, str(alike[key])
        keys.append(key)
    return keys


def keys_of_both(old: Iterable[Located], new: Iterable[Located], namespace: str) -> tuple[list[Key], list[Key]]:
    """The keys in both versions; a workload that moved to another namespace has its new key in both.

    It moved if each version has exactly one workload of its kind and name in a namespace where the other has none.
    """
    was, is_now = workload_keys(old, namespace), workload_keys(new, namespace)
    gone, added = _by_kind_and_name({*was} - {*is_now}), _by_kind_and_name({*is_now} - {*was})
    moved = {
        keys[0]: added[name][0] for name, keys in gone.items() if len(keys) == 1 and len(added.get(name, ())) == 1
    }
    return [moved.get(key, key) for key in was], is_now


def _by_kind_and_name(keys: Iterable[Key]) -> dict[Key, list[Key]]:
    found: defaultdict[Key, list[Key]] = defaultdict(list)
    for key in keys:
        group, kind, _, name, *number = key
        if name:
            found[group, kind, name, *number].append(key)
    return found
