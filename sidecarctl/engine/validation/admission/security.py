"""securityContext of a container.

Source: docs/behavior/validation.md, "Containers".
"""

from collections.abc import Callable, Iterator

from sidecarctl.engine.api.text_forms import SUBDOMAIN_FORM, is_relative, is_subdomain
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.rules import kubernetes

_LARGEST_ID = 2147483647
_LONGEST_PROFILE = 4095
_LARGEST_CREDENTIALS = 64 * 1024
_PROC_MOUNTS = ("Default",)
_OLD_PROC_MOUNTS = ("Default", "Unmasked")
_PROFILE_TYPES = ("RuntimeDefault", "Unconfined", "Localhost")
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f]")
_NET_BIOS = lazy_pattern(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_PART = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS = lazy_pattern(rf"{_DNS_PART}(?:\.{_DNS_PART})*")
_NOT_IN_USER = lazy_pattern(r'["/\\:;|=,+*?<>@\[\]]')

USER = kubernetes(
    "run-as-id",
    "Invalid runAsUser or runAsGroup",
    "runAsUser and runAsGroup are numbers from 0 to 2147483647.",
    why="The kernel has no other ids.",
    mend="write a number such as 65532",
    fails="securityContext: {runAsUser: -1}",
    passes="securityContext: {runAsUser: 65532}",
)
PROC_MOUNT = kubernetes(
    "proc-mount",
    "procMount is not Default",
    "procMount is Default.",
    why="Unmasked needs a pod with hostUsers: false, which a SidecarSet cannot set.",
    mend="delete it, or write Default",
    fails="securityContext: {procMount: Unmasked}",
    passes="securityContext: {procMount: Default}",
)
ESCALATION = kubernetes(
    "privilege-escalation",
    "Privileges despite allowPrivilegeEscalation: false",
    "allowPrivilegeEscalation: false excludes privileged: true and the capability CAP_SYS_ADMIN.",
    why="They contradict each other.",
    mend="delete one of the two",
    fails="securityContext: {allowPrivilegeEscalation: false, privileged: true}",
    passes="securityContext: {allowPrivilegeEscalation: false}",
)
PROFILE = kubernetes(
    "security-profile",
    "Invalid security profile",
    "A seccompProfile or appArmorProfile is RuntimeDefault, Unconfined, or Localhost with a localhostProfile.",
    why="The node needs to know which profile to apply.",
    mend="write {type: RuntimeDefault}, or {type: Localhost, localhostProfile: profiles/agent.json}",
    fails="securityContext: {seccompProfile: {type: Localhost}}",
    passes="securityContext: {seccompProfile: {type: RuntimeDefault}}",
)
WINDOWS = kubernetes(
    "windows-options",
    "Invalid windowsOptions",
    "windowsOptions have a valid user name and credentials, and hostProcess is not true.",
    why="hostProcess needs a pod with hostNetwork, which a SidecarSet cannot set.",
    mend=r"write runAsUserName as [DOMAIN\]USER, and omit hostProcess",
    fails="securityContext: {windowsOptions: {hostProcess: true}}",
    passes="securityContext: {windowsOptions: {runAsUserName: ContainerUser}}",
)


def security_findings(container: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in the securityContext of a container."""
    context = container.get("securityContext", {})
    where = (*path, "securityContext")
    for field in ("runAsUser", "runAsGroup"):
        if not 0 <= context.get(field, 0) <= _LARGEST_ID:
            yield USER.at((*where, field), f"{context[field]} is not between 0 and {_LARGEST_ID}")
    if context.get("procMount", "Default") not in (_PROC_MOUNTS if release.proc_mount_check else _OLD_PROC_MOUNTS):
        yield PROC_MOUNT.at((*where, "procMount"), f'procMount cannot be "{context["procMount"]}"')
    if "seccompProfile" in context:
        yield from _profile(context["seccompProfile"], _seccomp_problem, (*where, "seccompProfile"))
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation(context, where)
    yield from _windows(context.get("windowsOptions", {}), (*where, "windowsOptions"))
    if "appArmorProfile" in context:
        yield from _profile(context["appArmorProfile"], _app_armor_problem, (*where, "appArmorProfile"))


def _escalation(context: Object, path: Path) -> Iterator[Finding]:
    if context.get("privileged"):
        yield ESCALATION.at(path, "allowPrivilegeEscalation is false and privileged is true")
    if "CAP_SYS_ADMIN" in context.get("capabilities", {}).get("add", ()):
        yield ESCALATION.at(path, "allowPrivilegeEscalation is false and CAP_SYS_ADMIN is added")


def _profile(profile: Object, problem: "Problem", path: Path) -> Iterator[Finding]:
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    where = (*path, "localhostProfile")
    if kind not in _PROFILE_TYPES:
        yield PROFILE.at((*path, "type"), f'unknown type "{kind}"' if kind else "type is missing")
    if kind != "Localhost":
        if local is not None:
            yield PROFILE.at(where, "localhostProfile requires the type Localhost")
    elif local is None:
        yield PROFILE.at(where, "the type Localhost needs a localhostProfile")
    elif said := problem(local):
        yield PROFILE.at(where, said)


def _seccomp_problem(profile: str) -> str:
    return "" if is_relative(profile) else f"{profile} is not a relative path without .."


def _app_armor_problem(profile: str) -> str:
    if profile != profile.strip():
        return "localhostProfile has leading or trailing white space"
    if not profile:
        return "localhostProfile is empty"
    return "" if len(profile.encode()) <= _LONGEST_PROFILE else f"more than {_LONGEST_PROFILE} bytes"


def _windows(options: Object, path: Path) -> Iterator[Finding]:
    name = options.get("gmsaCredentialSpecName")
    if name is not None and not is_subdomain(name):
        yield WINDOWS.at((*path, "gmsaCredentialSpecName"), f'"{name}" is not a valid object name', SUBDOMAIN_FORM)
    spec = options.get("gmsaCredentialSpec")
    if spec is not None and not 1 <= len(spec.encode()) <= _LARGEST_CREDENTIALS:
        yield WINDOWS.at((*path, "gmsaCredentialSpec"), f"it must have 1 to {_LARGEST_CREDENTIALS} bytes")
    user = options.get("runAsUserName")
    if user is not None and (said := _user_problem(user)):
        yield WINDOWS.at((*path, "runAsUserName"), said)
    if options.get("hostProcess"):
        yield WINDOWS.at((*path, "hostProcess"), "hostProcess is true")


def _user_problem(text: str) -> str:
    if not text:
        return "runAsUserName is empty"
    if _CONTROL.search(text):
        return "runAsUserName contains control characters"
    if text.count("\\") > 1:
        return r"runAsUserName contains more than one \ character"
    domain, backslash, user = text.rpartition("\\")
    if len(domain.encode()) >= 256:
        return "the domain has 256 bytes or more"
    if backslash and not (_NET_BIOS.fullmatch(domain) or _DNS.fullmatch(domain)):
        return f'"{domain}" is neither a NetBIOS nor a DNS domain'
    if not 1 <= len(user.encode()) <= 104:
        return "the user name is empty, or has more than 104 bytes"
    if not user.strip(". ") or _NOT_IN_USER.search(user):
        return f'"{user}" is not a valid user name'
    return ""


Problem = Callable[[str], str]
