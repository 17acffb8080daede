"""Proof before anything is written: the edited text is read again and must be the intended value."""

import marshal

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.errors import InputError, InternalFaultError, impossible
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value

_MOST = 1000
"""Characters of a key that certainly can be read: YAML has them stop, with their quotes, at 1,024."""


def prove(reader: Reader, document: Document, text: str, intended: Value) -> None:
    """Read the text that shall replace the document's; InternalFaultError where it is not the intended value."""
    try:
        values = [again.value for again in reader.documents_of(document.prefix + text)]
    except InputError as fault:
        if longest := _longest_key(intended):
            message = f"a key of {longest:,} characters cannot be written between the brackets of YAML"
            hint = f"YAML has keys of at most {_MOST:,} characters; the API takes no name that is longer than 317"
            raise impossible(Reason.CANNOT_EDIT, message, hint=hint) from fault
        raise _unproven(f"it cannot be read: {fault}") from fault
    if len(values) != 1 or not identical(values[0], intended):
        raise _unproven("it reads as something else")


def _longest_key(value: Value) -> int:
    """The length of the longest key that YAML takes in no flow mapping; 0 where there is none."""
    members = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = max(map(len, value), default=0) if isinstance(value, dict) else 0
    return max([own if own > _MOST else 0, *map(_longest_key, members)])


def identical(one: Value, other: Value) -> bool:
    """Whether two values are the same, 1, 1.0 and true being different; key order does not count."""
    return marshal.dumps(one, 2) == marshal.dumps(other, 2) or (one == other and _same_types(one, other))


def _same_types(one: Value, other: Value) -> bool:
    """Whether equal values are of equal types throughout."""
    if isinstance(one, dict):
        return isinstance(other, dict) and all(_same_types(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return isinstance(other, list) and all(map(_same_types, one, other))
    return type(one) is type(other)


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text is not what it should be: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this, with the manifest"))
