"""Realistic sets and pods for property tests: few names, so that much meets."""

from hypothesis import assume
from hypothesis import strategies as st

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.injection_context import InjectionContext
from tests.engine.injection.manifests import injected, reasons

ENVS = ["REGION", "TOKEN", "LEVEL", "POD_NAME"]
VOLUMES = ["data", "logs", "conf", "cache"]
PATHS = ["/data", "/var/log", "/etc/conf", "/cache"]
SIDECARS = ["proxy", "agent", "shipper", "reloader", "certs", "tracer"]
APPS = ["web", "worker", "nginx"]
SECRETS = ["reg-a", "reg-b"]
QUANTITIES = ["100m", "0.5", "1", "250m"]
MEMORIES = ["64Mi", "1Gi", "128974848", "0.5Gi"]
ANNOTATIONS = ["example.com/owner", "example.com/cfg", "prometheus.io/scrape"]

env = st.one_of(
    st.builds(lambda name, value: {"name": name, "value": value}, st.sampled_from(ENVS), st.sampled_from("ab")),
    st.builds(
        lambda name, field: {"name": name, "valueFrom": {"fieldRef": {"fieldPath": field}}},
        st.sampled_from(ENVS),
        st.sampled_from(["status.podIP", "metadata.name"]),
    ),
)
mount = st.builds(
    lambda name, path, more: {"name": name, "mountPath": path, **more},
    st.sampled_from(VOLUMES),
    st.sampled_from(PATHS),
    st.sampled_from([{}, {}, {"readOnly": True}, {"subPathExpr": "$(POD_NAME)/x"}, {"readOnly": False}]),
)
device = st.builds(
    lambda name, path: {"name": name, "devicePath": path}, st.sampled_from(VOLUMES), st.sampled_from(PATHS)
)
resources = st.builds(
    lambda cpu, memory: {"limits": {"cpu": cpu, "memory": memory}},
    st.sampled_from(QUANTITIES),
    st.sampled_from(MEMORIES),
)


def some(item: st.SearchStrategy[Value], key: str, most: int = 2) -> st.SearchStrategy[list[Value]]:
    """A list without two items of the same `key`."""
    return st.lists(item, max_size=most, unique_by=lambda value: str(value[key]))


def _tidy(container: Object) -> Object:
    return {name: member for name, member in container.items() if member}


app_container = st.fixed_dictionaries(
    {
        "name": st.sampled_from(APPS),
        "image": st.just("registry.example.com/app:1"),
        "env": some(env, "name"),
        "resources": resources,
        "volumeMounts": some(mount, "mountPath"),
        "volumeDevices": some(device, "devicePath", 1),
    }
).map(_tidy)

transfer = st.one_of(
    st.fixed_dictionaries(
        {
            "sourceContainerName": st.sampled_from([*APPS, *SIDECARS[:2]]),
            "envNames": st.lists(st.sampled_from(ENVS), min_size=1, unique=True),
        }
    ),
    st.fixed_dictionaries(
        {
            "sourceContainerNameFrom": st.sampled_from(
                [
                    {"fieldRef": {"fieldPath": "metadata.labels['main']"}},
                    {"fieldRef": {"fieldPath": "metadata.annotations['example.com/owner']"}},
                ]
            ),
            "envName": st.sampled_from(ENVS),
        }
    ),
)
policy = st.fixed_dictionaries(
    {
        "targetContainersMode": st.sampled_from(["sum", "max"]),
        "resourcesExpr": st.just({"limits": {"cpu": "max(cpu*50%, 50m)"}, "requests": {"memory": "memory/2"}}),
    }
)
enabled = st.sampled_from([{}, {"type": "enabled"}, {"type": "disabled"}])

