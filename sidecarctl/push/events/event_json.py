"""The events of a push for programs: one JSON object a line, of kind PushEvent (schemas/push-event.json)."""

import dataclasses
import json

from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.values import Object
from sidecarctl.push.events.events import PushEvent

KIND = "PushEvent"


def event_json(event: PushEvent, time: str) -> str:
    """An event as a line; `time` is when it happened (RFC 3339)."""
    return json.dumps(event_document(event, time), separators=(",", ":"), ensure_ascii=False) + "\n"


def event_document(event: PushEvent, time: str) -> Object:
    """An event as an object; names of members as JSON has them."""
    members = {_camel(name): value for name, value in dataclasses.asdict(event).items()}
    return {"apiVersion": API_VERSION, "kind": KIND, "time": time, "event": event.kind, **members}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
