"""Typer without what it seldom uses: nothing else than start-up is different."""

import subprocess
import sys

PROGRAM = """\
import sys
from sidecarctl.cli.lean_typer import import_typer
import_typer()
import typer.core, typer.main
assert not {"subprocess", "gettext", "textwrap"} & set(sys.modules), "imported at once"
shortened = typer.main.subprocess
assert typer.core._("Usage:") == "Usage:"
assert typer.core.get_close_matches("injekt", ["inject"]) == ["inject"]
assert "gettext" in sys.modules and "difflib" in sys.modules
import subprocess, gettext
assert shortened is not subprocess
assert shortened.run is subprocess.run
assert type(subprocess) is type(gettext) is type(sys)
assert shortened.Popen is subprocess.Popen
"""


def test_what_was_left_out_is_imported_when_it_is_used() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.returncode == 0


def test_what_was_imported_before_stays() -> None:
    program = (
        "import sys, subprocess, textwrap\n"
        "from sidecarctl.cli.lean_typer import import_typer\n"
        "import_typer()\n"
        "import typer.main\n"
        "assert typer.main.subprocess is subprocess is sys.modules['subprocess']\n"
        "import_typer()\n"
        "assert sys.modules['textwrap'] is textwrap\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