sidecar = st.fixed_dictionaries(
    {
        "name": st.sampled_from(SIDECARS),
        "image": st.sampled_from(["registry.example.com/side:1", "registry.example.com/side:2"]),
        "env": some(env, "name"),
        "volumeMounts": some(mount, "mountPath"),
        "volumeDevices": some(device, "devicePath", 1),
        "shareVolumePolicy": enabled,
        "shareVolumeDevicePolicy": enabled,
        "transferEnv": st.lists(transfer, max_size=2),
        "podInjectPolicy": st.sampled_from(["", "BeforeAppContainer", "AfterAppContainer"]),
        "upgradeStrategy": st.sampled_from(
            [{}, {}, {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "registry.example.com/empty:1"}]
        ),
    }
)
container = st.one_of(
    sidecar, st.builds(lambda entry, rule: {**entry, "resourcesPolicy": rule}, sidecar, policy)
).map(_tidy)
init_container = st.builds(
    lambda entry, native: {**entry, **native}, sidecar, st.sampled_from([{}, {"restartPolicy": "Always"}])
).map(_tidy)

patch = st.fixed_dictionaries(
    {
        "annotations": st.dictionaries(
            st.sampled_from(ANNOTATIONS),
            st.sampled_from(['{"a":1,"b":null}', '{"b":2}', "web"]),
            min_size=1,
            max_size=2,
        ),
        "patchPolicy": st.sampled_from(["Retain", "Overwrite", "MergePatchJson"]),
    }
)


@st.composite
def sidecarset(draw: st.DrawFn, name: str) -> Object:
    """A set of the given name; `never` matches no pod."""
    spec: Object = {
        "selector": {"matchLabels": {"app": "web"}},
        "containers": draw(some(container, "name", 3)),
        "initContainers": draw(some(init_container, "name")),
        "volumes": [{"name": volume, "emptyDir": {}} for volume in draw(st.sets(st.sampled_from(VOLUMES)))],
        "imagePullSecrets": [{"name": secret} for secret in draw(st.sets(st.sampled_from(SECRETS), max_size=1))],
        "patchPodMetadata": draw(st.lists(patch, max_size=2)),
        "namespaceSelector": draw(
            st.sampled_from(
                [{}, {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}, {"matchLabels": {"x": "y"}}]
            )
        ),
    }
    canary = {"apps.kruise.io/sidecarset-canary": "true", "apps.kruise.io/sidecarset-base": "alpha"}
    is_canary = name != "alpha" and draw(st.integers(0, 9)) == 0
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name, "annotations": canary if is_canary else {}},
        "spec": {key: member for key, member in spec.items() if member or key == "containers"},
    }


def sets_of(least: int) -> st.SearchStrategy[tuple[Object, ...]]:
    """At least so many sets, and three at most."""
    return st.integers(least, 3).flatmap(
        lambda count: st.tuples(*[sidecarset(name) for name in ("alpha", "beta", "gamma")[:count]])
    )


sidecarsets = sets_of(1)

_MOUNTED = ("volumeMounts", "volumeDevices")


def _own(item: Object, name: str) -> Object:
    mounts = {kind: [_own(mount, name) for mount in item[kind]] for kind in _MOUNTED if kind in item}
    return {**item, "name": f"{name}-{item['name']}", **mounts}


def _apart(item: Object) -> Object:
    name, spec = item["metadata"]["name"], item["spec"]
    lists = ("containers", "initContainers", "volumes", "imagePullSecrets")
    own: Object = {key: [_own(member, name) for member in spec[key]] for key in lists if key in spec}
    patches = [
        {**patch, "annotations": {f"{name}-{key}": value for key, value in patch["annotations"].items()}}
        for patch in spec.get("patchPodMetadata", ())
    ]
    own |= {"patchPodMetadata": patches} if patches else {}
    for key in ("containers", "initContainers"):
        if key in own:
            own[key] = [{field: each[field] for field in each if field != "transferEnv"} for each in own[key]]
    own["containers"] = own["containers"] or [{"name": f"{name}-proxy", "image": "registry.example.com/side:1"}]
    kept = {key: member for key, member in spec.items() if key != "namespaceSelector"}
    return {**item, "metadata": {"name": name, "annotations": {}}, "spec": {**kept, **own}}


