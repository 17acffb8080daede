"""The scripts that shells load."""

from pathlib import Path


def script_of(shell: str) -> str:
    """The script of a shell."""
    return (Path(__file__).parent / "shells" / f"sidecarctl.{shell}").read_text(encoding="utf-8")
