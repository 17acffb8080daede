"""Values that sidecars copy from a pod, and what they refer to there and in the sidecar."""

import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from tests.engine.injection.manifests import context, injected, pod, sidecar, sidecarset

NAME: Object = {"fieldRef": {"fieldPath": "metadata.name"}}
LIMIT: Object = {"resourceFieldRef": {"resource": "limits.memory"}}
SHARE: Object = {"shareVolumePolicy": {"type": "enabled"}}


def env(**values: str | Object) -> list[Object]:
    return [
        {"name": name, **({"value": value} if isinstance(value, str) else {"valueFrom": value})}
        for name, value in values.items()
    ]


def told(app: Object, **fields: Value) -> list[str]:
    world = context(sidecarset("logging", sidecar(**fields)))
    found = injected(pod(containers=[{"name": "web", "image": "web:1", **app}]), world).findings
    assert {str(item.subject) for item in found if item.reason is Reason.COPIED_REFERENCE} <= {"SidecarSet logging"}
    return [item.message for item in found if item.reason is Reason.COPIED_REFERENCE]


def transfer(*items: str | list[str]) -> list[Object]:
    return [
        {"sourceContainerName": "web", **({"envName": item} if isinstance(item, str) else {"envNames": item})}
        for item in items
    ]


CHAIN = env(BASE="/var", APP_LOGS="$(BASE)/app", TEXT="$$(BASE)", NONE="$(NOWHERE)")


@pytest.mark.parametrize(
    ("items", "own", "said"),
    [
        (["APP_LOGS"], [], "which is not defined in agent: the text stays as it is"),
        ([["BASE", "APP_LOGS"]], [], "which is defined only after it in agent: the text stays as it is"),
        (["BASE", "APP_LOGS"], [], ""),
        (["APP_LOGS"], env(BASE="/var"), ""),
        (["APP_LOGS"], env(BASE="/srv"), "which has another value in agent"),
        (["TEXT"], env(BASE="/srv"), ""),
        (["NONE"], [], ""),
        (["NONE"], env(NOWHERE="x"), "which has another value in agent"),
        (["APP_LOGS"], env(APP_LOGS="mine"), ""),  # its own, which env-duplicate tells
    ],
)
def test_references_of_transferred_variables(items: list[str | list[str]], own: list[Object], said: str) -> None:
    messages = told({"env": CHAIN}, env=own, transferEnv=transfer(*items))
    assert [message.partition("), ")[2] for message in messages] == ([said] if said else [])


@pytest.mark.parametrize(
    ("items", "own", "hint"),
    [
        (["APP_LOGS"], [], "transfer BASE in an item before this one"),
        (["APP_LOGS"], env(BASE="/srv"), "let agent have BASE as web has it, with all that it refers to"),
        (["NONE"], env(NOWHERE="x"), "rename NOWHERE of agent"),
    ],
)
def test_hints_can_help(items: list[str | list[str]], own: list[Object], hint: str) -> None:
    world = context(sidecarset("logging", sidecar(env=own, transferEnv=transfer(*items))))
    app: Object = {"name": "web", "image": "web:1", "env": CHAIN}
    assert [item.hint for item in injected(pod(containers=[app]), world).findings] == [hint]


def test_references_are_followed() -> None:
    values = env(ROOT="/", BASE="$(ROOT)var", LOGS="$(BASE)/log")
    assert told({"env": values}, transferEnv=transfer("ROOT", "BASE", "LOGS")) == []
    assert told({"env": values}, env=env(ROOT="/x"), transferEnv=transfer("BASE", "LOGS")) == [
        "BASE of web is copied with its reference $(ROOT), which has another value in agent",
        "LOGS of web is copied with its reference $(BASE), which has another value in agent",
    ]


def test_long_chains_are_not_followed_again_and_again() -> None:
    values = env(V0="x", V1="x", **{f"V{n}": f"$(V{n - 1})$(V{n - 2})" for n in range(2, 60)})
    assert told({"env": values}, transferEnv=transfer(*(f"V{n}" for n in range(60)))) == []


def test_variables_of_config_maps_are_not_known() -> None:
    source: list[Object] = [{"configMapRef": {"name": "all"}}]
    app = {"env": env(LOGS="$(BASE)/log"), "envFrom": source}
    assert len(told(app, transferEnv=transfer("LOGS"))) == 1
    assert told(app, transferEnv=transfer("LOGS"), envFrom=source) == []


def test_a_resource_of_the_own_container() -> None:
    app = {"env": env(LIMIT=LIMIT)}
    assert told(app, transferEnv=transfer("LIMIT")) == [
        "LIMIT of web is the limits.memory of the container that has it: in agent that of agent"
    ]
    named = {"resourceFieldRef": {**LIMIT["resourceFieldRef"], "containerName": "web"}}
    assert told({"env": env(LIMIT=named)}, transferEnv=transfer("LIMIT")) == []


@pytest.mark.parametrize(
    ("expression", "own", "said"),
    [
        ("$(POD)", [], ""),
        ("$(POD)", env(POD=NAME), ""),
        ("$(POD)", env(POD="mine"), "POD has another value in agent, which mounts another directory"),
        ("$(ROOT)", [], "ROOT has another value in agent, which mounts another directory"),
        ("$(ROOT)", env(POD=NAME), ""),
        ("$(FROM_MAP)", [], "FROM_MAP is not defined in agent, which does not start"),
    ],
)
def test_shared_mounts(expression: str, own: list[Object], said: str) -> None:
    app: Object = {
        "env": env(POD=NAME, ROOT="$(POD)-x"),
        "envFrom": [{"configMapRef": {"name": "all"}}],
        "volumeMounts": [{"name": "logs", "mountPath": "/logs", "subPathExpr": expression}],
    }
    messages = told(app, env=own, **SHARE)
    assert [message.partition(": ")[2] for message in messages] == ([said] if said else [])
    assert told(app, env=own) == []
    assert told(app, env=own, volumeMounts=[{"name": "x", "mountPath": "/logs"}], **SHARE) == []
