"""Proof before anything is written: the edited text is read again and must be the intended value."""

import json

from sidecarctl.documents.document import Document, Reader
from sidecarctl.facts.errors import InputError, InternalFaultError
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value


def prove(reader: Reader, document: Document, text: str, intended: Value) -> None:
    """Read the text that shall replace the document's; InternalFaultError where it is not the intended value."""
    try:
        values = [again.value for again in reader.documents_of(document.prefix + text)]
    except InputError as fault:
        raise _unproven(f"it cannot be read: {fault}") from fault
    if len(values) != 1 or not identical(values[0], intended):
        raise _unproven("it reads as something else")


def identical(one: Value, other: Value) -> bool:
    """Whether two values are the same, 1, 1.0 and true being different; key order does not count."""
    if one != other:
        return False
    return json.dumps(one) == json.dumps(other) or json.dumps(one, sort_keys=True) == json.dumps(
        other, sort_keys=True
    )


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text is not what it should be: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this, with the manifest"))
