"""The program's own modules, found where their names say they are: start-up is a feature.

A command imports some two hundred small modules. For each of them the interpreter asks several finders and looks for
five kinds of files, which takes longer than what the modules do. Here a name leads to its file, and the bytecode
beside that is taken if it was made of this very file. Whatever is not as plain as that, the interpreter imports.
"""

import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from io import FileIO
from types import CodeType, ModuleType

_PACKAGE = "sidecarctl."
_ENDING = f".{sys.implementation.cache_tag}.pyc"
_CHECKED_BY_TIME = MAGIC_NUMBER + bytes(4)
"""How bytecode begins; the time and the size of its source follow."""


def find_own_modules() -> None:
    """Import the program's own modules so from now on."""
    has_other_bytecode = sys.flags.optimize or sys.pycache_prefix
    if not has_other_bytecode and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Where a module is; None where that is for others to find out."""
        if not (path and name.startswith(_PACKAGE)):
            return None
        base, own = path[0], name.rpartition(".")[2]
        return _spec(name, base, own) or _spec(name, f"{base}/{own}", "__init__")


def _spec(name: str, folder: str, own: str) -> ModuleSpec | None:
    loader = _Loader(name, f"{folder}/{own}.py")
    try:
        loader.found = os.stat(loader.path)  # noqa: PTH116 - pathlib alone takes as long as fifty modules
    except OSError:
        return None
    is_package = own == "__init__"
    spec = ModuleSpec(name, loader, origin=loader.path, is_package=is_package)
    spec.has_location = True
    spec.cached = loader.bytecode = f"{folder}/__pycache__/{own}{_ENDING}"
    if is_package:
        spec.submodule_search_locations = [folder]
    return spec


class _Loader(SourceFileLoader):
    path: str
    found: os.stat_result
    bytecode: str

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module, from its bytecode where that is up to date."""
        try:
            with FileIO(self.bytecode) as file:
                data = file.readall()
        except OSError:
            return super().get_code(fullname)
        if data[:16] != _beginning(self.found):
            return super().get_code(fullname)
        code: CodeType = marshal.loads(memoryview(data)[16:])  # noqa: S302 - as the interpreter does
        return code


def _beginning(source: os.stat_result) -> bytes:
    numbers = (int(source.st_mtime), source.st_size)
    return _CHECKED_BY_TIME + b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)
