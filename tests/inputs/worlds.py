"""Worlds made of objects, as a command makes them of files."""

import json
from collections.abc import Iterable

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.values import Object
from sidecarctl.inputs.deciding_kinds import deciding
from sidecarctl.inputs.world import World, world_of


def world(objects: Iterable[Object]) -> World:
    """The world of what decides among some objects."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    made, faults = world_of(deciding(Reader().documents_of(text), "objects.json"))
    assert not faults
    return made
