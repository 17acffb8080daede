"""Values that a sidecar copies from a pod, whose references mean something else in the sidecar.

Source: https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/;
docs/behavior/injection.md, "What is written".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.pod.pod_view import PodView, Transfer, env_entry, is_injected
from sidecarctl.engine.injection.pod.sidecars import Sidecar, env_in

_REFERENCE = lazy_pattern(r"\$\$|\$\(([^)]*)\)")


def references_in(text: str) -> list[str]:
    """The names of the variables that a text refers to, as Kubernetes expands it: `$$` stands for `$`."""
    return [match[1] for match in _REFERENCE.finditer(text) if match[1]]


class _Variable(NamedTuple):
    """An entry of an env: all with one `number` expand to the same; `refers_to`: the numbers of what it refers to."""

    entry: Object
    number: int
    refers_to: Mapping[str, int | None]


class _Scope(NamedTuple):
    """The variables of a container by name, the last of each; `is_open`: others come from envFrom."""

    name: str
    variables: Mapping[str, _Variable]
    is_open: bool

    def number(self, name: str) -> int | None:
        """The number of a variable; None if it is not defined in env."""
        found = self.variables.get(name)
        return found and found.number


class _Scopes:
    """The scopes of containers, with numbers that can be compared."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def of(self, name: str, containers: Iterable[Object]) -> _Scope:
        """The scope of a container; of several that share a name, all together."""
        given = list(containers)
        known: dict[str, _Variable] = {}
        for entry in (item for container in given for item in container.get("env") or () if item):
            refers_to = {ref: (known[ref].number if ref in known else None) for ref in _refs(entry)}
            what = (_source(env_entry(entry)), *refers_to.values())
            number = self._numbers.setdefault(what, len(self._numbers))
            known[entry.get("name") or ""] = _Variable(entry, number, refers_to)
        return _Scope(name, known, any(container.get("envFrom") for container in given))


def _source(entry: Object) -> str:
    """The content of an entry without its name, and without the default that only stored objects have."""
    source = entry.get("valueFrom") or {}
    if field := source.get("fieldRef"):
        return f"field {field.get('fieldPath')} {field.get('apiVersion') or 'v1'}"
    return str(source or entry.get("value") or "")


def _refs(entry: Object) -> list[str]:
    return list(dict.fromkeys(references_in(entry.get("value") or "")))


def copied_findings(sidecar: Sidecar, pod: PodView) -> Iterator[Finding]:
    """Variables and shared mounts of the pod that do not mean the same in the sidecar."""
    scopes = _Scopes()
    own = scopes.of(sidecar.name, [{**sidecar.head, "env": env_in(sidecar, pod)}])
    for transfer in sidecar.transfers:
        if (source := transfer.source(pod)) is not None:
            named = [container for container in pod.containers if (container.get("name") or "") == source]
            yield from _of_transfer(transfer, scopes.of(source, named), own)
    if sidecar.shares_mounts:
        yield from _of_mounts(sidecar, pod, scopes, own)


def _of_transfer(transfer: Transfer, theirs: _Scope, own: _Scope) -> Iterator[Finding]:
    for name in transfer.names:
        source, copy = theirs.variables.get(name), own.variables.get(name)
        if source is None or copy is None or env_entry(source.entry) != copy.entry:
            continue  # not there, or the sidecar has its own
        for ref, number in source.refers_to.items():
            said = _difference(ref, number, copy.refers_to[ref], theirs, own)
            if said:
                first = f"{name} of {theirs.name} is copied with its reference $({ref}), "
                yield _warning(first + said, transfer.path, _hint(ref, copy.refers_to[ref], theirs, own))
        resource = (source.entry.get("valueFrom") or {}).get("resourceFieldRef") or {}
        if resource and not resource.get("containerName"):
            message = (
                f"{name} of {theirs.name} is the {resource.get('resource')} of the container that has it: "
                f"in {own.name} that of {own.name}"
            )
            yield _warning(message, transfer.path, f"write containerName: {theirs.name} in its resourceFieldRef")


def _difference(ref: str, theirs: int | None, mine: int | None, source: _Scope, own: _Scope) -> str:
    """What a reference is in the sidecar; empty if it is the same as in the source, or not known."""
    if mine is not None:
        return "" if mine == theirs else f"which has another value in {own.name}"
    if own.is_open or (theirs is None and not source.is_open):
        return ""
    said = "is defined only after it" if ref in own.variables else "is not defined"
    return f"which {said} in {own.name}: the text stays as it is"


def _hint(ref: str, mine: int | None, source: _Scope, own: _Scope) -> str:
    if ref not in source.variables:
        return f"define {ref} in {own.name}" if mine is None else f"rename {ref} of {own.name}"
    if mine is None:  # a shared subPathExpr brings the variables that its container defines
        return f"transfer {ref} in an item before this one"
    return f"let {own.name} have {ref} as {source.name} has it, with all that it refers to"


def _of_mounts(sidecar: Sidecar, pod: PodView, scopes: _Scopes, own: _Scope) -> Iterator[Finding]:
    for container, mount in _shared(pod.containers, sidecar.used_paths):
        refs = list(dict.fromkeys(references_in(mount.get("subPathExpr") or "")))
        theirs = scopes.of(container.get("name") or "", [container]) if refs else own
        for ref in refs:
            mine, wanted = own.number(ref), theirs.number(ref)
            if not _difference(ref, wanted, mine, theirs, own):
                continue
            ending = "mounts another directory" if mine is not None else "does not start"
            said = "has another value" if mine is not None else "is not defined"
            message = (
                f"the mount {mount.get('mountPath')} of {theirs.name} is shared with its subPathExpr "
                f"{mount['subPathExpr']}: {ref} {said} in {own.name}, which {ending}"
            )
            yield _warning(message, (*sidecar.path, "shareVolumePolicy"), _hint(ref, mine, theirs, own))


def _shared(containers: Sequence[Object], used: Iterable[str]) -> Iterator[tuple[Object, Object]]:
    """The mounts that the app containers share, the first of each path, with their containers."""
    seen = set(used)
    for container in containers:
        for mount in (container.get("volumeMounts") or ()) if not is_injected(container) else ():
            path = (mount or {}).get("mountPath") or ""
            if path not in seen:
                seen.add(path)
                yield container, mount or {}


def _warning(message: str, path: Path, hint: str) -> Finding:
    return warning(Reason.COPIED_REFERENCE, message, path, hint=hint)