def apart(sets: tuple[Object, ...]) -> tuple[Object, ...]:
    """The sets, all of which match, with names of their own: nothing of them meets the pod's, or each other's.

    None is without containers, and none asks for variables of others.
    """
    return tuple(map(_apart, sets))


@st.composite
def pods(draw: st.DrawFn) -> Object:
    """A pod as people write it: fields may be missing, null, empty, or there."""
    spec: Object = {
        "containers": draw(st.lists(app_container, min_size=1, max_size=3, unique_by=lambda item: str(item["name"]))),
        "volumes": draw(
            st.one_of(
                st.sampled_from([None, []]),
                st.sets(st.sampled_from(VOLUMES)).map(
                    lambda names: [{"name": name, "emptyDir": {}} for name in names]
                ),
            )
        ),
        "initContainers": draw(st.sampled_from([None, [], [{"name": "prepare", "image": "x"}]])),
        "imagePullSecrets": draw(st.sampled_from([None, [], [{"name": "own"}], [{"name": "reg-a"}]])),
    }
    annotations = draw(
        st.one_of(st.none(), st.dictionaries(st.sampled_from(ANNOTATIONS), st.sampled_from(["web", '{"a":{}}'])))
    )
    metadata: Object = {
        "name": "web-0",
        "namespace": "shop",
        "labels": {"app": "web", "main": draw(st.sampled_from(APPS))},
    }
    absent = draw(st.sets(st.sampled_from(sorted(spec))))
    needed = {mount["name"] for item in spec["containers"] for kind in _MOUNTED for mount in item.get(kind, ())}
    if needed:
        declared = {volume["name"] for volume in spec["volumes"] or ()}
        spec["volumes"] = [{"name": item, "emptyDir": {}} for item in sorted(declared | needed)]
        absent.discard("volumes")
    if draw(st.booleans()):
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {key: member for key, member in spec.items() if key == "containers" or key not in absent},
    }


def repeatable(sets: tuple[Object, ...]) -> tuple[Object, ...]:
    """The sets without what a second injection adds again: initContainers, and patches that merge."""
    left_out = ("initContainers", "patchPodMetadata")
    return tuple(
        {**item, "spec": {key: member for key, member in item["spec"].items() if key not in left_out}}
        for item in apart(sets)
    )


def with_volumes(sets: tuple[Object, ...]) -> tuple[Object, ...]:
    """The sets with a volume for each mount: the webhook of older releases crashes where one is missing."""
    return tuple({**item, "spec": {**item["spec"], "volumes": _volumes(item["spec"])}} for item in sets)


def _volumes(spec: Object) -> list[Object]:
    containers = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts") or ()}
    declared = spec.get("volumes") or []
    missing = sorted(mounted - {volume["name"] for volume in declared})
    return declared + [{"name": name, "emptyDir": {}} for name in missing]


def without_empty(pod: Object) -> Object:
    """The pod without fields that are null or empty, which an injection fills and a removal cannot restore."""
    spec = {key: member for key, member in pod["spec"].items() if member}
    return {**pod, "metadata": {key: member for key, member in pod["metadata"].items() if member}, "spec": spec}


APART = sidecarsets.map(apart)
ALL = st.one_of(sidecarsets, APART)
REPEATABLE = st.one_of(*[sidecarsets.map(repeatable)] * 5, APART)
PODS = pods().map(without_empty)
LOSSES = {Reason.NOT_REVERSIBLE, Reason.CONTAINER_REPLACED}


def attempt(pod: Object, world: InjectionContext) -> PodInjection | None:
    try:
        return injected(pod, world)
    except ImpossibleError:
        return None


def injection_of(pod: Object, world: InjectionContext, without: set[Reason] | None = None) -> PodInjection:
    """The injection of a pod that gets a container; other examples end here."""
    once = attempt(pod, world)
    assume(once is not None and once.containers and not (without or set()) & set(reasons(once)))
    assert once is not None
    return once
