"""YAML lists of very many objects, cut into their items."""

from collections.abc import Iterator

import pytest
import yaml

from sidecarctl.engine.documents.lists import yaml_list_items
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import NotAListError
from sidecarctl.engine.facts.values import Value

LIST = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  note: |
    - a line

    items:
# between
-
  kind: Pod
  text: "a
   b"
kind: List
metadata:
  resourceVersion: ""
"""


def cut(text: str, size: int) -> Iterator[bytes]:
    data = text.encode()
    for start in range(0, len(data), size):
        yield data[start : start + size]


def read(text: str, size: int = 7, reader: Reader | None = None) -> list[Value]:
    return [document.value[0] for document in yaml_list_items(cut(text, size), reader or Reader())]


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("text", [LIST, LIST.replace("\n", "\r\n"), LIST.removesuffix("\n")])
def test_the_items_that_another_reader_finds(text: str, size: int) -> None:
    assert read(text, size) == yaml.safe_load(text)["items"]


def test_places_are_those_in_the_file() -> None:
    first, second = yaml_list_items([LIST.encode()], Reader())
    assert first.place((0, "kind")).line == 4
    assert second.place((0, "text")).line == 12


def test_items_at_the_end() -> None:
    assert read("kind: List\nitems:\n- 1\n- 2\n") == [1, 2]
    assert read("kind: List\nitems:\n# none\n- 1\n# end\n") == [1]


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\n",
        "kind: List\nitems:\n- 1\n---\nkind: Pod\n",
        "kind: Pod\nitems:\n- 1\n",
        "kind: List\nitems:\n- &a 1\n- *a\n",
        'kind: List\nitems:\n- "a\n- b"\n',
        "kind: List\nitems:\n- a: 1\n b: 2\n",
        "kind: [\nitems:\n- 1\n",
        "kind: List\n" + "# \n" * 2000,
        "kind: List\nitems:\n- 1\n items:\n",
    ],
)
def test_what_has_to_be_read_as_a_whole(text: str) -> None:
    with pytest.raises(NotAListError):
        read(text)


def test_bytes_that_are_no_text() -> None:
    for data in (b"kind: List\nitems:\n- \xff\n", b"kind: \xff\nitems:\n- 1\n"):
        with pytest.raises(NotAListError):
            list(yaml_list_items([data], Reader()))


def test_an_item_that_is_too_large() -> None:
    small = Reader(Reader().limits._replace(size=100))
    with pytest.raises(NotAListError):
        read("kind: List\nitems:\n- a: 1\n" + "  # long\n" * 50, reader=small)
