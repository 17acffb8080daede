"""Names in the order in which people look for them."""

from sidecarctl.engine.facts.values import natural


def test_numbers_count_as_numbers() -> None:
    names = ["s10", "s2", "s1", "10", "a", "s2b", "s02", "", "s"]
    assert sorted(names, key=natural) == ["", "10", "a", "s", "s1", "s02", "s2", "s2b", "s10"]
