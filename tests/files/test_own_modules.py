"""The program's own modules are found faster, and are those that the interpreter would find."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

FOUND = """\
import sys
{first}
import sidecarctl.facts.values as module, sidecarctl.facts as package
for own in (module, package):
    spec = own.__spec__
    print(own.__file__, own.__cached__, own.__package__, getattr(own, "__path__", None), spec.name, spec.origin)
    print(spec.cached, spec.has_location, spec.parent, spec.submodule_search_locations, spec.loader.path)
    print(spec.loader.is_package(own.__name__), len(spec.loader.get_source(own.__name__)))
"""
FIND = "from sidecarctl.files.own_modules import find_own_modules; find_own_modules()"
LOADER = "import {name}; print(type({name}.__loader__).__module__, {name}.WORD)"


def printed(program: str, folder: Path, *options: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    words = [sys.executable, *options, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    return ended.stdout


def test_modules_are_the_same(tmp_path: Path) -> None:
    assert printed(FOUND.format(first=FIND), tmp_path) == printed(FOUND.format(first=""), tmp_path)


@pytest.fixture
def added(tmp_path: Path) -> Path:
    """A package of ours that is elsewhere, with a module."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "__init__.py").write_text("WORD = 'package'\n")
    (tmp_path / "more" / "words.py").write_text("WORD = 'one'\n")
    return tmp_path


def imported(name: str, folder: Path, *options: str) -> str:
    full = f"sidecarctl.{name}"
    program = f"{FIND}\nimport sidecarctl; sidecarctl.__path__.insert(0, {str(folder)!r})\n{LOADER.format(name=full)}"
    return printed(program, folder, *options).strip()


OWN = "sidecarctl.files.own_modules"


def test_bytecode_is_written_and_taken(added: Path) -> None:
    assert imported("more.words", added) == f"{OWN} one"
    [bytecode] = (added / "more" / "__pycache__").glob("words.*")
    old = (added / "more" / "words.py").stat()
    (added / "more" / "words.py").write_text("WORD = 'two'\n")
    os.utime(added / "more" / "words.py", ns=(old.st_atime_ns, old.st_mtime_ns))
    assert imported("more.words", added) == f"{OWN} one"  # the time and the size are those that it was made of
    bytecode.unlink()
    assert imported("more.words", added) == f"{OWN} two"
    assert imported("more", added) == f"{OWN} package"


@pytest.mark.parametrize("text", ["WORD = 'three'\n", "WORD = 'two'\n"])
def test_bytecode_of_another_source_is_not_taken(added: Path, text: str) -> None:
    imported("more.words", added)
    (added / "more" / "words.py").write_text(text)
    os.utime(added / "more" / "words.py", (1, 1))
    assert imported("more.words", added) == f"{OWN} {text.split(chr(39))[1]}"


def test_bytecode_that_is_checked_otherwise_is_left_to_the_interpreter(added: Path) -> None:
    source = added / "more" / "words.py"
    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    assert imported("more.words", added) == f"{OWN} one"
    source.write_text("WORD = 'two'\n")
    assert imported("more.words", added) == f"{OWN} two"


def test_broken_bytecode_is_not_taken(added: Path) -> None:
    imported("more.words", added)
    [bytecode] = (added / "more" / "__pycache__").glob("words.*")
    bytecode.write_bytes(bytecode.read_bytes()[:7])
    assert imported("more.words", added) == f"{OWN} one"


@pytest.mark.parametrize("options", [("-O",), ("-X", "pycache_prefix=elsewhere")])
def test_where_bytecode_has_other_names_the_interpreter_imports(added: Path, options: tuple[str, ...]) -> None:
    assert imported("more.words", added, *options) == "_frozen_importlib_external one"


def test_a_module_that_is_missing_is_missing(tmp_path: Path) -> None:
    program = f"{FIND}\ntry: import sidecarctl.facts.nothing\nexcept ModuleNotFoundError as fault: print(fault.name)"
    assert printed(program, tmp_path) == "sidecarctl.facts.nothing\n"


def test_finding_begins_once(tmp_path: Path) -> None:
    program = (
        f"import sys; before = len(sys.meta_path)\n{FIND}; find_own_modules()\nprint(len(sys.meta_path) - before)"
    )
    assert printed(program, tmp_path) == "1\n"
