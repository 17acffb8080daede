"""`sidecarctl hash`."""

from sidecarctl.cli.emptiness import no_sidecarset
from sidecarctl.cli.exiting import conclude, report
from sidecarctl.cli.flags.options import AllowEmpty, Filenames, Paths, Recursive
from sidecarctl.cli.worlds import Named, opened, read_world
from sidecarctl.documents.document import Reader
from sidecarctl.files.outputs import to_stdout
from sidecarctl.operations.sidecarset_warnings import remarks
from sidecarctl.reports.layout.lines import shown


def command(
    paths: Paths = None, filename: Filenames = None, recursive: Recursive = False, allow_empty: AllowEmpty = False
) -> None:
    """Print both hashes of each SidecarSet, after defaults: name, hash, hash without image.

    A recorded hash that differs is reported: it is stale, or another version of Kruise wrote it.

    Example:  sidecarctl hash sidecarsets/
    """
    conclude(lambda: _run([*(paths or []), *(filename or [])], recursive=recursive, allow_empty=allow_empty))


def _run(paths: list[str], *, recursive: bool, allow_empty: bool) -> int:
    with opened(Named(paths, recursive=recursive)) as sources:
        world = read_world(sources, Reader(), allow_empty=True)
    if not world.sidecarsets and not allow_empty:
        raise no_sidecarset((), paths, recursive=recursive)
    odd = remarks(world)
    report(odd)
    hashes = (f"{one.name}  {one.hash}  {one.hash_without_image}" for one in world.sidecarsets)
    to_stdout("".join(f"{shown(line)}\n" for line in hashes))
    return 1 if odd else 0
