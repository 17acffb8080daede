"""The table of plain scalars: what Kubernetes' decoder makes of them, as values and as keys."""

import pytest

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.scalars import key_text, plain_key, plain_value
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Value

VALUES: dict[str, Value] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None, "nULL": "nULL",
    "y": True, "Y": True, "yes": True, "Yes": True, "YES": True, "yEs": "yEs", "on": True, "On": True, "ON": True,
    "true": True, "True": True, "TRUE": True, "tRUE": "tRUE",
    "n": False, "N": False, "no": False, "No": False, "NO": False, "off": False, "Off": False, "OFF": False,
    "false": False, "False": False, "FALSE": False,
    "0": 0, "-0": 0, "+0": 0, "1": 1, "+12": 12, "-12": -12, "1_000": 1000, "1__0_": 10, "_1": "_1",
    "0644": 420, "010": 8, "0o644": 420, "0O17": 15, "08": 8, "09.5": 9.5, "0777": 511,
    "0x1F": 31, "0X1f": 31, "-0x10": -16, "0b101": 5, "0b2": "0b2", "0xg": "0xg", "0x": "0x", "-": "-", "+": "+",
    "1.5": 1.5, "1.0": 1, "1.": 1, ".5": 0.5, "-.5": -0.5, "+.25": 0.25, ".": ".", "..": "..",
    "1e3": 1000, "1E3": 1000,
    "1e-3": 0.001, "1e+21": 1e21, "1e20": 10**20, "1.5e300": 1.5e300, "1e400": "1e400", "7403e430": "7403e430",
    "12e": "12e", "e3": "e3", "1e": "1e", "0e0": 0, "1_0.5": 10.5,
    "9223372036854775807": 9223372036854775807, "18446744073709551615": 18446744073709551615,
    "18446744073709551616": 18446744073709552000, "-9223372036854775808": -9223372036854775808,
    "99999999999999999999999": 1e23, "9" * 400: "9" * 400, "0x" + "f" * 70: "0x" + "f" * 70,
    "12:30": "12:30", "12:30:45": "12:30:45", "1:30.5": "1:30.5", "2001-01-01": "2001-01-01",
    "2001-01-01T00:00:00Z": "2001-01-01T00:00:00Z", "0.5.1": "0.5.1", "1.2.3": "1.2.3", "1 2": "1 2",
    "250m": "250m", "1Gi": "1Gi", "=": "=", "text": "text", "nil": "nil", "None": "None", "inf": "inf", "nan": "nan",
    "\u0661": "\u0661", "1\u0660": "1\u0660",
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_values(text: str, value: Value) -> None:
    read = plain_value(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", "+.inf", "-.inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"])
def test_what_json_cannot_hold(text: str) -> None:
    with pytest.raises(ValueError, match=text.replace("+", r"\+")):
        plain_value(text)


KEYS = {
    "a": "a", "y": "true", "No": "false", "1": "1", "010": "8", "0x10": "16", "1.0": "1", "1.5": "1.5", "1_0": "10",
    ".inf": ".inf", "-.INF": "-.inf", ".NaN": ".nan", "12:30": "12:30",
    "20240101.1": "2.0240102e+07", "100000.0": "100000", "1000000.0": "1e+06", "1e3": "1000", "1e-7": "1e-07",
    "1e39": ".inf",
    ".5_0": "0.5", "9223372036854775807": "9223372036854775807", "9223372036854775808": None,
    "18446744073709551616": "1.8446744e+19", "-9223372036854775809": "-9.223372e+18",
    "~": None, "": None, "null": None, "<<": None,
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize(("text", "key"), KEYS.items())
def test_keys(text: str, key: str | None) -> None:
    assert plain_key(text) == key


def test_keys_of_values() -> None:
    assert [key_text(value) for value in (True, False, None, 5, 0.5, "a")] == ["true", "false", None, "5", "0.5", "a"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (".5_0", 0.5), (".5_", ".5_"), (".1e_3", ".1e_3"), ("9007199254740993.0", 9007199254740992),
        ("1152921504606846976.0", 1152921504606847000), ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709552000), ("-9223372036854775809", -9223372036854776000),
        ("123456789012345678901", 123456789012345680000), ("1e20", 10**20),
    ],
)  # a table, a case a line  # fmt: skip
def test_large_numbers_in_the_digits_that_go_writes(text: str, value: Value) -> None:
    """Recorded from sigs.k8s.io/yaml."""
    assert plain_value(text) == value
    assert type(plain_value(text)) is type(value)


@pytest.mark.parametrize("text", ['a: "\\/"', '"\\/": a', 'a: ["x\\\\\\/"]'])
def test_an_escaped_slash_is_json_alone(text: str) -> None:
    with pytest.raises(InputError, match="Kubernetes rejects the escape"):
        Reader().documents_of(text)
    assert Reader().documents_of('{"a": "\\/"}')[0].value == {"a": "/"}
    assert Reader().documents_of('a: "\\\\/"')[0].value == {"a": "\\/"}


def test_a_key_of_64_bits_without_sign_is_refused() -> None:
    with pytest.raises(InputError, match="not a number of 2"):
        Reader().documents_of("18446744073709551615: a")
