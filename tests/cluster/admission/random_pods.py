"""Random namespaces, SidecarSets and pods around the edge of what an API server accepts, by theme."""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object, Value

Setting = tuple[Object, list[Object]]
"""The labels of a namespace, and the objects in it that decide about its pods."""


class Theme(NamedTuple):
    """What is tried together.

    - `setting`: of a namespace. `case`: a SidecarSet and a pod.
    - `is_complete`: whether the server names all that it objects to, not only the first.
    """

    name: str
    setting: Callable[[Random], Setting]
    case: Callable[[Random], tuple[Object, Object]]
    is_complete: bool = True


def some(random: Random, values: Sequence[Value], most: int = 3) -> list[Value]:
    """A few of the values, in their order."""
    chosen = random.sample(range(len(values)), random.randint(0, min(most, len(values))))
    return [values[index] for index in sorted(chosen)]


def maybe(random: Random, chance: float, **members: Value) -> Object:
    """The members, or none of them."""
    return members if random.random() < chance else {}


def sidecarset(**spec: Value) -> Object:
    """A SidecarSet that injects into every pod here."""
    selector = {"matchLabels": {"app": "web"}}
    strategy = {"updateStrategy": {"type": "NotUpdate"}}
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "agent"},
        "spec": {"selector": selector, **strategy, **spec},
    }


