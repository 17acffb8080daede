"""Worlds made of objects, as a command makes them of files."""

import json
from collections.abc import Iterable

from sidecarctl.documents.document import Reader
from sidecarctl.facts.values import Object
from sidecarctl.inputs.world import World, deciding, world_of


def world(objects: Iterable[Object]) -> World:
    """The world of what decides among some objects."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    return world_of(deciding(Reader().documents_of(text), "objects.json"))
