import pytest

from sidecarctl.api import timestamps


def test_the_zero_time_is_nought() -> None:
    assert timestamps.parse("0001-01-01T00:00:00Z") == 0


def test_fractions_count_in_nanoseconds() -> None:
    assert timestamps.parse("0001-01-01T00:00:01.5Z") == 1_500_000_000
    assert timestamps.parse("0001-01-01T00:00:01,1234567899Z") == 1_123_456_789


def test_offsets_are_taken_off() -> None:
    assert timestamps.parse("2024-05-06T10:11:12+02:00") == timestamps.parse("2024-05-06T08:11:12Z")
    assert timestamps.parse("2024-05-06T10:11:12-00:30") == timestamps.parse("2024-05-06T10:41:12Z")


@pytest.mark.parametrize(
    "text",
    [
        "", "yesterday", "2024-05-06", "2024-05-06 10:11:12Z", "2024-05-06T10:11:12", "2024-02-30T10:11:12Z",
        "2024-05-06T24:00:00Z", "2024-05-06T10:60:00Z", "2024-05-06T10:11:60Z", "2024-05-06T10:11:12+25:00",
        "2024-05-06T10:11:12+01:61", "0000-05-06T10:11:12Z", "2024-05-06T10:11:12Z ", "٢٠٢٤-05-06T10:11:12Z",
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert timestamps.parse(text) is None
    with pytest.raises(ValueError, match="not an RFC 3339 time"):
        timestamps.utc_text(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024-05-06T10:11:12Z", "2024-05-06T10:11:12Z"),
        ("2024-05-06T10:11:12+02:00", "2024-05-06T08:11:12Z"),
        ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"),
        ("2024-05-06T07:08:09.987Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06T7:08:09Z", "2024-05-06T07:08:09Z"),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_written_in_utc_with_whole_seconds(text: str, written: str | None) -> None:
    assert timestamps.utc_text(text) == written


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
def test_utc_beyond_the_calendar(text: str) -> None:
    with pytest.raises(ValueError, match="outside of the years"):
        timestamps.utc_text(text)
