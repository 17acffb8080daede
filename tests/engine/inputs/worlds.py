"""Worlds made of objects, as a command makes them of files."""

import json
from collections.abc import Iterable

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.findings import reference_of
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs.objects import Unplaced
from sidecarctl.engine.inputs.world import deciding, world_of
from sidecarctl.engine.sidecarset.world import Located, World


def located(manifest: Object) -> Located:
    """An object as if it were read, from nowhere."""
    return Located(manifest, reference_of(manifest), "objects.json", Unplaced(manifest), ())


def world(objects: Iterable[Object]) -> World:
    """The world of what decides among some objects."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    made, faults = world_of(deciding(Reader().documents_of(text), "objects.json"))
    assert not faults
    return made
