"""Every command over manifests with mutated nodes: an answer or a refusal, never a fault of the program.

`python -m tests.fuzz.commands SECONDS [SEED]`; what breaks is shown with its seed, 1 is the exit code then.
"""

import gc
import json
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from typer.main import get_command

from sidecarctl.cli.app import app
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.krm.function import answer_to
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.fuzz.node_mutations import with_mutated_nodes

_CONTAINER = {"name": "agent", "image": "agent:2"}
_RICH: Object = {
    "namespaceSelector": {"matchLabels": {"team": "a"}},
    "initContainers": [{"name": "init", "image": "i:1", "restartPolicy": "Always"}],
    "containers": [
        {
            **_CONTAINER,
            "podInjectPolicy": "AfterAppContainer",
            "env": [{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "shareVolumePolicy": {"type": "enabled"},
            "transferEnv": [{"sourceContainerName": "app", "envName": "X"}],
            "resourcesPolicy": {
                "targetContainersMode": "max",
                "targetContainersNameRegex": "^app",
                "resourcesExpr": {"limits": {"cpu": "max(cpu*50%, 50m)"}, "requests": {"memory": "memory/2"}},
            },
        },
        {
            "name": "hot",
            "image": "h:1",
            "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "e"},
        },
    ],
    "volumes": [{"name": "data", "emptyDir": {}}],
    "imagePullSecrets": [{"name": "pull"}],
    "patchPodMetadata": [{"annotations": {"a": "b", "c": '{"x":1}'}, "patchPolicy": "Overwrite"}],
    "updateStrategy": {
        "type": "RollingUpdate",
        "partition": "10%",
        "maxUnavailable": 1,
        "priorityStrategy": {"orderPriority": [{"orderedKey": "app"}]},
        "scatterStrategy": [{"key": "app", "value": "web"}],
    },
    "injectionStrategy": {"revision": {"revisionName": "mesh-1", "policy": "Partial"}},
}


def _world() -> dict[str, list[Object]]:
    """What each file holds, before it is mutated."""
    rich = sidecarset(name="mesh", **_RICH).manifest
    del rich["metadata"]["annotations"]
    spec = {"containers": [{"name": "app", "image": "app:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}
    template = {"metadata": {"labels": {"app": "web"}, "annotations": {"x": "y"}}, "spec": spec}
    revision: Object = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "mesh-1", "namespace": "kruise-system", "labels": {"kruise.io/sidecarset-name": "mesh"}},
        "data": {"spec": {"$patch": "replace", "containers": [{"name": "agent", "image": "agent:1"}]}},
        "revision": 1,
    }
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a"}}}
    workload: Object = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 2, "template": template},
    }
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "job"},
        "spec": {"jobTemplate": {"spec": {"parallelism": 2, "template": template}}},
    }
    beside = _beside()
    pods = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "bare"}, "spec": spec}]}
    return {
        "set": [rich, namespace, revision],
        "simple": [sidecarset().manifest],
        "old": [sidecarset("1").manifest],
        "live": [pod("p0"), pod("p1", hot=True), {**pod("p2"), "status": {}}, node, namespace],
        "apps": [workload, cron, {"apiVersion": "v1", "kind": "List", "items": [workload, pods]}],
        "beside": beside,
    }


