"""Names of the SidecarSets in the files that a command line names."""

from collections.abc import Sequence

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.inputs.deciding_kinds import is_sidecarset
from sidecarctl.inputs.opening import Named, opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_manifests import read_manifests

_LARGEST = 4 << 20
"""Bytes of a file that is worth reading while somebody waits for a completion; a dump of pods is larger."""


def sidecarset_names(paths: Sequence[str]) -> list[str]:
    """The names, in order, each once; of what cannot be read none."""
    try:
        with opened(Named([path for path in paths if path and path != "-"]), lenient=True) as (sources,):
            small = [item for item in sources.paths if item.path.is_file() and item.path.stat().st_size <= _LARGEST]
            objects = read_manifests(small, Reading(Reader())).objects
            names = [item.reference.name for item in objects if is_sidecarset(item)]
    except (SidecarctlError, OSError):
        return []
    return sorted({name for name in names if name})
