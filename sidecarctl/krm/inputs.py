"""The world of a function's call: sets among the items, in the functionConfig, and in files that it names."""

import os
from collections.abc import Iterable, Iterator
from typing import cast

from sidecarctl.config.sidecar_injection import SidecarInjection
from sidecarctl.documents.document import Document, Reader
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place, reference_of
from sidecarctl.inputs.deciding_objects import located_in
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import DECIDING_KINDS, Located, World, world_of
from sidecarctl.krm.annotations import as_authored, file_of


class _NoText:
    """In the place of a document: lines of a ResourceList are not those of any file that its reader knows."""

    def place(self, path: Path) -> Place:
        del path
        return Place("")


NO_TEXT = cast("Document", _NoText())


def world_of_call(injection: SidecarInjection, among: Iterable[Located], reader: Reader, folder: str = "") -> World:
    """The world; relative paths count from the folder. InputError where something that decides cannot be read.

    `among` is what decides among the items.
    """
    found = [*_in_config(injection), *_in_files(injection, injection.paths, reader, folder), *among]
    older = _in_files(injection, injection.revision_from, reader, folder)
    sets = [located for located in older if located.reference.kind == "SidecarSet"]
    return world_of(found, sets, trust_annotated_hash=injection.trust_annotated_hash)


def refuse_no_sets(world: World, injection: SidecarInjection) -> None:
    """InputError where there is no set, unless that is allowed."""
    if not world.sidecarsets and not injection.allow_empty:
        hint = "give it in spec.sidecarSets or spec.paths of a SidecarInjection, or allow it with allowEmpty"
        message = "there is no SidecarSet among the items or in the functionConfig"
        raise input_error(Reason.NO_SIDECARSET, message, hint=hint)


def _in_config(injection: SidecarInjection) -> Iterator[Located]:
    for path, manifest in injection.sidecarsets:
        yield Located(as_authored(manifest), reference_of(manifest), "", NO_TEXT, path)


def _in_files(injection: SidecarInjection, paths: Iterable[str], reader: Reader, folder: str) -> Iterator[Located]:
    if not paths:
        return
    from sidecarctl.files.inputs import inputs

    named = [os.path.join(folder, path) for path in paths]  # noqa: PTH118 - `./sets` stays what the user calls it
    try:
        found = inputs(named, recursive=injection.recursive, stdin=None)
    except InputError as fault:  # the folder is not plain: each tool has its own
        hint = f"paths count from {os.path.abspath(folder)}"  # noqa: PTH100 - a text, as they are
        raise InputError(*(finding._replace(hint=hint) for finding in fault.findings)) from None
    yield from located_in(found, reader)


def located_items(objects: Iterable[ManifestObject]) -> Iterator[Located]:
    """The items of a ResourceList that decide about pods."""
    for found in objects:
        if DECIDING_KINDS.get(found.reference.kind) == found.group:
            manifest = as_authored(found.inherited | found.manifest)
            file = file_of(found.manifest)
            yield Located(manifest, found.reference, file.path if file else "", NO_TEXT, ())
