"""The difference between an object as it was read and as it shall be."""

from typing import Literal, NamedTuple

from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value


class Edit(NamedTuple):
    """One change; all paths count in the object as it was read, whatever the other edits do.

    - `set`: the member or item at `path` becomes `value`; a key that is not there yet is added at the end.
    - `insert`: `path` ends in a list index; `value` goes before the item that had it (the length: after the
      last). Several inserts at one index keep their order.
    - `remove`: the member or item at `path` goes.
    """

    action: Literal["set", "insert", "remove"]
    path: Path
    value: Value = None
