"""What a user may say about injection, on the command line or in a SidecarInjection."""

from datetime import UTC, datetime

from sidecarctl.api.times import utc_text
from sidecarctl.facts.errors import usage_error

GATES = ("EnableSortSidecarContainerByName", "SidecarSetPatchPodMetadataDefaultsAllowed")
"""The feature gates of Kruise that have a say in injection."""


def epoch_time(epoch: str | None) -> str | None:
    """The time that SOURCE_DATE_EPOCH says, as it is recorded; None where it says nothing, else UsageError."""
    if not epoch:
        return None
    try:
        return utc_text(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise usage_error(f"SOURCE_DATE_EPOCH={epoch} is not a number of seconds") from None
