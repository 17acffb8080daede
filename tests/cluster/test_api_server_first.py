"""What the API server rejects or changes in a SidecarSet before Kruise's webhook sees it, and what `validate` says.

Recorded cases call the webhook directly: what it rejects there counts only if it arrives.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import ClassVar

import pytest

from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.validation.catalog import rules
from sidecarctl.engine.validation.json_schemas import crd
from sidecarctl.engine.validation.rules import Rule
from tests.cli.running import run
from tests.cluster.api import Answer, Api, until
from tests.cluster.control_plane import ControlPlane, running_control_plane
from tests.cluster.webhook import Webhook
from tests.engine.validation.examples import documents_of, sound_set

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ENFORCED = [rule for rule in rules().values() if rule.refuser and rule.within not in ("stream", "update")]


class OnCreation(Webhook):
    """Asked about every new SidecarSet."""

    rule: ClassVar[Object] = {
        "operations": ["CREATE"],
        "apiGroups": ["apps.kruise.io"],
        "apiVersions": ["v1alpha1", "v1beta1"],
        "resources": ["sidecarsets"],
    }

    def _probe(self, api: Api) -> None:
        create(api, sound_set())


def create(api: Api, sidecarset: Object) -> Answer:
    """Create a SidecarSet, as far as the server says what would happen."""
    return api.ask("POST", f"/apis/{sidecarset['apiVersion']}/sidecarsets?dryRun=All", sidecarset)


@pytest.fixture(scope="module")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A server with the fields of SidecarSets, which drops others."""
    with running_control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        with started.api() as api:
            api.create(DEFINITIONS, crd(MASTER))
            until(lambda: create(api, sound_set()).code == 201)
        yield started


@pytest.fixture(scope="module")
def webhook(control_plane: ControlPlane) -> Iterator[Webhook]:
    folder = control_plane.folder / "pki"
    with control_plane.api() as api, OnCreation(api, "sidecarsets", folder, lambda _: None) as running:
        yield running


def arrived(api: Api, webhook: Webhook, sidecarset: Object) -> Object | None:
    """What the webhook is asked about when a SidecarSet is created; None if the server rejects it before."""
    webhook.asked.clear()
    create(api, sidecarset)
    return webhook.asked[0]["object"] if webhook.asked else None


def findings(sidecarset: Object) -> list[Object]:
    """What `validate` says about a SidecarSet."""
    ended = run("validate", "-", "--kruise", "master", "-o", "json", stdin=json.dumps(sidecarset).encode())
    found = json.loads(ended.stdout)["findings"]
    return [item for item in found if item["severity"] != "note"]


REJECTED = "rejected"
SAID: list[tuple[str, Value, Value, str]] = [
    # The field, what is written there, what arrives there, and the rule of the finding of `validate`.
    ("metadata.namespace", "shop", None, "sidecarset-namespace"),
    ("metadata.generation", -1, 1, ""),
    ("metadata.selfLink", "/apis", None, ""),
    ("metadata.creationTimestamp", "yesterday", REJECTED, "wrong-type"),
    ("metadata.deletionTimestamp", "2026-05-01T10:00:00Z", None, ""),
    ("metadata.deletionGracePeriodSeconds", -1, None, ""),
    ("metadata.managedFields", "none", REJECTED, "wrong-type"),
    ("metadata.clusterName", "east", None, "unknown-field"),
    ("metadata.labels", {"team": 1}, REJECTED, "wrong-type"),
    ("metadata.labels", {"team": None}, {"team": ""}, "null-member"),
    ("metadata.name", "a" * 64, "a" * 64, "sidecarset-name"),
    ("metadata.name", "log.agent", "log.agent", "sidecarset-name"),
    ("status", {"matchedPods": -1}, None, ""),
    ("status", {"matchedPods": "many"}, None, ""),
    ("status", "none", None, ""),
    ("foo", 1, None, "unknown-field"),
    ("spec.selecter", {}, None, "unknown-field"),
    ("spec.namespace", "shop", None, "unknown-field"),
    ("spec.selector", None, None, "selector-missing"),
    ("spec.updateStrategy", {"partition": None}, {}, ""),
    ("spec.updateStrategy", {"scatterStrategy": {}}, REJECTED, "wrong-type"),
    ("spec.updateStrategy", {"paused": "yes"}, REJECTED, "wrong-type"),
    ("spec.revisionHistoryLimit", 2**40, 2**40, "wrong-type"),
]
WARNINGS = {"sidecarset-namespace", "unknown-field", "null-member"}


@pytest.mark.parametrize(("field", "written", "arrives", "rule"), SAID)
def test_what_validate_says_is_what_happens(
    api: Api, webhook: Webhook, field: str, written: Value, arrives: Value, rule: str
) -> None:
    path = tuple(field.split("."))
    sidecarset: Object = deepcopy(sound_set())
    value_at(sidecarset, path[:-1])[path[-1]] = written
    said = {(item["severity"], item["rule"]) for item in findings(sidecarset)}
    assert said == ({("warning" if rule in WARNINGS else "error", rule)} if rule else set())
    seen = arrived(api, webhook, sidecarset)
    assert (REJECTED if seen is None else value_at(seen, path)) == arrives


def test_the_server_makes_a_name_before_the_webhook_asks_for_one(api: Api, webhook: Webhook) -> None:
    sidecarset = sound_set() | {"metadata": {"generateName": "agent-"}}
    seen = arrived(api, webhook, sidecarset)
    assert seen is not None
    assert len(seen["metadata"]["name"]) == len("agent-") + 5
    [said] = findings(sidecarset)
    assert (said["severity"], said["rule"]) == ("warning", "sidecarset-name")


@pytest.mark.parametrize("rule", ENFORCED, ids=[rule.id for rule in ENFORCED])
def test_what_is_an_error_is_rejected_or_arrives(api: Api, webhook: Webhook, rule: Rule) -> None:
    [sidecarset] = documents_of(rule, rule.fails)
    seen = arrived(api, webhook, deepcopy(sidecarset))
    assert seen is None or rule.id in {item.get("rule") for item in findings(seen)}