def pod(containers: list[Object], **spec: Value) -> Object:
    """A pod that gets sidecars."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"containers": containers, **spec},
    }


def container(name: str, **members: Value) -> Object:
    """A container with its image."""
    return {"name": name, "image": f"{name}:1.0", **members}


# ---- resources: LimitRanges and ResourceQuotas

_AMOUNTS = {
    "cpu": ("0", "100m", "200m", "250m", "500m", "1", "1500m"),
    "memory": ("16Mi", "32Mi", "64Mi", "100M", "128Mi", "1Gi"),
    "ephemeral-storage": ("1Gi", "2Gi", "4Gi"),
}


def resources(random: Random, names: Sequence[str] = ("cpu", "memory", "ephemeral-storage")) -> Object:
    """Requests and limits of a container that are valid by themselves."""
    limits: Object = {}
    requests: Object = {}
    for name in names:
        least, most = sorted(random.choices(range(len(_AMOUNTS[name])), k=2))
        if random.random() < 0.6:
            limits[name] = _AMOUNTS[name][most]
        if random.random() < 0.6:
            requests[name] = _AMOUNTS[name][least]
    found = {"limits": limits, "requests": requests}
    return {kind: value for kind, value in found.items() if value}


def _limit_range(random: Random) -> Object:
    items = []
    for kind in random.choice((["Container"], ["Pod"], ["Container", "Pod"], ["Container", "Container"])):
        item: Object = {"type": kind}
        for name in some(random, list(_AMOUNTS), 2) or ["cpu"]:
            marks = sorted(random.choices(range(1, len(_AMOUNTS[name])), k=4))
            fields = ["min", "defaultRequest", "default", "max"] if kind == "Container" else ["min", "", "", "max"]
            for field, mark in zip(fields, marks, strict=True):
                if field and random.random() < 0.35:
                    item.setdefault(field, {})[name] = _AMOUNTS[name][mark]
            if random.random() < 0.3:
                item.setdefault("maxLimitRequestRatio", {})[name] = random.choice(("1", "1500m", "2", "4"))
        items.append(item)
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "range"},
        "spec": {"limits": items},
    }


def _of_ranges(random: Random) -> Setting:
    return {}, [_limit_range(random)]


def _with_resources(random: Random) -> tuple[Object, Object]:
    """An app and sidecars of every sort: beside it, before it, and native ones."""
    sidecars: Object = {"containers": [container("agent", resources=resources(random))]}
    inits = []
    for name, chance, policy in (("setup", 0.3, {}), ("proxy", 0.4, {"restartPolicy": "Always"})):
        if random.random() < chance:
            inits.append(container(name, resources=resources(random), **policy))
    random.shuffle(inits)
    own = [container("main", resources=resources(random) if random.random() < 0.8 else {})]
    spec: Object = {}
    if random.random() < 0.3:
        spec["initContainers"] = [
            container("first", resources=resources(random), **maybe(random, 0.5, restartPolicy="Always"))
        ]
    if inits:
        sidecars["initContainers"] = inits
        if random.random() < 0.3:
            del sidecars["containers"]
    spec |= maybe(random, 0.2, activeDeadlineSeconds=600)
    return sidecarset(**sidecars), pod(own, **spec)


_KEYS = (
    "cpu",
    "requests.cpu",
    "limits.cpu",
    "memory",
    "requests.memory",
    "limits.memory",
    "requests.ephemeral-storage",
    "limits.ephemeral-storage",
    "ephemeral-storage",
    "pods",
    "count/pods",
    "requests.example.com/gpu",
    "configmaps",
)
_REQUIRED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_SCOPES: Sequence[Object] = (
    {},
    {},
    {},
    {"scopes": ["NotTerminating"]},
    {"scopes": ["Terminating"]},
    {"scopes": ["NotBestEffort"]},
    {"scopeSelector": {"matchExpressions": [{"scopeName": "NotBestEffort", "operator": "Exists"}]}},
    {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "DoesNotExist"}]}},
    {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}},
)


def _quota(random: Random) -> Object:
    scopes = random.choice(_SCOPES)
    keys = some(random, _KEYS[:-4] if scopes else _KEYS, 4) or ["limits.cpu"]
    hard: Object = {}
    used: Object = {}
    for key in keys:
        resource = key.partition(".")[2] or key
        values = _AMOUNTS.get(resource, ("2", "3", "5"))
        hard[key] = random.choice(values[len(values) // 2 :])
        used[key] = random.choice(("0", "0", values[1]))
    spec = {"hard": hard, **scopes}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "quota"},
        "spec": spec,
        "status": {"hard": hard, "used": used},
    }


def _of_quotas(random: Random) -> Setting:
    return {}, [_quota(random), *([_limit_range(random)] if random.random() < 0.2 else [])]


def _of_required(random: Random) -> Setting:
    """A quota with room for all, of which only what it requires matters."""
    quota = _quota(random)
    keys = some(random, _REQUIRED, 3) or ["limits.cpu"]
    quota["spec"]["hard"] = dict.fromkeys(map(str, keys), "1Ti")
    quota["status"] = {"hard": quota["spec"]["hard"], "used": dict.fromkeys(quota["spec"]["hard"], "0")}
    return {}, [quota, *(_of_defaults(random)[1] if random.random() < 0.3 else [])]


# ---- pods that are invalid

_PORTS: Sequence[Object] = (
    {"containerPort": 80},
    {"containerPort": 80, "hostPort": 80},
    {"containerPort": 81, "hostPort": 80},
    {"containerPort": 80, "hostPort": 80, "protocol": "UDP"},
    {"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"},
    {"containerPort": 82, "hostPort": 82},
)
_CLAIM: Object = {"persistentVolumeClaim": {"claimName": "disk"}}


def _volumes(random: Random) -> list[Object]:
    kinds: Sequence[Object] = ({"emptyDir": {}}, _CLAIM, {"emptyDir": {"medium": "Memory"}})
    return [{"name": name, **random.choice(kinds)} for name in ("data", "spool", "disk")]


def _mounts(random: Random, volumes: Sequence[Object]) -> Object:
    """Mounts and devices of a container that are valid by themselves."""
    paths = random.sample(["/data", "/data/", "/spool", "/dev/disk", "/data/sub", "/logs"], 3)
    mounts, devices = [], []
    for path, volume in zip(paths, random.sample(list(volumes), len(volumes)), strict=True):
        if "persistentVolumeClaim" in volume and random.random() < 0.5:
            devices.append({"name": volume["name"], "devicePath": path})
        elif random.random() < 0.6:
            mounts.append({"name": volume["name"], "mountPath": path})
    found = {"volumeMounts": mounts, "volumeDevices": devices}
    return {field: items for field, items in found.items() if items}


_CONTEXTS: Sequence[Object] = (
    {},
    {"runAsUser": 1000},
    {"privileged": False},
    {"capabilities": {"drop": ["ALL"]}},
    {"seccompProfile": {"type": "RuntimeDefault"}},
    {"windowsOptions": {"runAsUserName": "web"}},
    {"runAsNonRoot": True},
    {"readOnlyRootFilesystem": True},
    {"windowsOptions": {"hostProcess": False}},
)
_POLICIES: Sequence[Object] = (
    {"targetContainersMode": "sum", "resourcesExpr": {"limits": {"cpu": "cpu*50%"}, "requests": {"cpu": "cpu"}}},
    {"targetContainersMode": "max", "resourcesExpr": {"limits": {"cpu": "cpu"}, "requests": {"cpu": "cpu*50%"}}},
)


def _clashing(random: Random) -> tuple[Object, Object]:
    volumes, theirs = _volumes(random), _volumes(random)
    sharing = {
        **maybe(random, 0.6, shareVolumePolicy={"type": "enabled"}),
        **maybe(random, 0.4, shareVolumeDevicePolicy={"type": "enabled"}),
        **maybe(random, 0.3, podInjectPolicy="AfterAppContainer"),
    }
    sleeping = {"lifecycle": {"preStop": {"sleep": {"seconds": random.choice((5, 20, 40))}}}}
    agent = container(
        random.choice(("agent", "agent", "agent", "first")),
        **maybe(random, 0.5, ports=some(random, _PORTS, 1)),
        **maybe(random, 0.5, **_mounts(random, theirs)),
        **sharing,
        **maybe(random, 0.3, securityContext=random.choice(_CONTEXTS)),
        **maybe(random, 0.2, **sleeping),
    )
    if random.random() < 0.2:
        agent["resourcesPolicy"] = {"targetContainersNameRegex": ".*", **random.choice(_POLICIES)}
    hot = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1.0"}
    if random.random() < 0.2 and "resourcesPolicy" not in agent:
        agent["upgradeStrategy"] = hot
    init = container("proxy", restartPolicy="Always", **maybe(random, 0.4, ports=some(random, _PORTS, 1)))
    if random.random() < 0.3:
        init["name"] = random.choice(("main", "setup", "first"))
    spec = {"containers": [agent], "volumes": theirs, **maybe(random, 0.4, initContainers=[init])}
    return sidecarset(**spec), _own(random, volumes)


def _sleeping(random: Random) -> tuple[Object, Object]:
    """Sidecars that sleep about as long as the pod has to end."""

    def hook() -> Object:
        return {"lifecycle": {"preStop": {"sleep": {"seconds": random.choice((0, 1, 10, 29, 30, 31, 60))}}}}

    agents = [container(name, **(hook() if random.random() < 0.7 else {})) for name in ("agent", "second")]
    native = {"restartPolicy": "Always", **(hook() if random.random() < 0.7 else {})}
    inits = maybe(random, 0.5, initContainers=[container("proxy", **native)])
    given = maybe(random, 0.7, terminationGracePeriodSeconds=random.choice((0, 1, 10, 30, 60)))
    return sidecarset(containers=agents[: random.randint(1, 2)], **inits), pod([container("main")], **given)


def _own(random: Random, volumes: list[Object]) -> Object:
    """An app that is valid, mostly."""
    system = random.choice(({}, {}, {}, {"os": {"name": "windows"}}, {"os": {"name": "linux"}}))
    main = container(
        "main",
        **maybe(random, 0.5, ports=some(random, _PORTS, 1)),
        **maybe(random, 0.7, **_mounts(random, volumes)),
        **maybe(random, 0.5, resources={"limits": {"cpu": "1"}}),
    )
    spec: Object = {"volumes": volumes, **system}
    spec |= maybe(random, 0.2, hostNetwork=True)
    spec |= maybe(random, 0.2, terminationGracePeriodSeconds=random.choice((0, 10, 60)))
    if system.get("os") == {"name": "windows"} and random.random() < 0.5:
        spec["securityContext"] = {"windowsOptions": {"hostProcess": True, "runAsUserName": "NT AUTHORITY\\SYSTEM"}}
        spec["hostNetwork"] = True
    others = random.choice(([], [container("agent-1")], [container("setup")]))
    if random.random() < 0.3:
        spec["initContainers"] = [container("first", **maybe(random, 0.3, ports=some(random, _PORTS, 1)))]
    return pod([main, *others], **spec)


def _nothing(_: Random) -> Setting:
    return {}, []


def _of_defaults(random: Random) -> Setting:
    """Defaults that make a request exceed its limit."""
    default = {name: random.choice(_AMOUNTS[name][1:3]) for name in some(random, ["cpu", "memory"]) or ["cpu"]}
    item = {"type": "Container", "default": default}
    return {}, [{"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "range"}, "spec": {"limits": [item]}}]


# ---- Pod Security

_VERSIONS = ("", "latest", "v1.32", "v1.30", "v1.28", "v1.26", "v1.24", "v1.21", "v1.18")
_CAPABILITIES = ("NET_BIND_SERVICE", "CHOWN", "NET_RAW", "SYS_TIME")
_GOOD: Object = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def _of_security(random: Random, mode: str = "enforce") -> Setting:
    level = random.choice(("baseline", "restricted", "restricted"))
    labels = {f"pod-security.kubernetes.io/{mode}": level}
    if version := random.choice(_VERSIONS):
        labels[f"pod-security.kubernetes.io/{mode}-version"] = version
    return labels, []


def _of_warnings(random: Random) -> Setting:
    return _of_security(random, "warn")


def _context(random: Random) -> Object:
    """A securityContext of a container, about as restricted asks for it."""
    context = {key: value for key, value in _GOOD.items() if random.random() < 0.9}
    odd: Sequence[Object] = (
        {"privileged": True, "allowPrivilegeEscalation": True},
        {"capabilities": {"drop": some(random, ["ALL", "KILL"]), "add": some(random, _CAPABILITIES)}},
        {"procMount": random.choice(("Default", "Unmasked"))},
        {"seLinuxOptions": {"type": random.choice(("container_t", "container_engine_t", "spc_t"))}},
        {"seLinuxOptions": random.choice(({"user": "u"}, {"role": "r"}, {"level": "s0"}))},
        {"seccompProfile": {"type": random.choice(("Unconfined", "RuntimeDefault"))}},
        {"appArmorProfile": {"type": random.choice(("Unconfined", "RuntimeDefault"))}},
        {"runAsUser": random.choice((0, 1000))},
        {"runAsNonRoot": False},
        {"windowsOptions": {"runAsUserName": "web"}},
    )
    for change in some(random, odd, 2) if random.random() < 0.5 else ():
        context |= change
    return context


_ODD_VOLUMES: Sequence[Object] = (
    {"emptyDir": {}},
    {"hostPath": {"path": "/var/log"}},
    {"nfs": {"server": "files", "path": "/"}},
    {"configMap": {"name": "web"}},
    {"downwardAPI": {"items": []}},
)


def _secured(random: Random) -> tuple[Object, Object]:
    volume = {"name": "odd", **random.choice(_ODD_VOLUMES)}
    mounting = maybe(random, 0.4, volumeMounts=[{"name": "odd", "mountPath": "/odd"}])
    ports = maybe(random, 0.1, ports=[{"containerPort": 80, "hostPort": 80}])
    agent = container("agent", securityContext=_context(random), **ports, **mounting)
    inits = maybe(random, 0.3, initContainers=[container("setup", securityContext=_context(random))])
    of_pod: Object = {
        **maybe(random, 0.5, runAsNonRoot=True),
        **maybe(random, 0.5, seccompProfile={"type": "RuntimeDefault"}),
        **maybe(random, 0.1, runAsUser=0),
        **maybe(random, 0.1, runAsNonRoot=False),
        **maybe(random, 0.2, sysctls=[{"name": random.choice(_SYSCTLS), "value": "1"}]),
    }
    own = container("main", securityContext=_GOOD if random.random() < 0.9 else _context(random))
    spec = maybe(random, 0.7, securityContext=of_pod)
    if random.random() < 0.1:
        spec = {"os": {"name": "windows"}}
        own["securityContext"] = {"runAsNonRoot": True}
        agent["securityContext"] = maybe(random, 0.8, runAsNonRoot=True)
        inits = {}
    return sidecarset(containers=[agent], volumes=[volume], **inits), pod([own], **spec)


_SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "kernel.msgmax",
)


THEMES = (
    Theme("limit ranges", _of_ranges, _with_resources),
    Theme("quotas", _of_quotas, _with_resources, is_complete=False),
    Theme("what quotas require", _of_required, _with_resources),
    Theme("invalid pods", _nothing, _clashing),
    Theme("grace periods", _nothing, _sleeping),
    Theme("defaults of limit ranges", _of_defaults, _with_resources),
    Theme("pod security", _of_security, _secured),
    Theme("pod security warnings", _of_warnings, _secured),
)
