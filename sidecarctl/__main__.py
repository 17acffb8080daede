"""`python -m sidecarctl` and the console script."""

import gc
import sys

from sidecarctl import __version__
from sidecarctl.files.standard_streams import ended_quietly, open_missing


def main() -> None:
    """Run the command line."""
    gc.disable()  # until a command begins: nothing that is loaded for it is garbage
    open_missing()
    ended_quietly(_run)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # nothing else has to be loaded for it
        sys.stdout.write(f"sidecarctl {__version__}\n")
        return
    from sidecarctl.files.own_modules import find_own_modules

    find_own_modules()
    if sys.argv[1:2] == ["__complete"]:  # a shell asks, while somebody types
        from sidecarctl.cli.completing.reply import reply

        reply(sys.argv[2:])
        return
    from sidecarctl.cli.lean_typer import import_typer

    import_typer()
    from sidecarctl.cli.app import app

    app()


if __name__ == "__main__":
    main()
