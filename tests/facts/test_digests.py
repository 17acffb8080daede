"""The digest of a file is that of hashlib, whatever the length of the file and of its blocks."""

from hashlib import sha256

import pytest

from sidecarctl.facts.digests import Digest


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
@pytest.mark.parametrize("block", [1 << 10, 1 << 20, 5 << 20])
def test_it_is_that_of_the_whole(size: int, block: int) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    digest = Digest()
    for start in range(0, len(data), block):
        digest.update(data[start : start + block])
    assert digest.hexdigest() == sha256(data).hexdigest()
