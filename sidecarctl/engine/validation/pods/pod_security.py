"""The Pod Security Standards baseline and restricted, and how sidecars violate those of their namespace.

Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Pair
from sidecarctl.engine.validation.rules import Rule

Level = Literal["privileged", "baseline", "restricted"]

_MODES = ("enforce", "audit", "warn")
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
_SE_LINUX_TYPES = {"": 0, "container_t": 0, "container_init_t": 0, "container_kvm_t": 0, "container_engine_t": 31}
"""The allowed types, with the minor version of Kubernetes from which on they are."""

_PROFILES = frozenset(("RuntimeDefault", "Localhost"))
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.tcp_wmem": 32,
}
"""The allowed sysctls, with the minor version of Kubernetes from which on they are."""

_RESTRICTED_VOLUMES = frozenset(
    ("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret")
)


_STREAM = stream(
    "containers: [{{name: agent, image: 'agent:1.2', securityContext: {context}}}]",
    """\
apiVersion: v1
kind: Namespace
metadata: {{name: shop, labels: {{pod-security.kubernetes.io/enforce: baseline}}}}
""",
)

SECURITY = Rule(
    "pod-security",
    "Sidecar that Pod Security forbids",
    "A sidecar adds nothing to a pod that a Pod Security level of its namespace forbids.",
    why="The API server rejects the whole pod if it violates the level that the label "
    "pod-security.kubernetes.io/enforce of the namespace names. It is a warning if the app alone violates the level "
    "too, and for the levels of the labels warn and audit.",
    mend="give the sidecar the securityContext that the level requires, or exclude the namespace",
    source="https://kubernetes.io/docs/concepts/security/pod-security-standards/",
    within="stream",
    fails=_STREAM.format(context="{privileged: true}"),
    passes=_STREAM.format(context="{allowPrivilegeEscalation: false}"),
)


_LATEST = 1_000_000


class PodContext(NamedTuple):
    """What a container inherits from its pod, and the minor version of the standard."""

    security: Object
    is_windows: bool = False
    minor: int = _LATEST
    shares_users: bool = False

    @classmethod
    def of(cls, spec: Object, minor: int = _LATEST) -> "PodContext":
        """What the containers of a pod inherit from its spec; only versions from 1.25 on know Windows."""
        system = (spec.get("os") or {}).get("name")
        is_windows = system == "windows" and minor >= _WINDOWS
        return cls(spec.get("securityContext") or {}, is_windows, minor, spec.get("hostUsers") is not False)


_WINDOWS = 25


Check = Callable[[Object, PodContext], Iterator[Finding]]


def level_of(labels: Labels, mode: str = "enforce") -> Level:
    """The level of a namespace with these labels that is enforced, or that the API server logs or warns about."""
    return _LEVELS.get(labels.get(f"pod-security.kubernetes.io/{mode}", ""), "privileged")


_ESCALATION, _SECCOMP, _CAPABILITIES, _USERS = 8, 19, 22, 23
"""The minor versions from which on the standards ask for these."""

_NEVER = 2 * _LATEST

_VERSION = lazy_pattern(r"v1\.([0-9]{1,4})")


def version_of(labels: Labels, mode: str = "enforce", kubernetes: int | None = None) -> int:
    """The minor version of the standard that a namespace names; of `latest`, that of the API server, if known."""
    named = _VERSION.fullmatch(labels.get(f"pod-security.kubernetes.io/{mode}-version", ""))
    newest = _LATEST if kubernetes is None else kubernetes
    return min(int(named[1]), newest) if named else newest


def container_violations(container: Object, level: Level, pod: PodContext) -> Iterator[Finding]:
    """The violations of a level in a container of a pod; their paths are within it."""
    checks = {"privileged": (), "baseline": _BASELINE, "restricted": (*_BASELINE, *_RESTRICTED)}[level]
    for check in checks:
        yield from check(container, pod)


def volume_violations(volume: Object, level: Level) -> Iterator[Finding]:
    """The violations of a level in a volume; their paths are within it."""
    kinds = [kind for kind, source in volume.items() if kind != "name" and source is not None]
    for kind in kinds:
        if level == "restricted" and kind not in _RESTRICTED_VOLUMES:
            yield SECURITY.at((kind,), f"a {kind} volume is not allowed")
        elif level == "baseline" and kind == "hostPath":
            yield SECURITY.at((kind,), "a hostPath volume is not allowed")


def pod_violations(spec: Object, level: Level, minor: int = _LATEST) -> Iterator[Finding]:
    """The violations of a level in the fields of a pod as a whole, which no sidecar brings."""
    if level == "privileged":
        return
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield SECURITY.at((field,), f"{field} is not allowed")
    pod, context = PodContext.of(spec, minor), spec.get("securityContext") or {}
    for check in (_se_linux, _seccomp, _app_armor, _host_process):
        yield from check({"securityContext": context}, pod)
    for item in context.get("sysctls") or ():
        if _SYSCTLS.get((item or {}).get("name") or "", _NEVER) > minor:
            yield SECURITY.at(_at("sysctls"), f"the sysctl {(item or {}).get('name')} is not allowed")
    if level == "restricted":
        if context.get("runAsUser") == 0 and minor >= _USERS:
            yield SECURITY.at(_at("runAsUser"), "runAsUser 0 is not allowed")
        if context.get("runAsNonRoot") is False:
            yield SECURITY.at(_at("runAsNonRoot"), "runAsNonRoot must be true")


def security_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """The sidecars' violations of the namespace's levels; of several modes, the first with the level."""
    labels = beside.namespaces.get(pair.namespace, {})
    told: set[tuple[Level, int]] = set()
    for mode in _MODES:
        level, minor = level_of(labels, mode), version_of(labels, mode, beside.kubernetes)
        if level != "privileged" and (level, minor) not in told:
            told.add((level, minor))
            yield from _of_level(pair, level, minor, mode)


def _of_level(pair: Pair, level: Level, minor: int, mode: str) -> Iterator[Caused]:
    found = [*_in_containers(pair, level, minor), *_in_volumes(pair, level)]
    is_met = found and not any(_of_the_app(pair, level, minor))
    of_version = "" if minor == _LATEST else f" of 1.{minor}"
    for item in found:
        named = f"{level}{of_version}" if mode == "enforce" else f"{level}{of_version} ({mode})"
        message = f"{named}: {item.finding.message}{'' if is_met else ', and the app alone violates the level too'}"
        is_rejected = is_met and mode == "enforce"
        severity = Severity.ERROR if is_rejected else Severity.WARNING
        yield item._replace(finding=item.finding._replace(message=message, severity=severity))


def _in_containers(pair: Pair, level: Level, minor: int) -> Iterator[Caused]:
    pod = PodContext.of(pair.spec, minor)
    for sidecar in pair.sidecars:
        for violation in container_violations(sidecar.value, level, pod):
            yield pair.cause(sidecar, violation.path, violation)


def _in_volumes(pair: Pair, level: Level) -> Iterator[Caused]:
    own = {volume.get("name") for volume in pair.alone.get("volumes") or ()}
    brought = {volume.get("name") for volume in pair.spec.get("volumes") or ()} - own
    for set_name, sidecarset in sorted(pair.sets.items()):
        for index, volume in enumerate(sidecarset.spec.get("volumes") or ()):
            for violation in volume_violations(volume, level) if volume.get("name") in brought else ():
                path = ("spec", "volumes", index, *violation.path)
                yield pair.cause_in_set(set_name, path, violation)


def _of_the_app(pair: Pair, level: Level, minor: int) -> Iterator[Finding]:
    pod = PodContext.of(pair.alone, minor)
    yield from pod_violations(pair.alone, level, minor)
    for item in pair.app:
        yield from container_violations(item.value, level, pod)
    for volume in pair.alone.get("volumes") or ():
        yield from volume_violations(volume, level)


def _context(container: Object) -> Object:
    context: Object = container.get("securityContext") or {}
    return context


def _at(*steps: str) -> Path:
    return ("securityContext", *steps)


def _privileged(container: Object, _: PodContext) -> Iterator[Finding]:
    if _context(container).get("privileged"):
        yield SECURITY.at(_at("privileged"), "privileged: true is not allowed")


def _capabilities(container: Object, _: PodContext) -> Iterator[Finding]:
    for added in (_context(container).get("capabilities") or {}).get("add") or ():
        if added not in _BASELINE_CAPABILITIES:
            yield SECURITY.at(_at("capabilities", "add"), f"the capability {added} is not allowed")


def _host_ports(container: Object, _: PodContext) -> Iterator[Finding]:
    for index, port in enumerate(container.get("ports") or ()):
        if (port or {}).get("hostPort"):
            yield SECURITY.at(("ports", index, "hostPort"), f"hostPort {port['hostPort']} is not allowed")


def _proc_mount(container: Object, pod: PodContext) -> Iterator[Finding]:
    # With the users of the host, the API server drops the field, or refuses the pod at every level.
    if (_context(container).get("procMount") or "Default") != "Default" and not pod.shares_users:
        yield SECURITY.at(_at("procMount"), "procMount other than Default is not allowed")


def _se_linux(container: Object, pod: PodContext) -> Iterator[Finding]:
    options = _context(container).get("seLinuxOptions") or {}
    if _SE_LINUX_TYPES.get(options.get("type") or "", _NEVER) > pod.minor:
        yield SECURITY.at(_at("seLinuxOptions", "type"), f"the SELinux type {options['type']} is not allowed")
    for field in ("user", "role"):
        if options.get(field):
            yield SECURITY.at(_at("seLinuxOptions", field), f"an SELinux {field} is not allowed")


def _seccomp(container: Object, pod: PodContext) -> Iterator[Finding]:
    kind = (_context(container).get("seccompProfile") or {}).get("type")
    if pod.minor >= _SECCOMP and kind is not None and kind not in _PROFILES:
        yield SECURITY.at(_at("seccompProfile", "type"), f"the seccompProfile {kind} is not allowed")


def _app_armor(container: Object, _: PodContext) -> Iterator[Finding]:
    kind = (_context(container).get("appArmorProfile") or {}).get("type")
    if kind is not None and kind not in _PROFILES:
        yield SECURITY.at(_at("appArmorProfile", "type"), f"the appArmorProfile {kind} is not allowed")


def _host_process(container: Object, _: PodContext) -> Iterator[Finding]:
    if (_context(container).get("windowsOptions") or {}).get("hostProcess"):
        yield SECURITY.at(_at("windowsOptions", "hostProcess"), "hostProcess is not allowed")


def _escalation(container: Object, pod: PodContext) -> Iterator[Finding]:
    if pod.is_windows or pod.minor < _ESCALATION:
        return
    if _context(container).get("allowPrivilegeEscalation") is not False:
        yield SECURITY.at(_at("allowPrivilegeEscalation"), "allowPrivilegeEscalation must be false")


def _dropped(container: Object, pod: PodContext) -> Iterator[Finding]:
    capabilities = _context(container).get("capabilities") or {}
    if pod.is_windows or pod.minor < _CAPABILITIES:
        return
    if "ALL" not in (capabilities.get("drop") or ()):
        yield SECURITY.at(_at("capabilities", "drop"), "all capabilities must be dropped, with drop: [ALL]")
    for added in capabilities.get("add") or ():
        if added != "NET_BIND_SERVICE" and added in _BASELINE_CAPABILITIES:
            yield SECURITY.at(_at("capabilities", "add"), f"the capability {added} is not allowed")


def _non_root(container: Object, pod: PodContext) -> Iterator[Finding]:
    own, inherited = _context(container).get("runAsNonRoot"), pod.security.get("runAsNonRoot")
    if not (inherited if own is None else own):
        yield SECURITY.at(_at("runAsNonRoot"), "runAsNonRoot must be true")
    if _context(container).get("runAsUser") == 0 and pod.minor >= _USERS:
        yield SECURITY.at(_at("runAsUser"), "runAsUser 0 is not allowed")


def _seccomp_required(container: Object, pod: PodContext) -> Iterator[Finding]:
    own = (_context(container).get("seccompProfile") or {}).get("type")
    inherited = (pod.security.get("seccompProfile") or {}).get("type")
    if pod.is_windows or pod.minor < _SECCOMP:
        return
    if own is None and inherited not in _PROFILES:
        yield SECURITY.at(_at("seccompProfile"), "seccompProfile must be RuntimeDefault or Localhost")


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
