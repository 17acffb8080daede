"""Waiting before another try."""

from sidecarctl.engine.kubectl.api_requests import backoff


def test_it_waits_longer_each_time_and_not_forever() -> None:
    assert [backoff(tries, lambda: 0.0) for tries in (1, 2, 3, 4, 10_000)] == [0.5, 1.0, 2.0, 4.0, 15.0]


def test_chance_spreads_the_tries() -> None:
    assert [backoff(1, lambda: 1.0), backoff(10_000, lambda: 1.0)] == [0.25, 7.5]
