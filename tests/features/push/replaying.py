"""What a push has written, checked against the schemas."""

import json
from pathlib import Path

from tests.schemas import assert_valid


def assert_matches_schemas(events: str, journal: Path) -> None:
    """Fail where a line of the events or of the journal is not as its schema says."""
    for line in events.splitlines():
        assert_valid(json.loads(line), "push-event.json")
    for line in journal.read_text().splitlines():
        assert_valid(json.loads(line), "push-journal.json")
