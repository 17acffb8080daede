"""Other readers of the same text: PyYAML and ruamel.yaml compose it, our scalar table types its scalars."""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import yaml
from ruamel.yaml import YAML

from sidecarctl.engine.documents.reading.scalars import plain_key, plain_value
from sidecarctl.engine.facts.values import Object, Value

Node: TypeAlias = Any
"""A node of either library: both have `value`, and scalars a `style`."""


# Breaks, tabs, and byte order marks after the first, which only libyaml takes as Kubernetes does.
_ONLY_C = re.compile("[\t\x85\u2028\u2029]|.\ufeff", re.DOTALL)


def pyyaml_value(text: str) -> Value:
    """What PyYAML reads, by its own parser where that can."""
    loader = yaml.CBaseLoader if _ONLY_C.search(text) else yaml.BaseLoader
    return _value(yaml.compose(_lines(text), loader))


def ruamel_value(text: str) -> Value:
    """What ruamel.yaml reads."""
    yaml_12 = YAML(typ="safe", pure=not _ONLY_C.search(text))
    return _value(yaml_12.compose(_lines(text)))


def _lines(text: str) -> str:
    """The text as whole lines: kubectl ends the last line where the file does not."""
    text = text.removeprefix("\ufeff")
    return text if text[-1:] in "\r\n" else text + "\n"


def _value(node: Node) -> Value:
    if node is None:
        return None
    if isinstance(node.value, str):
        return node.value if node.style else plain_value(node.value)
    if node.value and isinstance(node.value[0], tuple):
        return _mapping(node)
    return [_value(item) for item in node.value] if "seq" in str(node.tag) else {}


def _mapping(node: Node) -> Object:
    members: Object = {}
    for key, value in node.value:
        if key.value == "<<" and not key.style:
            for source in _sources(value):
                members.update(source)
        else:
            name = key.value if key.style else plain_key(key.value)
            assert name is not None
            members[name] = _value(value)
    return members


def _sources(node: Node) -> Iterator[Object]:
    value = _value(node)
    yield from reversed(value) if isinstance(value, list) else [value]
