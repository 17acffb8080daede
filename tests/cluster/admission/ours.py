"""What validate says of a pod, in the words of `judge.py`: errors, and the warnings that the server has too."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check
from sidecarctl.engine.validation.pods.running import context_of, runs_of
from tests.cluster.admission.judge import Complaints
from tests.engine.validation.examples import given_by

_RULES = {"pod-invalid", "limit-range", "limits-required", "quota-exceeded", "pod-security", "grace-period"}


class Ours(NamedTuple):
    """The injected pod, what validate says of it, and errors that have nothing to do with the pod."""

    pod: Object | None
    complaints: Complaints
    others: Sequence[Finding]


def ours(documents: Sequence[Object]) -> Ours:
    """What validate says of the pod of these documents, which hold one SidecarSet, and what becomes of it."""
    given = given_by(documents)
    [checked] = check(given)
    errors = [item for item in checked.findings if item.severity is Severity.ERROR]
    said = [*(item for item in errors if item.rule in _RULES), *filter(_is_of_server, checked.findings)]
    told = Counter(text for item in said for text in _told(item, given))
    return Ours(_injected(given), told, [item for item in errors if item.rule not in _RULES])


def _is_of_server(finding: Finding) -> bool:
    """Whether the server warns of it, and does so because of the sidecars only."""
    return finding.rule == "pod-security" and " (warn)" in finding.message and "app alone" not in finding.message


def _injected(given: World) -> Object | None:
    for run in runs_of(given, context_of(given)):
        return run.admitted.pod if run.admitted else None
    return None


def _told(finding: Finding, given: World) -> Iterator[str]:
    match finding.rule:
        case "limit-range":
            yield _range(finding.message)
        case "limits-required":
            yield from _required(finding.message)
        case "quota-exceeded":
            [(name, key)] = re.findall(
                r"ResourceQuota \S+/(\S+) (?:allows|has) .*? of (\S+?)(?:: | left)", finding.message
            )
            yield f"quota-exceeded {name} {key}"
        case "pod-security":
            yield from _security(finding, given.sidecarsets[0].spec)
        case _:
            [field] = re.findall(r"the API server names ([^\s;]+)", finding.hint)
            yield f"pod-invalid {field}"


def _range(message: str) -> str:
    [(resource, kind, is_of_pod)] = re.findall(
        r"has (?:no|a) (\S+) (?:request|limit).* \((\w+) of LimitRange \S+?( for pods)?\)", message
    )
    return f"limit-range {'Pod' if is_of_pod else 'Container'} {kind} {resource}"


def _required(message: str) -> Iterator[str]:
    [(container, lacking, name)] = re.findall(r": (\S+) has no (.*), as ResourceQuota \S+/(\S+) requires", message)
    for words in lacking.split(" and "):
        resource, kind = words.split()
        yield f"limits-required {name} {container} {kind}s.{resource}"


_REASONS = {
    "privileged: ": "privileged",
    "capabilit": "capabilities",
    "hostPort": "hostPort",
    "procMount": "procMount",
    "SELinux": "seLinuxOptions",
    "seccompProfile": "seccompProfile",
    "appArmorProfile": "AppArmor",
    "hostProcess": "hostProcess",
    "allowPrivilegeEscalation": "allowPrivilegeEscalation != false",
    "runAsNonRoot": "runAsNonRoot != true",
    "runAsUser": "runAsUser=0",
    "volume": "volumes",
}


def _security(finding: Finding, spec: Object) -> Iterator[str]:
    """The reason of Pod Security, and what has it."""
    field, index = str(finding.path[1]), int(finding.path[2])
    [reason] = [reason for word, reason in _REASONS.items() if word in finding.message]
    yield f"pod-security {reason}"
    yield f"pod-security {reason} of {spec[field][index]['name']}"
