"""The tests of a SidecarSet at a pod as sentences, with the fields that decide."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sidecarctl.facts.paths import path_text
from sidecarctl.operations.explaining.explained import Field, Test
from sidecarctl.reports.explain.node import Node, short

if TYPE_CHECKING:  # few SidecarSets patch metadata
    from sidecarctl.operations.explaining.whitelist import PatchedKey, WhitelistAnswer

_ALLOWED = {True: "yes", False: "NO", None: "-"}


def test_nodes(tests: Sequence[Test]) -> Iterator[Node]:
    """A sentence for each test that was reached, and a single sentence for all others."""
    yield from (test_node(test) for test in tests if test.test.passed is not None)
    if unreached := [str(test.test.name) for test in tests if test.test.passed is None]:
        yield Node(f"not reached: {', '.join(unreached)}", mark="-")


def test_node(test: Test) -> Node:
    """A test: if it failed, with a line for each deciding field; otherwise only with their places."""
    said = f"{test.test.name}: {test.test.message or 'it matches'}"
    known = [field for field in test.fields if field.place and field.place.file]
    if test.test.passed is False:
        return Node(said, [_field_node(field) for field in known], mark="NO")
    places = ", ".join(dict.fromkeys(str(field.place) for field in known))
    return Node(f"{said} ({places})" if places else said, mark="yes")


def hint_node(hint: str) -> Node:
    """Additional information."""
    return Node(f"note: {hint}")


def whitelist_node(answer: "WhitelistAnswer") -> Node:
    """Whether the annotations may be patched."""
    children = [_key_node(key) for key in answer.keys]
    children += [
        Node(
            f"{place}  ConfigMap of that name in namespace {namespace or '(none written)'}: Kruise ignores it",
            mark="NO",
        )
        for namespace, place in answer.misplaced
    ]
    where = f" ({answer.place})" if answer.place and answer.place.file else ""
    return Node(f"patchPodMetadata: {answer.message}{where}", children)


def _key_node(patched: "PatchedKey") -> Node:
    verdict = {
        True: "allowed",
        False: "not allowed: Kruise refuses the SidecarSet",
        None: "not known whether allowed",
    }
    place = f" ({patched.place})" if patched.place and patched.place.file else ""
    return Node(
        f"{patched.key}, policy {patched.policy}: {verdict[patched.allowed]}{place}", mark=_ALLOWED[patched.allowed]
    )


def _field_node(field: Field) -> Node:
    if field.value is None:
        return Node(f"{field.place}  {field.owner}: there is no {path_text(field.path)}")
    value = f" = {short(field.value)}" if not isinstance(field.value, dict | list) else ""
    return Node(f"{field.place}  {field.owner}: {path_text(field.path)}{value}")
