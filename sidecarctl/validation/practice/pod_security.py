"""The Pod Security Standards baseline and restricted, for everything that a sidecar can add to a pod.

As in the Kubernetes documentation ("Pod Security Standards"), for containers and volumes; fields of the pod count
if a container inherits them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object

Level = Literal["privileged", "baseline", "restricted"]

ENFORCE_LABEL = "pod-security.kubernetes.io/enforce"
_LEVELS: Mapping[str, Level] = {"baseline": "baseline", "restricted": "restricted"}
_BASELINE_CAPABILITIES = frozenset(
    (
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    )
)
_SE_LINUX_TYPES = frozenset(("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"))
_PROFILES = frozenset(("RuntimeDefault", "Localhost"))
_RESTRICTED_VOLUMES = frozenset(
    ("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret")
)


class Violation(NamedTuple):
    """A violation of a level, at a path in the container or volume."""

    path: Path
    message: str


class PodContext(NamedTuple):
    """What a container inherits from its pod."""

    security: Object
    is_windows: bool = False

    @classmethod
    def of(cls, spec: Object) -> "PodContext":
        """What the containers of a pod inherit from its spec."""
        system = (spec.get("os") or {}).get("name")
        return cls(spec.get("securityContext") or {}, system == "windows")


Check = Callable[[Object, PodContext], Iterator[Violation]]


def enforced_level(labels: Labels) -> Level:
    """The level that a namespace with these labels enforces."""
    return _LEVELS.get(labels.get(ENFORCE_LABEL, ""), "privileged")


def container_violations(container: Object, level: Level, pod: PodContext) -> Iterator[Violation]:
    """The violations of a level in a container of a pod."""
    checks = {"privileged": (), "baseline": _BASELINE, "restricted": (*_BASELINE, *_RESTRICTED)}[level]
    for check in checks:
        yield from check(container, pod)


def volume_violations(volume: Object, level: Level) -> Iterator[Violation]:
    """The violations of a level in a volume."""
    kinds = [kind for kind, source in volume.items() if kind != "name" and source is not None]
    for kind in kinds:
        if level == "restricted" and kind not in _RESTRICTED_VOLUMES:
            yield Violation((kind,), f"a {kind} volume is not allowed")
        elif level == "baseline" and kind == "hostPath":
            yield Violation((kind,), "a hostPath volume is not allowed")


def _context(container: Object) -> Object:
    context: Object = container.get("securityContext") or {}
    return context


def _at(*steps: str) -> Path:
    return ("securityContext", *steps)


def _privileged(container: Object, _: PodContext) -> Iterator[Violation]:
    if _context(container).get("privileged"):
        yield Violation(_at("privileged"), "privileged: true is not allowed")


def _capabilities(container: Object, _: PodContext) -> Iterator[Violation]:
    for added in (_context(container).get("capabilities") or {}).get("add") or ():
        if added not in _BASELINE_CAPABILITIES:
            yield Violation(_at("capabilities", "add"), f"the capability {added} is not allowed")


def _host_ports(container: Object, _: PodContext) -> Iterator[Violation]:
    for index, port in enumerate(container.get("ports") or ()):
        if (port or {}).get("hostPort"):
            yield Violation(("ports", index, "hostPort"), f"hostPort {port['hostPort']} is not allowed")


def _proc_mount(container: Object, _: PodContext) -> Iterator[Violation]:
    if (_context(container).get("procMount") or "Default") != "Default":
        yield Violation(_at("procMount"), "procMount other than Default is not allowed")


def _se_linux(container: Object, _: PodContext) -> Iterator[Violation]:
    options = _context(container).get("seLinuxOptions") or {}
    if (options.get("type") or "") not in _SE_LINUX_TYPES:
        yield Violation(_at("seLinuxOptions", "type"), f"the SELinux type {options['type']} is not allowed")
    for field in ("user", "role"):
        if options.get(field):
            yield Violation(_at("seLinuxOptions", field), f"an SELinux {field} is not allowed")


def _seccomp(container: Object, _: PodContext) -> Iterator[Violation]:
    kind = (_context(container).get("seccompProfile") or {}).get("type")
    if kind is not None and kind not in _PROFILES:
        yield Violation(_at("seccompProfile", "type"), f"the seccompProfile {kind} is not allowed")


def _app_armor(container: Object, _: PodContext) -> Iterator[Violation]:
    kind = (_context(container).get("appArmorProfile") or {}).get("type")
    if kind is not None and kind not in _PROFILES:
        yield Violation(_at("appArmorProfile", "type"), f"the appArmorProfile {kind} is not allowed")


def _host_process(container: Object, _: PodContext) -> Iterator[Violation]:
    if (_context(container).get("windowsOptions") or {}).get("hostProcess"):
        yield Violation(_at("windowsOptions", "hostProcess"), "hostProcess is not allowed")


def _escalation(container: Object, pod: PodContext) -> Iterator[Violation]:
    if not pod.is_windows and _context(container).get("allowPrivilegeEscalation") is not False:
        yield Violation(_at("allowPrivilegeEscalation"), "allowPrivilegeEscalation must be false")


def _dropped(container: Object, pod: PodContext) -> Iterator[Violation]:
    capabilities = _context(container).get("capabilities") or {}
    if pod.is_windows:
        return
    if "ALL" not in (capabilities.get("drop") or ()):
        yield Violation(_at("capabilities", "drop"), "all capabilities must be dropped, with drop: [ALL]")
    for added in capabilities.get("add") or ():
        if added != "NET_BIND_SERVICE" and added in _BASELINE_CAPABILITIES:
            yield Violation(_at("capabilities", "add"), f"the capability {added} is not allowed")


def _non_root(container: Object, pod: PodContext) -> Iterator[Violation]:
    own, inherited = _context(container).get("runAsNonRoot"), pod.security.get("runAsNonRoot")
    if not (inherited if own is None else own):
        yield Violation(_at("runAsNonRoot"), "runAsNonRoot must be true")
    if _context(container).get("runAsUser") == 0:
        yield Violation(_at("runAsUser"), "runAsUser 0 is not allowed")


def _seccomp_required(container: Object, pod: PodContext) -> Iterator[Violation]:
    own = (_context(container).get("seccompProfile") or {}).get("type")
    inherited = (pod.security.get("seccompProfile") or {}).get("type")
    if not pod.is_windows and own is None and inherited not in _PROFILES:
        yield Violation(_at("seccompProfile"), "seccompProfile must be RuntimeDefault or Localhost")


_BASELINE: tuple[Check, ...] = (
    _privileged,
    _capabilities,
    _host_ports,
    _proc_mount,
    _se_linux,
    _seccomp,
    _app_armor,
    _host_process,
)
_RESTRICTED: tuple[Check, ...] = (_escalation, _dropped, _non_root, _seccomp_required)
