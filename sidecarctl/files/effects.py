"""What a run has written so far, for the moment when it is interrupted."""

_files: list[str] = []
_streams: set[str] = set()
_patches: list[int] = []
"""How many patches were sent; a list, since threads append to it."""


def file_written(path: str) -> None:
    """A file was written, or took the place of another one."""
    _files.append(path)


def stream_written(name: str) -> None:
    """Something went to a standard stream, which nobody can take back."""
    _streams.add(name)


def patch_sent() -> None:
    """A patch is about to go to a cluster; what comes of it is in the journal."""
    _patches.append(1)


def forget() -> None:
    """A new run begins: several may follow each other in one process."""
    _files.clear()
    _streams.clear()
    _patches.clear()


def what_was_written() -> str:
    """`nothing was written`, `1 file was written: web.yaml`, `3 files were written, the last is web.yaml`."""
    said = []
    if _files:
        is_single = len(_files) == 1
        last = f": {_files[-1]}" if is_single else f", the last is {_files[-1]}"
        said.append(f"{len(_files)} file{'' if is_single else 's'} {'was' if is_single else 'were'} written{last}")
    if _streams:
        said.append(f"the output on {' and '.join(sorted(_streams))} is incomplete")
    if _patches:
        number = len(_patches)
        said.append(f"{number:,} patch{'' if number == 1 else 'es'} had been sent to the cluster, see the journal")
    return "; ".join(said) or "nothing was written"
