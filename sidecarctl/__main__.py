"""`python -m sidecarctl` and the console script."""

import sys

from sidecarctl import __version__
from sidecarctl.engine.files.process import ended_quietly, open_missing, stop_collecting


def main() -> None:
    """Run the command line."""
    stop_collecting()  # until a command begins
    open_missing()
    ended_quietly(_run)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # nothing else has to be loaded for it
        sys.stdout.write(f"sidecarctl {__version__}\n")
        return
    if sys.argv[1:2] == ["__complete"]:  # a shell asks, while somebody types
        import typer

        from sidecarctl.cli.app import app
        from sidecarctl.features.reference.completing import reply

        reply(sys.argv[2:], typer.main.get_command(app))
        return
    from sidecarctl.engine.facts.start_up import BY_TYPER, Lazily

    with Lazily(BY_TYPER):
        import typer
    from sidecarctl.cli.app import app

    app()


if __name__ == "__main__":
    main()
