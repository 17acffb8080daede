"""A long list that is transformed in parts gives the same result and report as the whole list."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents import list_parts as cutting
from sidecarctl.engine.documents.list_parts import list_parts
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.values import Object
from sidecarctl.features.inject import batches
from tests.cli.manifests import SET
from tests.cli.running import Ended, run
from tests.effort import share

KINDS = st.lists(st.sampled_from(("pod", "other", "typed", "nested", "broken", "comment")), min_size=1, max_size=9)
FORMS = (("-v",), ("-o", "name"), ("-o", "jsonpatch"), ("-o", "yaml"), ("-o", "json"), ("--check",))


@pytest.fixture
def in_parts() -> Iterator[None]:
    """Every list of several items is cut, into parts of few items."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "LONG", 0)
        patch.setattr(cutting, "_PART", 200)
        yield


def item(kind: str, number: int) -> Object:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{number}", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "main:1"}]},
    }
    match kind:
        case "other":
            return {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": f"c{number}"},
                "data": {"a": "- x\n- y"},
            }
        case "typed":
            return {key: value for key, value in pod.items() if key not in ("kind", "apiVersion")}
        case "nested":
            return {"apiVersion": "v1", "kind": "List", "items": [pod]}
        case "broken":
            return pod | {"spec": {"containers": 5}}
    return pod


def yaml_list(kinds: list[str], dash: str, end: str, *, tail: bool) -> str:
    """The same in block style, as kubectl and people write it."""
    lines = ["apiVersion: v1", *(["kind: PodList"] if not tail else []), "items:"]
    for number, kind in enumerate(kinds):
        block = _block(item(kind, number))
        lines += [f"{dash}# a comment"] if kind == "comment" else []
        lines += [f"{dash}- {block[0]}", *(f"{dash}  {line}" for line in block[1:])]
    return "\n".join([*lines, *(["kind: PodList", "metadata: {}"] if tail else [])]) + end


def _block(value: Object) -> list[str]:
    from sidecarctl.engine.documents.writing import block_text

    return block_text(value).rstrip("\n").split("\n")


def told(ended: Ended) -> tuple[int, str, str]:
    return ended.code, ended.stdout, ended.stderr


def both_ways(folder: Path, text: str, name: str) -> None:
    """Every form of the list, as a whole and in parts."""
    (folder / "set.yaml").write_text(SET)
    (folder / name).write_text(text)
    for options in FORMS:
        words = ("inject", "-s", folder / "set.yaml", folder / name, *options)
        whole = told(run(*words))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "LONG", 0)
            patch.setattr(cutting, "_PART", 200)
            assert told(run(*words)) == whole, options


@given(kinds=KINDS, dash=st.sampled_from(["", "  "]), ends=st.sampled_from(["", "\n"]), tail=st.booleans())
@share(60)
def test_yaml_in_parts_is_yaml_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], dash: str, ends: str, *, tail: bool
) -> None:
    text = yaml_list(kinds, dash, ends, tail=tail)
    both_ways(tmp_path_factory.mktemp("yaml"), text, "list.yaml")


@given(kinds=KINDS, indent=st.sampled_from([None, 1, 2, "\t"]), tail=st.booleans())
@share(60)
def test_json_in_parts_is_json_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], indent: int | str | None, *, tail: bool
) -> None:
    items = [item(kind, number) for number, kind in enumerate(kinds)]
    around: Object = {"apiVersion": "v1", "kind": "PodList"}
    listed = {"items": items, **around} if tail else {**around, "items": items}
    both_ways(tmp_path_factory.mktemp("json"), json.dumps(listed, indent=indent), "list.json")


@pytest.mark.usefixtures("in_parts")
def test_uninject_brings_it_back(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    for name, text in {
        "list.yaml": yaml_list(["pod", "comment", "other"] * 4, "", "\n", tail=True),
        "list.json": json.dumps({"kind": "List", "items": [item("pod", number) for number in range(12)]}, indent=2),
    }.items():
        (tmp_path / name).write_text(text)
        assert run("inject", "-s", tmp_path / "set.yaml", tmp_path / name, "-i").code == 0
        assert (tmp_path / name).read_text() != text
        assert run("uninject", "-s", tmp_path / "set.yaml", tmp_path / name, "-i").code == 0
        assert (tmp_path / name).read_text() == text


def parts_of(text: str) -> list[str] | None:
    parts = list_parts(Chunk(text.encode(), 1), Reader())
    return None if parts is None else [part.data.decode() for part in parts]


@pytest.mark.usefixtures("in_parts")
def test_together_the_parts_are_the_text() -> None:
    text = yaml_list(["pod"] * 5, "", "", tail=True)
    parts = parts_of(text)
    assert parts is not None
    assert len(parts) > 2
    assert "".join(parts) == text


POD = 'metadata: {name: a, labels: {x: "' + "y" * 200 + '"}}'


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize(
    "text",
    [
        f"kind: List\nitems:\n- &a {{{POD}}}\n- *a\n- {POD}\n",
        f'kind: List\nitems:\n- {POD}\n  x: "a\n- b"\n- {POD}\n',
        f"kind: List\nitems:\n- {POD}\n  x: [a,\n- b]\n- {POD}\n",
        f"kind: List\nitems:\n- {POD}\n- {POD}\nitems:\n- {POD}\n",
        f"kind: List\nkind: List\nitems:\n- {POD}\n- {POD}\n",
        f"kind: Pod\nitems:\n- {POD}\n- {POD}\n",
        f"kind: List\r\nitems:\r\n- {POD}\r\n- {POD}\r\n",
        f"kind: List\nitems:\n-\n  {POD}\n-\n  {POD}\n",
        f"kind: List\nitems:\n- {POD}\n",
        json.dumps({"kind": "List", "items": [item("pod", 1)] * 3}) * 2,
        json.dumps({"kind": "List", "items": [item("pod", 1)] * 3})[:-1],
        json.dumps({"kind": "List", "items": [item("pod", 1)] * 3}).replace("}]}", "},]}"),
        json.dumps({"kind": "List", "items": [item("pod", 1)] * 3}).replace("}]}", "}],}"),
        json.dumps({"kind": "List", "items": [item("pod", 1)] * 3}).replace('"items":', '"items"='),
        '{"kind": "List", "items": []}',
        '{"kind": "List", "items": [{"a": NaN}, {"b": "' + "x" * 300 + '"}]}',
        '{"kind": "List", "items": [{"a": 1}, {"b": "' + "x" * 300 + '"}], "items": []}',
    ],
)
def test_what_cannot_be_cut_is_read_as_a_whole(text: str) -> None:
    assert parts_of(text) is None