def _beside() -> list[Object]:
    """What else decides about pods, or tells of them."""
    resources = {"cpu": "1", "memory": "1Gi"}
    limit: Object = {
        "type": "Container",
        "default": resources,
        "max": resources,
        "maxLimitRequestRatio": {"cpu": "2"},
    }
    pod_limit: Object = {"type": "Pod", "min": {"cpu": "10m"}, "max": resources}
    quota = {"hard": {"limits.cpu": "2", "pods": "3"}, "scopes": ["NotBestEffort"]}
    port = {"port": 80, "targetPort": "http", "protocol": "TCP"}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    level = {
        "team": "a",
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn-version": "v1.25",
    }
    budget = {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1}
    event: Object = {
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "p0"},
        "type": "Warning", "reason": "BackOff", "message": "Back-off", "count": 3,
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:01:00Z",
    }  # fmt: skip
    sick = pod("p3")
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}
    ended = {"exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:14Z"}
    logs: Object = {"name": "logs", "restartCount": 7, "state": waiting, "lastState": {"terminated": ended}}
    status = {**sick.get("status", {}), "containerStatuses": [logs]}
    return [
        {**_named("v1", "Namespace", "shop", labels=level)},
        _named("v1", "LimitRange", "range", spec={"limits": [limit, pod_limit]}),
        _named("v1", "ResourceQuota", "quota", spec=quota, status={**quota, "used": {"limits.cpu": "1"}}),
        _named("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [port]}),
        _named(
            "autoscaling/v2", "HorizontalPodAutoscaler", "web", spec={"scaleTargetRef": target, "metrics": [metric]}
        ),
        _named("policy/v1", "PodDisruptionBudget", "web", spec=budget),
        _named("policy.kruise.io/v1alpha1", "PodUnavailableBudget", "web", spec=budget),
        {**_named("v1", "Event", "e"), **event},
        {**sick, "status": status},
    ]


def _named(version: str, kind: str, name: str, labels: Object | None = None, **members: Value) -> Object:
    metadata = {"name": name, "namespace": "shop", **({"labels": labels} if labels else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **members}


COMMANDS = (
    "inject -v -s set apps --diff", "inject -s simple apps -o json", "inject -s set apps -o jsonpatch",
    "inject -s simple live -o name", "inject -s set -s simple apps -i", "uninject -v -s simple apps live",
    "uninject -s set live --diff", "hash set simple", "plan -s simple live", "plan -s set live -o json",
    "plan -s simple apps --from old -o markdown", "status set live", "status simple live -o json",
    "diff old simple live", "diff old set apps -o yaml", "diff old simple apps -o markdown",
    "inject -s set apps live --check --strict", "inject -s old apps --revision-from set",
    "validate set simple apps live", "validate simple live -o json --by-node zone", "validate set --old old",
    "validate set simple --report sarif --strict", "explain -s set -s simple apps", "explain -s set live -o json",
    "explain -s set live --sidecarset mesh", "explain -s set -n shop --labels app=web", "revisions list set live",
    "revisions make simple --every --revision-from old", "revisions restore set --revision mesh-1",
    "revisions diff set live --old mesh-1", "convert set simple --to v1beta1", "convert old --to v1alpha1",
    "diff --before old --after simple", "diff simple live --kruise-from 1.5 --kruise-to 1.9",
    "plan -s set live --kruise 1.3 --allow-unknown", "inject -s set apps --kruise 1.4 --allow-unknown",
    "render plan -o kubectl", "render plan -o jsonpatch --simulated", "render plan live -o merge --simulated",
    "render plan live -o pods --simulated", "inject --config options -s set apps",
    "drift -s set live", "drift -s simple live beside -o json --revision-from old",
    "drift -s set live beside --report sarif",
    "validate set simple apps live beside", "validate simple apps beside -o json --kubernetes 1.27",
    "status simple live beside --image log*", "explain -s simple live beside pod/p0",
    "explain -s simple live pod/p0 --field spec.containers[logs].image", "explain -s set live beside",
    "explain -s set apps deployment/web --labels app=web", "diff simple live beside --delete logs",
    "plan -s simple live beside",
)  # a table  # fmt: skip
_OPTIONS: Object = {
    "apiVersion": "sidecarctl.dev/v1alpha1",
    "kind": "SidecarInjection",
    "spec": {
        "mode": "inject",
        "sidecarSets": [sidecarset(name="more").manifest],
        "options": {
            "only": ["mesh", "more"],
            "namespace": "shop",
            "featureGates": {"SidecarSetPatchPodMetadataDefaultsAllowed": True},
            "timestamp": "2026-01-01T00:00:00Z",
            "templatePaths": {"Game.example.com": "spec.template"},
        },
    },
}
WORLD = _world() | {"options": [_OPTIONS]}
_FN = "fn"
_ALONE = ("plan", "options")
"""Files that hold one document of ours, and no list."""


@cache
def plan_of_two_pods() -> Object:
    """A plan of two pods, to be rendered."""
    with _in_a_folder():
        _write(WORLD, is_json=True)
        plan: Object = json.loads(run("plan", "-s", "simple.json", "live.json", "-o", "json").stdout)
    return plan


def _write(files: Mapping[str, list[Value]], *, is_json: bool) -> None:
    for name, objects in files.items():
        is_list = is_json and name not in _ALONE
        text = _json(objects) if is_list else _yaml(objects) if not is_json else "\n".join(map(json.dumps, objects))
        Path(f"{name}.json" if is_json else f"{name}.yaml").write_text(text)


class _Quoting(yaml.SafeDumper):
    """Quotes every string: `y` and `n` are booleans to Kubernetes."""


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


class Trial(NamedTuple):
    """A command, and the files that it is given."""

    seed: int
    command: str
    is_json: bool
    files: dict[str, list[Value]]
    options: tuple[str, ...] = ()


_APART = {"help", "live", "kubectl", "context", "kubeconfig", "request_timeout", "jobs"}
"""Options that lead out of the folder, or to other processes."""
_WORDS = (
    "",
    "x",
    "mesh",
    "logs",
    "1",
    "0",
    "-1",
    "50%",
    "1.5",
    "shop",
    "text",
    "json",
    "simple.yaml",
    "nowhere",
    "a=b",
)


@cache
def _options_of(command: str) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    """Each option of a command, with the values to try; None for a flag, which takes none."""
    group: Any = get_command(app)
    found = []
    for parameter in group.get_command(group.make_context("sidecarctl", [], resilient_parsing=True), command).params:
        if parameter.param_type_name == "option" and parameter.name not in _APART:
            values = tuple(getattr(parameter.type, "choices", ())) or _WORDS
            found += [(name, None if parameter.is_flag else tuple(map(str, values))) for name in parameter.opts]
    return tuple(found)


def _random_options(command: str, chance: random.Random) -> Iterator[str]:
    for name, values in chance.choices(_options_of(command), k=chance.choice([0, 1, 1, 2, 3])):
        yield name
        if values is not None:
            yield chance.choice(values)


def trial_of(seed: int, *, with_options: bool = False) -> Trial:
    """The trial of a seed: a command over files, one or two with mutated nodes, and perhaps more options."""
    chance = random.Random(seed)  # noqa: S311 - the same trial each time
    command = chance.choice([*COMMANDS, _FN])
    files: dict[str, list[Value]] = WORLD | ({"plan": [plan_of_two_pods()]} if "plan" in command.split()[1:] else {})
    named = [name for name in files if name in command.split()] or ["set", "apps"]
    for name in chance.sample(named, chance.choice([1, min(2, len(named))])):
        files[name] = with_mutated_nodes(files[name], chance)
    is_json = chance.random() < 0.5
    options = tuple(_random_options(command.split()[0], chance)) if command != _FN and with_options else ()
    return Trial(seed, command, is_json, files, options)


def check(trial: Trial) -> None:
    """Run the command of a trial in the present folder; AssertionError, or the fault itself, where it breaks."""
    if trial.command == _FN:
        _check_function(trial)
        return
    words = [
        f"{word}.{'json' if trial.is_json else 'yaml'}" if word in trial.files else word
        for word in trial.command.split()
    ]
    _write(trial.files, is_json=trial.is_json)
    ended = run(*words, *trial.options)
    assert ended.code in (0, 1, 2, 3), ended.stderr
    assert "InternalFault" not in ended.stderr, ended.stderr
    if ended.code in (2, 3):
        assert ended.stderr.strip(), "it fails silently"


def _json(objects: list[Value]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


def _yaml(objects: list[Value]) -> str:
    return yaml.dump_all(objects, Dumper=_Quoting, sort_keys=False, allow_unicode=True, width=10**6)


def _check_function(trial: Trial) -> None:
    items = [*trial.files["set"], *trial.files["apps"]]
    call = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    text = json.dumps(call) if trial.is_json else yaml.dump(call, Dumper=_Quoting, sort_keys=False)
    from sidecarctl.engine.facts.errors import InternalFaultError, SidecarctlError

    try:
        answer = answer_to(text.encode(errors="surrogatepass"), {})
    except InternalFaultError:
        raise
    except SidecarctlError:
        return
    assert answer.exit_code != 4, answer.lines


@contextmanager
def _in_a_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main(seconds: str, seed: str = "0") -> int:
    """Try for this many seconds; the exit code."""
    end, number, broken = time.monotonic() + float(seconds), int(seed), 0
    with _in_a_folder():
        while time.monotonic() < end and broken < 20:
            trial = trial_of(number, with_options=number % 2 == 1)
            try:
                check(trial)
            except Exception as fault:  # noqa: BLE001 - whatever comes is what is looked for
                broken += 1
                where = traceback.extract_tb(fault.__traceback__)[-1]
                told = f"{type(fault).__name__}: {str(fault)[-600:]} ({where.filename}:{where.lineno})"
                sys.stdout.write(f"seed {number}: {trial.command} {' '.join(trial.options)}: {told}\n")
                sys.stdout.flush()
            number += 1
            gc.unfreeze()  # each command freezes what it leaves, as if it were the last one
    sys.stdout.write(f"{number - int(seed)} trials, {broken} broken\n")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
