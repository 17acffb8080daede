"""Documents of several clusters, joined as if one run had been over all of them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.cli.clusters.matrix import KIND, FleetFacts, fleet_of, rows_of
from sidecarctl.cli.clusters.rows import DIGESTS, ClusterRow, row_of
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError, in_file, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.objects import read_only_document
from sidecarctl.engine.plan_file.reading import refuse_invalid
from sidecarctl.engine.report import Report


class ClusterDocument(NamedTuple):
    """A file with the document of a cluster, and the cluster's name; a document of several has the names."""

    cluster: str
    source: Input


def merged(files: Iterable[ClusterDocument], reader: Reader) -> Report[FleetFacts]:
    """The answer over all clusters.

    InputError for a file that is no such document, for documents of different commands, and for a cluster twice.
    """
    rows: dict[str, ClusterRow] = {}
    where: dict[str, str] = {}
    for cluster, source in files:
        for row in _rows(cluster, source, reader):
            if row.name in rows:
                raise _refused(source, f"cluster {row.name} is also in {where[row.name]}", "name it: NAME=FILE")
            first = next(iter(rows.values()), row)
            if row.kind != first.kind:
                raise _refused(
                    source, f"a {row.kind}, and {where[first.name]} has a {first.kind}", "merge each kind separately"
                )
            rows[row.name], where[row.name] = row, source.name
    if not rows:
        raise input_error(
            Reason.NO_MANIFEST, "not a document of a cluster", hint="sidecarctl merge eu-1.json us-1.json"
        )
    return Report("fleet", fleet_of(rows.values()))


def _refused(source: Input, message: str, hint: str) -> InputError:
    return InputError(*in_file(input_error(Reason.WRONG_TYPE, message, hint=hint).findings, source.name))


def _rows(cluster: str, source: Input, reader: Reader) -> list[ClusterRow]:
    def read(document: Document | None) -> list[ClusterRow]:
        return [*_rows_in(cluster, document.value if document else None)]

    return read_only_document(source, reader, read)


def _rows_in(cluster: str, document: Value) -> Iterator[ClusterRow]:
    kind = str(document.get("kind")) if isinstance(document, dict) else ""
    if kind != KIND and kind not in DIGESTS:
        commands = ", ".join(dict.fromkeys(digest.command for digest in DIGESTS.values()))
        hint = f"such as sidecarctl status -o json=eu-1.json; documents of {commands} can be merged"
        raise input_error(Reason.WRONG_TYPE, "not the document of a cluster", hint=hint)
    refuse_invalid(document, kind)
    yield from rows_of(document) if kind == KIND else [row_of(cluster, document)]
