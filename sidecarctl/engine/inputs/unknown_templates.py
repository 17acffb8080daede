"""Objects with pods at a path that the table of kinds does not list: a note per kind, with the option to add it.

Source: docs/workload-kinds.md, "Kinds that are not in the table".
"""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from sidecarctl.engine.api.workload_kinds import BY_OPERATOR, WORKLOADS
from sidecarctl.engine.api.workload_rows import Pattern, WorkloadKind, parse_pattern, places
from sidecarctl.engine.api.workloads import kind_problem, pod_template_paths
from sidecarctl.engine.facts.findings import API_VERSION, Finding, ObjectReference, error, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value, path_text, value_at

_NO_PODS = frozenset(
    (
        "apiextensions.k8s.io",
        "kyverno.io",
        "mutations.gatekeeper.sh",
        "kustomize.config.k8s.io",
        "config.kubernetes.io",
        API_VERSION.partition("/")[0],
    )
)
"""Groups whose objects hold schemas, policies and patches of pods."""

_NO_POD_KINDS = frozenset(("SidecarSet", "ControllerRevision", "WorkloadSpread", "HelmRelease"))
_AT_ROOT = frozenset(("status", "metadata"))
_WORD = lazy_pattern(r"[A-Za-z0-9_-]+\Z")


def unknown_templates(
    manifest: Object, reference: ObjectReference, given: Sequence[WorkloadKind] = ()
) -> list[Finding]:
    """A note for each pod at a path that the table does not list; one for a kind of an operator's pods."""
    group, kind = reference.api_version.rpartition("/")[0], reference.kind
    if never_holds_pods(reference) or (kind == "Pod" and not group):
        return []
    known = set(pod_template_paths(manifest, given))
    if not known and (operator := BY_OPERATOR.get((kind, group))):
        return [note(Reason.MADE_BY_OPERATOR, operator)]
    return [
        note(Reason.TEMPLATE_UNKNOWN, _shape(path), path) for path in pod_specs(manifest) if path[:-1] not in known
    ]


def teaching(manifest: Object, reference: ObjectReference, given: Sequence[WorkloadKind] = ()) -> list[str]:
    """The values of --template-path for an object with pods at a path that the table does not list."""
    group, kind = reference.api_version.rpartition("/")[0], reference.kind
    found = unknown_templates(manifest, reference, given)
    return _taught(kind, group, [item.message for item in found if item.reason is Reason.TEMPLATE_UNKNOWN])


def _taught(kind: str, group: str, shapes: Sequence[str]) -> list[str]:
    """The options for these paths, and for those of the table, which they replace."""
    if not any(shapes):
        return []
    own = [row.path for item in WORKLOADS if (item.kind, item.group) == (kind, group) for row in item.templates]
    paths = dict.fromkeys([*own, *filter(None, shapes)])
    return [f"{'.'.join(filter(None, (kind, group)))}={path}" for path in paths]


def never_holds_pods(reference: ObjectReference) -> bool:
    """Whether objects of a group only seem to have pods: schemas, policies, patches, or objects without a kind."""
    kind = reference.kind
    return not kind or kind in _NO_POD_KINDS or reference.api_version.rpartition("/")[0] in _NO_PODS


def kind_refused(manifest: Object, reference: ObjectReference, given: Sequence[WorkloadKind] = ()) -> Finding | None:
    """An error for an object of a version that its group never had, or without a template where the user said."""
    return kind_problem(reference, manifest, given) or (
        _wrongly_taught(manifest, reference, given) if given else None
    )


def _wrongly_taught(manifest: Object, reference: ObjectReference, given: Sequence[WorkloadKind]) -> Finding | None:
    group, kind = reference.api_version.rpartition("/")[0], reference.kind
    taught = next((item for item in given if item.kind == kind and item.group in {None, group}), None)
    if taught is None or pod_template_paths(manifest, given):
        return None
    asked = " or ".join(row.path for row in taught.templates)
    end = _end_of(manifest, parse_pattern(taught.templates[0].path) or ())
    there = list(dict.fromkeys(shape for path in pod_specs(manifest) if (shape := _shape(path))))
    if there:
        hint = f"there is one at {' and '.join(there)}"
    else:
        value = value_at(manifest, end)
        members = ", ".join(map(str, value)) if isinstance(value, dict) else ""
        hint = f"{path_text(end) or 'the object'} has {members or 'no members'}"
    message = f"there is no pod template at {asked}, where --template-path or templatePaths says"
    return error(Reason.MISSING_FIELD, message, end, hint=hint)


def _end_of(manifest: Object, pattern: Pattern) -> Path:
    """How far a pattern leads."""
    for size in range(len(pattern), 0, -1):
        if path := next(
            (path for path in places(manifest, pattern[:size]) if _holds(value_at(manifest, path))), None
        ):
            return path
    return ()


