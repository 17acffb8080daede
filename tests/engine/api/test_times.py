"""Times are read as strictly as the API does."""

import pytest

from sidecarctl.engine.api.text_forms import parse_time, utc_text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T02:30:00+02:30", "2026-01-01T00:00:00Z"),
        ("2025-12-31T23:00:00-01:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.999999999Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T0:00:00Z", "2026-01-01T00:00:00Z"),
        ("0099-01-01T00:00:00Z", "0099-01-01T00:00:00Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_time_is_written_in_utc_and_whole_seconds(text: str, written: str | None) -> None:
    time = parse_time(text)
    assert time is not None
    assert utc_text(time) == written


def test_fractions_order_times_of_the_same_second() -> None:
    texts = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00,05Z", "2026-01-01T00:00:00.1234567Z"]
    times = [time for time in map(parse_time, texts) if time]
    assert times == sorted(set(times))
    assert [time.microsecond for time in times] == [0, 50_000, 123_456]


@pytest.mark.parametrize(
    "text",
    [
        "", "2026-01-01", "2026-01-01 00:00:00Z", "2026-01-01t00:00:00z", "2026-01-01T00:00:00",
        "2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00+25:00", "2026-01-01T00:00:00+00:61", "0001-01-01T00:00:00+01:00",
        "2026-01-01T00:00:00Z\n", "2026-1-1T00:00:00Z",
    ],
)  # a table, a case a line  # fmt: skip
def test_what_is_not_a_time_is_refused(text: str) -> None:
    assert parse_time(text) is None
