"""Whether the containers of a pod start and end as they should, once it has its sidecars.

Source: the pages of Kubernetes that the rules name, and docs/behavior/injection.md.
"""

from collections.abc import Iterator
from typing import Any

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.feature_gates import TERMINATES_SIDECARS, is_on
from sidecarctl.engine.releases.profiles import has_native_sidecars
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Container, Pair
from sidecarctl.engine.validation.rules import Rule, warned

_SECURITY = "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/"
_TERMINATION = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"
_STREAM = stream(
    "containers: [{{name: agent, image: 'agent:1.2', {sidecar}}}]",
    pod="spec:\n  {pod}\n  containers: [{{name: main, image: 'main:1'}}]",
)
_NON_ROOT = "securityContext: {runAsNonRoot: true, runAsUser: 1000}"
_SLEEPS = "lifecycle: {{preStop: {{exec: {{command: [sleep, '{}']}}}}}}"

ROOT = Rule(
    "run-as-root",
    "Sidecar that must not run as root",
    "No sidecar runs as root in a pod with runAsNonRoot.",
    why="The kubelet does not start a container of user 0 in such a pod. Without a runAsUser, the image decides, and "
    "this is a note.",
    mend="write securityContext: {runAsUser: 1000} into the sidecar, or runAsNonRoot: false if it has to be root",
    source=_SECURITY,
    within="stream",
    fails=_STREAM.format(sidecar="securityContext: {runAsUser: 0}", pod=_NON_ROOT),
    passes=_STREAM.format(sidecar="securityContext: {runAsUser: 1001}", pod=_NON_ROOT),
)
GRACE = warned(
    "grace-period",
    "preStop longer than the grace period",
    "preStop of a sidecar sleeps no longer than terminationGracePeriodSeconds of the pod.",
    why="The kubelet kills the container when the period is over, and the sidecar never gets the time to end. A "
    "preStop with the action sleep is an error: the API server rejects the pod.",
    mend="sleep shorter, or raise terminationGracePeriodSeconds of the pod",
    source=_TERMINATION,
    within="stream",
    fails=_STREAM.format(sidecar=_SLEEPS.format(20), pod="terminationGracePeriodSeconds: 15"),
    passes=_STREAM.format(sidecar=_SLEEPS.format(20), pod="terminationGracePeriodSeconds: 25"),
)
_NATIVE = "make it an initContainer with restartPolicy: Always"
_EXCLUDE = "exclude the pods of Jobs with {{key: {key}, operator: DoesNotExist}}"
_TERMINATE = "KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT"
_GIVE = f"give it the variable {_TERMINATE}: 'true', with the feature gate {TERMINATES_SIDECARS} on"
_ORDINARY = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: agent, image: 'agent:1.2'}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: report, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {restartPolicy: Never, containers: [{name: main, image: 'main:1'}]}
"""

JOB = warned(
    "job-never-completes",
    "Sidecar that keeps a Job from completing",
    "The sidecars of pods that are to complete are native sidecars.",
    why="A pod is complete when all of its containers have ended, and an ordinary sidecar never ends. Kruise ends "
    f"one with the variable {_TERMINATE}: 'true', but only while its feature gate {TERMINATES_SIDECARS} is on; by "
    "default it is off. Pods that are to complete are those of Jobs, and all with restartPolicy Never or OnFailure.",
    mend=f"{_NATIVE}, or {_GIVE}, or {_EXCLUDE.format(key='job-name')}",
    source="https://openkruise.io/docs/user-manuals/jobsidecarterminator",
    within="stream",
    fails=_ORDINARY,
    passes=_ORDINARY.replace(
        "containers: [{name: agent, image: 'agent:1.2'}]",
        "updateStrategy: {type: NotUpdate}\n"
        "  initContainers: [{name: agent, image: 'agent:1.2', restartPolicy: Always}]",
        1,
    ),
)
_DEFAULT_GRACE = 30


def lifetime_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """Sidecars that do not start, or are killed before they have ended."""
    for sidecar in pair.sidecars:
        yield from _as_root(pair, sidecar)
        yield from _too_long(pair, sidecar)
    if _is_to_complete(pair):
        for sidecar in pair.sidecars:
            if sidecar.field == "containers":
                yield from _never_ending(pair, sidecar, beside)


def _as_root(pair: Pair, sidecar: Container) -> Iterator[Caused]:
    if (pair.spec.get("os") or {}).get("name") == "windows":
        return
    own, inherited = sidecar.value.get("securityContext") or {}, pair.spec.get("securityContext") or {}
    if not _first(own, inherited, "runAsNonRoot"):
        return
    user = _first(own, inherited, "runAsUser")
    at = ("spec", "securityContext", "runAsNonRoot") if own.get("runAsNonRoot") is None else ()
    if user is None:
        whose = "the pod has runAsNonRoot" if at else "it has runAsNonRoot"
        message = f"{sidecar.title} does not start if its image runs as root: {whose}"
        note = ROOT.at((), message)._replace(severity=Severity.NOTE)
        yield pair.cause(sidecar, (), note, at)
    elif user == 0 and own.get("runAsUser") is not None:
        whose = "the pod has runAsNonRoot" if at else "it has runAsNonRoot"
        message = f"{sidecar.title} does not start: it would run as root, and {whose}"
        yield pair.cause(sidecar, ("securityContext", "runAsUser"), ROOT.at((), message), at)


def _first(own: Object, inherited: Object, field: str) -> Any:
    return inherited.get(field) if own.get(field) is None else own[field]


def _too_long(pair: Pair, sidecar: Container) -> Iterator[Caused]:
    given = pair.spec.get("terminationGracePeriodSeconds")
    period = _DEFAULT_GRACE if given is None else max(given, 0)
    hook = (sidecar.value.get("lifecycle") or {}).get("preStop") or {}
    at = ("spec", "terminationGracePeriodSeconds") if given is not None else ("spec",)
    path = ("lifecycle", "preStop")
    sleep = (hook.get("sleep") or {}).get("seconds")
    if sleep is not None and sleep > period:
        message = (
            f"the API server rejects the pod: {sidecar.title} sleeps {sleep} s in preStop, more than its {period} s"
        )
        rejected = GRACE.at((), message)._replace(severity=Severity.ERROR)
        caused = pair.cause(sidecar, (*path, "sleep", "seconds"), rejected, at)
        yield caused._replace(refused=(*sidecar.in_pod, *path, "sleep"))
    seconds = _slept((hook.get("exec") or {}).get("command") or [])
    if seconds > period:
        message = f"{sidecar.title} sleeps {seconds:g} s in preStop, and is killed after {period} s"
        yield pair.cause(sidecar, (*path, "exec", "command"), GRACE.at((), message), at)


_SHELLS = ("sh", "bash", "ash", "dash")
_SLEEP = lazy_pattern(r"(?:exec\s+)?(?:/usr)?(?:/bin/)?sleep\s+([0-9]{1,6}(?:\.[0-9]{1,6})?)([smhd]?)")
_STEPS = lazy_pattern(r"\s*(?:;|&&|\n)\s*")
_BRANCHES = lazy_pattern(r"\|\||\b(?:if|for|while|until|case)\b|[(){}$`]")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def _slept(command: list[str]) -> float:
    """The seconds that a command sleeps: a `sleep`, or those of a shell's script without branches."""
    if not command:
        return 0
    program = command[0].rpartition("/")[2]
    if program == "sleep":
        script = " ".join(command)
    elif program in _SHELLS and len(command) == 3 and command[1] == "-c":
        script = command[2].strip()
    else:
        return 0
    if _BRANCHES.search(script):
        return 0
    sleeps = filter(None, map(_SLEEP.fullmatch, _STEPS.split(script)))
    return sum(float(match[1]) * _UNITS[match[2]] for match in sleeps)


