"""Kinds that a user adds: `KIND.GROUP=PATH,replicas=PATH,label=KEY:VALUE`, or the same as values in a file.

Source: docs/workload-kinds.md, "Other kinds".
"""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.api.workload_rows import Each, Factor, Number, TemplateRow, WorkloadKind, parse_pattern
from sidecarctl.engine.api.workloads import BY_KIND
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value

_GIVEN = lazy_pattern(r"([A-Za-z0-9]+)(?:\.([A-Za-z0-9.-]+))?=([^,]+)(?:,(.+))?")
_SIGNED = lazy_pattern(r"[-+.]?[0-9]")
_MARKS = ("name", "namespace", "key", "ordinal", "group", "index", "pod")


def parse_workloads(texts: Iterable[str]) -> tuple[WorkloadKind, ...]:
    """The rows that a user gives, each as `KIND.GROUP=PATH` or, for any group, `KIND=PATH`; UsageError otherwise.

    All templates of a kind are one row. `,replicas=` adds a number or where it is, `,label=KEY:VALUE` a label that
    the kind's controller adds.
    """
    found: dict[tuple[str, str | None], list[TemplateRow]] = {}
    for text in texts:
        match = _GIVEN.fullmatch(text)
        if match is None or parse_pattern(match[3]) is None:
            raise usage_error(
                f'"{text}" is not KIND.GROUP=PATH', hint="such as Workflow.argoproj.io=spec.podTemplate"
            )
        rows = found.setdefault((match[1], match[2]), [])
        rows.append(_row(text, (match[1], match[2]), match[3], match[4] or "", len(rows)))
    return tuple(WorkloadKind(kind, group, tuple(rows)) for (kind, group), rows in found.items())


def template_texts(kind: str, said: Value) -> list[str]:
    """The texts of --template-path from the value of a kind in a file: a path, an object with a path, or a list."""
    return [_text(kind, item) for item in (said if isinstance(said, list) else [said])]


def template_options(words: Iterable[str]) -> Object:
    """The value in a file for the parts of such texts: `KIND=PATH`, followed by `replicas=` and `label=`."""
    said: dict[str, list[Object]] = {}
    last: Object = {}
    for word in words:
        key, _, value = word.partition("=")
        if key == "replicas":
            last[key] = value
        elif key == "label":
            name, _, text = value.partition(":")
            last.setdefault("labels", {})[name] = text
        else:
            last = {"path": value}
            said.setdefault(key, []).append(last)
    return {kind: [_shortest(item) for item in items] for kind, items in said.items()}


def _shortest(said: Object) -> Value:
    return said["path"] if len(said) == 1 else said


def _text(kind: str, said: Value) -> str:
    if not isinstance(said, dict):
        return f"{kind}={said}"
    replicas = [f"replicas={said['replicas']}"] if said.get("replicas") is not None else []
    labels = [f"label={key}:{value}" for key, value in (said.get("labels") or {}).items()]
    return ",".join([f"{kind}={said['path']}", *replicas, *labels])


def _row(text: str, kind: tuple[str, str | None], path: str, further: str, number: int) -> TemplateRow:
    row = _usual(kind, path, number)
    labels = list(row.labels)
    for part in filter(None, further.split(",")):
        key, _, value = part.partition("=")
        if key == "replicas":
            row = row._replace(counts=(Factor((Number(_replicas(text, path, value), 1),)),))
        elif key == "label":
            labels.append(_label(text, value))
        else:
            raise usage_error(
                f'"{text}": unknown part {part}', hint="after the path come replicas= and label=KEY:VALUE"
            )
    return row._replace(labels=tuple(labels))


def _usual(kind: tuple[str, str | None], path: str, number: int) -> TemplateRow:
    """The row of the table for a path; for another path as the kind's only template, or with replicas next to it."""
    known = BY_KIND.get((kind[0], kind[1] or ""))
    rows: Sequence[TemplateRow] = known.templates if known else ()
    same = next((row for row in rows if row.path == path.removeprefix(".")), None)
    if same is not None:
        return same
    steps = parse_pattern(path) or ()
    is_wild = any(isinstance(step, Each) for step in steps)
    if len(rows) == 1 and not is_wild:
        return rows[0]._replace(path=path)
    if not is_wild:
        return TemplateRow(path, pod=f"{{name}}-{number}-" if number else "{name}-")
    beside = f"{path.rpartition('.')[0]}.replicas".removeprefix(".")
    pod = f"{{name}}-{{key}}-{number}-" if number else "{name}-{key}-"
    return TemplateRow(path, (Factor((Number(beside, 1),)),), pod=pod)


def _replicas(text: str, path: str, value: str) -> str:
    number = parse_pattern(value) if value else None
    if number is None or (_SIGNED.match(value) and not value.isdecimal()):
        raise usage_error(f'"{text}": replicas={value} is neither a number nor a path', hint="such as spec.replicas")
    wild, known = (
        [step for step in steps if isinstance(step, Each)] for steps in (number, parse_pattern(path) or ())
    )
    if wild != known[: len(wild)]:
        message = f'"{text}": the wildcards of replicas={value} are not those of the path'
        raise usage_error(message, hint="they stand for the same item or member")
    return value


def _label(text: str, value: str) -> tuple[str, str]:
    key, joint, made = value.partition(":")
    try:
        made.format(**dict.fromkeys(_MARKS, ""))
    except (KeyError, ValueError, IndexError):
        joint = ""
    if not (key and joint):
        marks = ", ".join(f"{{{mark}}}" for mark in _MARKS)
        raise usage_error(f'"{text}": label={value} is not label=KEY:VALUE', hint=f"VALUE may contain {marks}")
    return key, made


def all_texts(said: Value) -> Iterator[str]:
    """The texts for all kinds of `templatePaths`."""
    for kind, value in (said or {}).items():
        yield from template_texts(kind, value)
