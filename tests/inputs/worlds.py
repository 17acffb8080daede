"""Worlds made of objects, as a command makes them of files."""

import json
from collections.abc import Iterable

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.findings import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.inputs.objects import Unplaced
from sidecarctl.inputs.world import deciding, world_of
from sidecarctl.sidecarset.world import Located, World


def located(manifest: Object) -> Located:
    """An object as if it were read, from nowhere."""
    return Located(manifest, reference_of(manifest), "objects.json", Unplaced(manifest), ())


def world(objects: Iterable[Object]) -> World:
    """The world of what decides among some objects."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    made, faults = world_of(deciding(Reader().documents_of(text), "objects.json"))
    assert not faults
    return made
