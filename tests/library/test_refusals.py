"""What Kruise's webhook rejects is not injected by the library either."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Object
from sidecarctl.library import load

_POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "main:1"}]},
}


def _loaded(folder: Path, **metadata: str) -> str:
    rejected: Object = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs", **metadata},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "containers": [{"name": "agent", "image": "agent:1"}],
            "injectionStrategy": {"revision": {"policy": "Partial"}},
        },
    }
    (folder / "set.json").write_text(json.dumps(rejected))
    return str(folder / "set.json")


def test_a_sidecarset_that_kruise_rejects_is_not_injected(tmp_path: Path) -> None:
    with pytest.raises(ImpossibleError) as raised:
        load([_loaded(tmp_path)]).inject(_POD)
    assert raised.value.findings[0].rule == "injection-revision"


def test_one_that_is_in_a_cluster_passed_the_webhook_of_its_time(tmp_path: Path) -> None:
    assert load([_loaded(tmp_path, uid="1")]).inject(_POD).changed
