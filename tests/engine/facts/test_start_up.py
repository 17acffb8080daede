"""What keeps start-up short changes nothing else."""

import subprocess
import sys
from hashlib import sha256

import pytest

from sidecarctl.engine.facts.start_up import Digest

PROGRAM = """\
import sys
from sidecarctl.engine.facts.start_up import BY_TYPER, Lazily
with Lazily(BY_TYPER):
    import typer.core, typer.main
lazy = [name for name, module in sys.modules.items() if type(module).__name__ == "_LazyModule"]
assert set(BY_TYPER) & set(sys.modules) <= set(lazy), lazy  # which of them are imported depends on the Python
assert sys.modules["lzma"].LZMAFile.__name__ == "LZMAFile"
import lzma
assert lzma is sys.modules["lzma"] and type(lzma) is type(sys)
import textwrap
assert textwrap.dedent(" a") == "a"
assert not [finder for finder in sys.meta_path if "sidecarctl" in str(finder)]
"""


def test_what_was_left_out_is_loaded_when_it_is_used() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.returncode == 0


def test_what_was_imported_before_stays() -> None:
    program = (
        "import sys, textwrap\n"
        "from sidecarctl.engine.facts.start_up import BY_TYPER, Lazily\n"
        "with Lazily(BY_TYPER): import typer\n"
        "assert sys.modules['textwrap'] is textwrap\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
@pytest.mark.parametrize("block", [1 << 10, 1 << 20, 5 << 20])
def test_the_digest_of_blocks_is_that_of_the_whole(size: int, block: int) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    digest = Digest()
    for start in range(0, len(data), block):
        digest.update(data[start : start + block])
    assert digest.hexdigest() == sha256(data).hexdigest()
