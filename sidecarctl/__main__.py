"""`python -m sidecarctl` and the console script."""

import gc
import sys

from sidecarctl import __version__
from sidecarctl.files.standard_streams import ended_quietly, open_missing

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    gc.disable()  # until a command begins: nothing that is loaded for it is garbage
    open_missing()
    ended_quietly(_run)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # nothing else has to be loaded for it
        sys.stdout.write(f"sidecarctl {__version__}\n")
        return
    try:
        from sidecarctl.cli.app import app

        app()
    except KeyboardInterrupt:  # while a module is being loaded: commands tell it themselves
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