_JOB_LABELS = ("broadcastjob-name", "job-name", "batch.kubernetes.io/job-name")
_JOBS = ("Job", "BroadcastJob")


def _is_to_complete(pair: Pair) -> bool:
    owners = (pair.given.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return (
        pair.spec.get("restartPolicy") in {"Never", "OnFailure"}
        or any((owner or {}).get("kind") in _JOBS for owner in owners)
        or any(key in pair.labels for key in _JOB_LABELS)
    )


def _never_ending(pair: Pair, sidecar: Container, beside: Beside) -> Iterator[Caused]:
    release = pair.sets[sidecar.set_name].release
    is_ended_by_kruise = release.terminates_sidecars and any(map(_ends, sidecar.value.get("env") or ()))
    if is_ended_by_kruise and is_on(TERMINATES_SIDECARS, beside.gates, release):
        return
    key = next((label for label in _JOB_LABELS if label in pair.labels), "")
    hint = _job_hint(release, key, names_variable=is_ended_by_kruise)
    message = f'the pod would never complete because of "{sidecar.title}"'
    if is_ended_by_kruise:
        message += f": Kruise ends it only while the feature gate {TERMINATES_SIDECARS} is on"
        hint = f"if it is on, say so with --feature-gates {TERMINATES_SIDECARS}=true; else {hint}"
    yield pair.cause(sidecar, (), JOB.at((), message, hint), ("spec", "restartPolicy"))


def _job_hint(release: Release, key: str, *, names_variable: bool) -> str:
    """What lets the pod complete on a release; up to 1.6 a native sidecar would block every pod."""
    ways = [_NATIVE] if has_native_sidecars(release) else []
    if release.terminates_sidecars and not names_variable:
        ways.append(_GIVE)
    if key or not ways:
        ways.append(_EXCLUDE.format(key=key or _JOB_LABELS[1]))
    return ", or ".join(ways)


def _ends(env: Object) -> bool:
    """Whether a variable tells Kruise to end the container when the others have."""
    value = env.get("value") or ""
    return (env.get("name") == _TERMINATE and value.lower() == "true") or (
        env.get("name") == f"{_TERMINATE}_WITH_IMAGE" and bool(value)
    )
