"""Why containers are not ready, as their status says: what they wait for, how they ended, their restarts."""

from collections.abc import Iterator, Sequence

from sidecarctl.api.text_forms import parse_time
from sidecarctl.facts.values import Object


def troubles(names: Sequence[str], statuses: Sequence[Object | None]) -> str:
    """The containers with what their status says: `log (CrashLoopBackOff, 7 restarts, last exit 1 after 14 s)`."""
    by_name = {item.get("name"): item for item in statuses if item}
    return ", ".join(_trouble(name, by_name.get(name) or {}) for name in names)


def _trouble(name: str, status: Object) -> str:
    said = ", ".join(_parts(status))
    return f"{name} ({said})" if said else name


def _parts(status: Object) -> Iterator[str]:
    state, last = status.get("state") or {}, status.get("lastState") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    if waiting.get("reason"):
        reason, message = waiting["reason"], waiting.get("message")
        yield f"{reason}: {message}" if message and reason in _IMAGE_PROBLEMS else reason
    if ended:
        yield f"ended with {ending(ended)}"
    if restarts := status.get("restartCount") or 0:
        yield f"{restarts:,} restart{'s' * (restarts != 1)}"
    if before := last.get("terminated") or {}:
        yield f"last {ending(before)}"


_IMAGE_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")


def ending(ended: Object) -> str:
    """`exit 1 (Error) after 14 s`."""
    reason = ended.get("reason") or ""
    said = f"exit {ended.get('exitCode', 0)}" + (f" ({reason})" if reason not in ("", "Error", "Completed") else "")
    begun, over = (parse_time(ended.get(key) or "") for key in ("startedAt", "finishedAt"))
    return f"{said} after {(over - begun).total_seconds():,.0f} s" if begun and over else said
