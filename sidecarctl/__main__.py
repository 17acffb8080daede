"""`python -m sidecarctl` and the console script."""

import sys

from sidecarctl import __version__


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:  # nothing else has to be loaded for it
        sys.stdout.write(f"sidecarctl {__version__}\n")
        return
    from sidecarctl.cli.app import app

    app()


if __name__ == "__main__":
    main()
