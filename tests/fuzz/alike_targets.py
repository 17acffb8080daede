"""Documents that are nearly alike, together and alone; SidecarSets with null members, and with what they mean."""

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from sidecarctl.cli.app import app
from sidecarctl.engine.api.field_table import fields_of, item_type, value_type
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk, split
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.facts.values import Path as ValuePath
from sidecarctl.engine.inputs.first_look import DECIDING_KINDS
from sidecarctl.engine.sidecarset.admission import admit
from tests.engine.injection.manifests import sidecar, sidecarset
from tests.fuzz.mutations import mutated
from tests.fuzz.node_mutations import with_mutated_nodes

_SETS = Path(__file__).parents[1] / "corpus" / "sets.yaml"
_ALIKE = 5
_ABSENT = object()
_ZERO = {"string": "", "quantity": "0"}


def alike(data: bytes) -> None:
    """Injecting some documents of a stream, or items of a List, is injecting each of them alone."""
    chance = random.Random(len(data))  # noqa: S311 - the same variants each time
    given = [data, *(mutated(data, chance) for _ in range(_ALIKE))]
    texts = [b"---\n" + text.rstrip() + b"\n" for text in given if _is_one_document(text)]
    with TemporaryDirectory() as folder:
        injected = {text: _injected(Path(folder, "one.yaml"), text)[1] for text in texts}
        texts = [
            text for text in texts if injected[text]
        ]  # a SidecarSet that cannot be read rejects the whole stream
        assert _injected(Path(folder, "all.yaml"), b"".join(texts))[1] == b"".join(map(injected.__getitem__, texts))
        objects = [value for text in texts for value in _objects_of(text)]
        alone = [_injected(Path(folder, "one.json"), json.dumps(value).encode()) for value in objects]
        if objects and not any(code for code, _ in alone):
            items = "".join(f"- {json.dumps(value)}\n" for value in objects)
            code, text = _injected(Path(folder, "list.yaml"), f"apiVersion: v1\nkind: List\nitems:\n{items}".encode())
            together = Reader().documents_of(text.decode())[0].value["items"]
            assert (code, together) == (0, [json.loads(text) for _, text in alone])


def _is_one_document(text: bytes) -> bool:
    """Whether it is one, which decides nothing about the other documents, as a SidecarSet or a Namespace would."""
    if any(kind.encode() in text for kind in DECIDING_KINDS):
        return False
    is_plain = text.isascii() and b"\r" not in text and not text.startswith((b"%", b"{", b"[", b"---"))
    return is_plain and len(list(split([b"---\n" + text], 1 << 16))) == 1


def _objects_of(text: bytes) -> list[Object]:
    try:
        values = [document.value for document in Reader().documents(Chunk(text, 1))]
    except SidecarctlError:
        return []
    is_nested = [isinstance(value, dict) and str(value.get("kind", "List")).endswith("List") for value in values]
    return [value for value, nested in zip(values, is_nested, strict=True) if isinstance(value, dict) and not nested]


def _injected(path: Path, text: bytes) -> tuple[int, bytes]:
    path.write_bytes(text)
    words = ["inject", "--quiet", "--allow-empty", "--keep-going", "-s", str(_SETS), str(path)]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code != 4, ended.stderr
    return ended.exit_code, ended.stdout_bytes


_RICH: Object = sidecarset(
    "logs",
    sidecar(
        resources={"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1"}},
        env=[{"name": "A", "value": "b"}],
        volumeMounts=[{"name": "data", "mountPath": "/data"}],
        securityContext={"runAsUser": 1},
    ),
    selector={"matchLabels": {"app": "web", "tier": "front"}},
    namespaceSelector={"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]},
    volumes=[{"name": "data", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "c", "csi": {"driver": "d"}}],
    patchPodMetadata=[{"annotations": {"a": "b", "c": "d"}, "patchPolicy": "Retain"}],
)


def nulls(data: bytes) -> None:
    """A SidecarSet with null members is the one in which these are absent, or what Go reads of them in a map."""
    chance = random.Random(data)  # noqa: S311 - the same members for the same text
    given = with_mutated_nodes(_RICH, chance) if chance.random() < 0.5 else _RICH
    places = [path for path in _places(given, ()) if len(path) > 1]
    for path in chance.sample(places, min(len(places), chance.randrange(1, 4))):
        given = _with_null(given, path)
    try:
        read = admit(given)
    except (SidecarctlError, RecursionError):
        return
    expected = admit(_meant(given, "v1beta1.SidecarSet"))
    assert (read.hash, read.spec, read.metadata) == (expected.hash, expected.spec, expected.metadata), given


def _places(value: Value, path: ValuePath) -> list[ValuePath]:
    if not isinstance(value, dict | list):
        return []
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
    own = [(*path, key) for key, _ in pairs] if isinstance(value, dict) else []
    return own + [place for key, inner in pairs for place in _places(inner, (*path, key))]


def _with_null(value: Value, path: ValuePath) -> Value:
    if not path:
        return None
    if isinstance(value, dict):
        return value | {path[0]: _with_null(value.get(path[0]), path[1:])}
    if isinstance(value, list):
        return [_with_null(item, path[1:]) if index == path[0] else item for index, item in enumerate(value)]
    return value


def _meant(value: Value, type_name: str) -> Value:
    """The value without null members: those of structs are absent, those of maps empty."""
    if isinstance(value, list) and (item := item_type(type_name)):
        return [_meant(each, item) for each in value]
    if not isinstance(value, dict):
        return value
    if member := value_type(type_name):
        read = {
            key: _ZERO.get(member, _ABSENT) if each is None else _meant(each, member) for key, each in value.items()
        }
    else:
        types = {field.name: field.type for field in fields_of(type_name) or ()}
        read = {
            key: _ABSENT if each is None and key in types else _meant(each, types.get(key, "object"))
            for key, each in value.items()
        }
    return {key: each for key, each in read.items() if each is not _ABSENT}
