"""The world of a function's call: SidecarSets among the items, in the functionConfig, and in files that it names."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from sidecarctl.config.sidecar_injection import SidecarInjection
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place, reference_of
from sidecarctl.inputs.deciding_kinds import decides
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.opening import Source, Sources
from sidecarctl.inputs.reading import Reading, read_world
from sidecarctl.inputs.world import World
from sidecarctl.krm.orchestrators.annotations import as_authored, file_of


class _NoText:
    """In the place of a document: lines of a ResourceList are not those of any file that its reader knows."""

    def place(self, path: Path) -> Place:
        del path
        return Place("")


NO_TEXT = cast("Document", _NoText())


def world_of_call(
    injection: SidecarInjection,
    items: Iterable[Located],
    reader: Reader,
    folder: str = "",
    *,
    manifests: Sequence[Source] = (),
) -> World:
    """The world of the items, of manifests, and of what the functionConfig holds and names.

    Relative paths count from the folder. InputError if something that decides cannot be read.
    """
    sources = Sources[Source](
        paths=manifests,
        deciders=_files(injection, injection.paths, folder),
        older=_files(injection, injection.revision_from, folder),
        at_hand=[*_in_config(injection), *items],
    )
    how = Reading(
        reader,
        injection.namespace,
        injection.workloads,
        injection.trust_annotated_hash,
        injection.release,
        injection.allow_unknown or injection.mode == "uninject",
        names_release=injection.names_release,
    )
    return read_world(sources, how)


def refuse_no_sets(world: World, injection: SidecarInjection) -> None:
    """InputError if there is no SidecarSet, unless that is allowed."""
    if not world.sidecarsets and not injection.allow_empty:
        hint = "add it to spec.sidecarSets or spec.paths of a SidecarInjection, or set allowEmpty"
        message = "no SidecarSet found in the items or the functionConfig"
        raise input_error(Reason.NO_SIDECARSET, message, hint=hint)


def _in_config(injection: SidecarInjection) -> Iterator[Located]:
    for path, manifest in injection.sidecarsets:
        yield Located(as_authored(manifest), reference_of(manifest), "", NO_TEXT, path)


def _files(injection: SidecarInjection, paths: Iterable[str], folder: str) -> Sequence[Source]:
    if not paths:
        return ()
    from sidecarctl.files.inputs import inputs

    named = [os.path.join(folder, path) for path in paths]  # noqa: PTH118 - `./sets` stays what the user calls it
    try:
        return inputs(named, recursive=injection.recursive, stdin=None)
    except InputError as fault:  # the folder is not plain: each tool has its own
        hint = f"paths are relative to {os.path.abspath(folder)}"  # noqa: PTH100 - a text, as they are
        raise InputError(*(finding._replace(hint=hint) for finding in fault.findings)) from None


def located_items(objects: Iterable[ManifestObject]) -> Iterator[Located]:
    """The items of a ResourceList that decide about pods."""
    for found in objects:
        if decides(found.reference):
            manifest = as_authored(found.inherited | found.manifest)
            file = file_of(found.manifest)
            yield Located(manifest, found.reference, file.path if file else "", NO_TEXT, ())
