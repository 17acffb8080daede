"""Every character of an annotation can be tested by a JSON patch, as the API server compares texts."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.api.canonical import is_stable
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.client import ApiClient
from sidecarctl.engine.kubectl.running_proxy import Connection, open_proxy
from tests.cluster.push.pushing import begin, pushed, updated
from tests.cluster.shop import Shop
from tests.engine.rollout.manifests import pod, sidecarset

_MOST = 5000  # operations; the server takes 10,000 in a patch
CHARACTERS = [chr(code) for code in range(0x3000) if is_stable(chr(code))]
URL = "https://x/?a=1&b=<2>\u2028\u2029"


@pytest.mark.parametrize("begin_at", range(0, len(CHARACTERS), _MOST))
def test_each_character_equals_itself(shop: Shop, begin_at: int) -> None:
    texts = {f"c{ord(character):x}": character for character in CHARACTERS[begin_at : begin_at + _MOST]}
    shop.create(pod("p0", annotations=texts))
    path = shop.path("p0")
    patch = [
        {"op": "test", "path": f"/metadata/annotations/{key}", "value": text}
        for key, text in shop.pod("p0")["metadata"]["annotations"].items()
        if key in texts
    ]
    assert len(patch) == len(texts)
    with open_proxy(Connection(), [path]) as socket, ApiClient(socket) as client:
        answer = client.patch(path, patch)
        assert answer.is_good, _differing(client, path, patch)


def _differing(client: ApiClient, path: str, patch: list[Object]) -> list[Object]:
    """The operations that the server refuses."""
    if client.patch(path, patch).is_good:
        return []
    if len(patch) == 1:
        return patch
    half = len(patch) // 2
    return [*_differing(client, path, patch[:half]), *_differing(client, path, patch[half:])]


@pytest.mark.parametrize("text", [URL, "a\bb\fc"])
def test_an_annotation_of_any_text_is_pushed(shop: Shop, text: str) -> None:
    metadata = [{"annotations": {"url": f"{text}#"}, "patchPolicy": "Overwrite"}]
    shop.hold(sidecarset("2", updateStrategy={"paused": True}, patchPodMetadata=metadata).manifest)
    shop.run_pods([pod("p0", annotations={"url": text})])
    shop.plan("--no-paused")
    pushed(shop)
    assert shop.pod("p0")["metadata"]["annotations"]["url"] == f"{text}#"


def test_a_script_with_such_texts(shop: Shop) -> None:
    metadata = [{"annotations": {"url": f"{URL}#"}, "patchPolicy": "Overwrite"}]
    begin(shop, 0, patchPodMetadata=metadata)
    shop.run_pods([pod("p0", annotations={"url": URL})])
    shop.plan("--no-paused")
    script = shop.render("-o", "kubectl").stdout
    shop.sh(script, YES="1")
    assert shop.pod("p0")["metadata"]["annotations"]["url"] == f"{URL}#"
    assert updated(shop, ["p0"]) == ["p0"]
    assert json.loads(Path(f"{shop.folder}/plan.json").read_text())["kind"] == "RolloutPlan"
