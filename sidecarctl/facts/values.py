"""The plain data that a manifest holds."""

from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, bool or None. Foreign data; it is checked where it is used."""

Object: TypeAlias = dict[str, Value]
"""A JSON object: a manifest or a branch of one. Never changed in place; only changed branches are copied."""
