"""Requests and limits for people: cores and bytes, rounded; documents have the exact values."""

from sidecarctl.engine.api.pod_resources import Amounts, Resources, in_order, is_in_bytes

_NANO = 10**9
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def amount_words(resource: str, nanos: int) -> str:
    """`18 cores`, `1.5 GiB`, `2 of example.com/gpu`."""
    if resource == "cpu":
        return f"{short(nanos, resource)} core{'' if nanos == _NANO else 's'}"
    if is_in_bytes(resource):
        words = short(nanos, resource)
        return words if resource == "memory" else f"{words} of {resource}"
    return f"{short(nanos, resource)} of {resource}"


def short(nanos: int, resource: str) -> str:
    """An amount in a column of the resource: `18`, `1.5 GiB`, `0`."""
    if not is_in_bytes(resource):
        return _number(nanos / _NANO, 3)
    amount, unit = nanos / _NANO, 0
    while abs(amount) >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{_number(amount, 2)} {_UNITS[unit]}" if amount else "0"


def _number(amount: float, places: int) -> str:
    text = f"{amount:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def change_words(change: Resources) -> str:
    """`+18 cores, +36 GiB`, with the limits if they change differently; empty for no change."""
    requests, limits = _signed(change.requests), _signed(change.limits)
    if requests == limits or not limits:
        return requests
    return f"{requests} (limits {limits})" if requests else f"limits {limits}"


def _signed(amounts: Amounts) -> str:
    signs = {name: "+" if amounts[name] > 0 else "" for name in in_order(amounts)}
    return ", ".join(f"{sign}{amount_words(name, amounts[name])}" for name, sign in signs.items())


def share_words(part: int, whole: int) -> str:
    """`8.1 %`; empty for a share of nothing."""
    return f"{_number(100 * part / whole, 1)} %" if whole else ""
