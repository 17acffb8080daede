"""Options of injection that the command line and a SidecarInjection share."""

from datetime import UTC, datetime

from sidecarctl.api.times import utc_text
from sidecarctl.facts.errors import usage_error

GATES = ("EnableSortSidecarContainerByName", "SidecarSetPatchPodMetadataDefaultsAllowed")
"""The feature gates of Kruise that affect injection."""


def epoch_time(epoch: str | None) -> str | None:
    """The time of SOURCE_DATE_EPOCH to record; None if it is empty, UsageError if it is not a number."""
    if not epoch:
        return None
    try:
        return utc_text(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise usage_error(f"SOURCE_DATE_EPOCH={epoch} is not a number of seconds") from None
