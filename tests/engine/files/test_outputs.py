"""What goes to stdout shows whole or not at all, however much it is."""

import pytest

from sidecarctl.engine.files import outputs
from sidecarctl.engine.files.outputs import Stdout, written


@pytest.mark.parametrize("kept", [0, 9, 64])
def test_stdout_shows_all_parts_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], kept: int
) -> None:
    monkeypatch.setattr(outputs, "_IN_MEMORY", kept)
    with written(Stdout()) as output:
        output.write(b"a: 1\n", 5, changed=False)
        output.write(b"b: 2", 4, changed=False)
        output.part_from_others(b"---\n")
        output.write(b"c: 3\n", 5, changed=False)
        assert not capsysbinary.readouterr().out
        output.commit()
    assert capsysbinary.readouterr().out == b"a: 1\nb: 2\n---\nc: 3\n"


def test_stdout_shows_nothing_that_is_not_committed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    with written(Stdout()) as output:
        output.write(b"a: 1\n", 5, changed=False)
    assert not capsysbinary.readouterr().out