def pod_specs(manifest: Object | list[Value]) -> Iterator[Path]:
    """The paths of values that look like a pod's spec, in the order of the object."""
    if _is_pod_spec(manifest):
        yield ()
        return
    waiting = [_inside((), manifest)]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
        elif _is_pod_spec(found[1]):
            yield found[0]
        else:
            waiting.append(_inside(*found))


def _inside(path: Path, value: Value) -> Iterator[tuple[Path, Value]]:
    """The members and items that are objects or lists, one at a time, because a list can have millions."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if _holds(item):
                yield (*path, index), item
    else:
        for key, member in value.items():
            if _leads_on(path, key, member):
                yield (*path, key), member


def _holds(value: Value) -> bool:
    return isinstance(value, dict | list)


def _leads_on(path: Path, key: Value, member: Value) -> bool:
    if not (isinstance(key, str) and _holds(member)) or (not path and key in _AT_ROOT):
        return False
    return key != "values" and "patch" not in key.lower()


def _is_pod_spec(value: Value) -> bool:
    containers = value.get("containers") if isinstance(value, dict) else None
    return isinstance(containers, list) and bool(containers) and all(map(_is_container, containers))


def _is_container(item: Value) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("name", "image"))


def _shape(path: Path) -> str:
    """The path for --template-path: that of the template around a pod's spec, with `[*]` for items of lists."""
    if path[-1:] != ("spec",):
        return ""
    text = ""
    for step in path[:-1]:
        if isinstance(step, int):
            text += "[*]"
        elif _WORD.match(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text or "."


class UnknownTemplates:
    """The notes of `unknown_templates`, summed up by kind; they must name their objects."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, Reason], list[Finding]] = {}
        self._numbers: dict[tuple[str, str, Reason], int] = {}

    def add(self, findings: Iterable[Finding]) -> None:
        """Count the notes about another object."""
        for finding in findings:
            subject = finding.subject
            if subject is None:
                continue
            key = subject.kind, subject.api_version.rpartition("/")[0], finding.reason
            alike = self._kinds.setdefault(key, [])
            if finding.message not in {other.message for other in alike}:
                alike.append(finding)
            self._numbers[key] = self._numbers.get(key, 0) + 1

    def notes(self) -> list[Finding]:
        """One note for each kind, at its first template."""
        return [_summed(*key, self._numbers[key], alike) for key, alike in self._kinds.items()]


def summed_up(findings: Iterable[Finding]) -> list[Finding]:
    """One note for each kind."""
    unknown = UnknownTemplates()
    unknown.add(findings)
    return unknown.notes()


def take_out(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The notes of `unknown_templates` among some findings, and the others."""
    mine = [finding for finding in findings if finding.reason in _MINE]
    return mine, [finding for finding in findings if finding.reason not in _MINE]


_MINE = (Reason.TEMPLATE_UNKNOWN, Reason.MADE_BY_OPERATOR, Reason.TEMPLATE_ELSEWHERE)


_SHOWN = 3


def _summed(kind: str, group: str, reason: Reason, number: int, alike: Sequence[Finding]) -> Finding:
    first, name = alike[0], f"{kind} {group}".strip()
    if reason is Reason.MADE_BY_OPERATOR:
        message = f"{name}: {first.message} makes these pods itself, so that nothing is injected here"
        return note(reason, message)._replace(place=first.place)
    if reason is Reason.TEMPLATE_ELSEWHERE:
        names = [finding.message for finding in alike]
        more = [f"{len(names) - _SHOWN:,} more"] if len(names) > _SHOWN else []
        where = " and ".join([*names[:_SHOWN], *more])
        message = f"{name}: the pods of {number:,} have the template of {where}, and are injected there"
        return note(reason, message)._replace(place=first.place)
    shapes = [finding.message for finding in alike if finding.message]
    if not shapes:
        where = path_text(first.path) or "the object itself"
        message = f"{name}: {_number(number, 'pod spec')} left out: no template is around {where}"
        return note(reason, message)._replace(place=first.place)
    is_known = any((item.kind, item.group) == (kind, group) for item in WORKLOADS)
    taught = _taught(kind, group, shapes)
    asked = " ".join(f"--template-path {quote(text)}" for text in taught)
    groups = [] if is_known else [item.group for item in WORKLOADS if item.kind == kind and item.group]
    meant = f"{kind} is known of {' and '.join(filter(None, groups))}; else " if groups else ""
    message = f"{name}: {_number(number, 'pod template')} left out, where no kind is known to have one"
    return note(reason, message)._replace(place=first.place, hint=f"{meant}add {asked}")


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'} {'is' if number == 1 else 'are'}"
