"""The images of sidecars as text, Markdown, CSV, and documents (ImageReport, schemas/image-report.json)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap

from sidecarctl.engine.comparing.images import ImagesFacts, ImageUse, Role, SetImages, Way
from sidecarctl.engine.facts.findings import document_head, findings_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.document import unknown_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.summary.sentences import doubt, number
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import joined, shown
from sidecarctl.render.markdown import cell, code, finding_items, fitting, with_notes
from sidecarctl.render.output import Page
from sidecarctl.render.tables import comma_separated

_ROLES = {
    Role.WORKING: " (working half)",
    Role.IDLE: " (idle half)",
    Role.NATIVE: " (native sidecar)",
    Role.INIT: " (initContainer)",
}
_WAYS = {Way.IN_PLACE: "in place", Way.RECREATE: "only by recreation"}


def images_text(report: Report[ImagesFacts], page: Page) -> str:
    """For each container the wanted image, then a line for each image that pods have."""
    sets = [item for item in report.facts.sets if item.uses or item.doubtful or not report.facts.image]
    parts = [joined(set_lines(item, page)) for item in sets]
    return "\n".join(parts or [f"{shown(f'no sidecar has an image like {report.facts.image}')}\n"])


def set_lines(item: SetImages, page: Page) -> Iterator[str]:
    """The lines of a SidecarSet."""
    if item.doubtful:
        yield shown(f"{item.name}: {doubt(item.doubtful)}")
    elif not item.uses:
        yield shown(f"{item.name}: no pods")
    for (container, role, wanted), uses in groupby(item.uses, lambda use: (use.container, use.role, use.wanted)):
        yield shown(f"{item.name}: {container}{_ROLES.get(role, '')} wants {wanted or 'no image'}")
        for sentence in sentences(list(uses)):
            line = shown(f"  {sentence}")
            yield from wrap(line, page.width, subsequent_indent="    ") if page.width else [line]
    if item.left_out:
        yield shown(f"  left out  {counts_text(item.left_out)}")


def sentences(uses: Sequence[ImageUse]) -> Iterator[str]:
    """`312 pods still run envoy:1.2: 290 in place (290 Waiting), 22 only by recreation (22 NotUpgradable)`.

    All uses are of one container.
    """
    by_image: dict[str, list[ImageUse]] = {}
    for use in uses:
        by_image.setdefault("" if use.way in (Way.CURRENT, Way.PENDING) else use.image or "no", []).append(use)
    current = by_image.pop("", [])
    for image, found in by_image.items():
        found.sort(key=lambda use: use.way is Way.RECREATE)
        ways = ", ".join(f"{use.pods:,} {_WAYS[use.way]} ({counts_text(use.states)})" for use in found)
        yield f"{_have(sum(use.pods for use in found), image, found[0])}: {ways}{_digests(found)}"
    for use in current:
        runs = ("runs" if use.pods == 1 else "run") if use.role is not Role.INIT else "ran"
        has = (
            f"{runs} it"
            if use.way is Way.CURRENT
            else f"{'has' if use.pods == 1 else 'have'} it and do not run it yet"
        )
        yield f"{number(use.pods)} {has}{_digests([use])}"


def _have(pods: int, image: str, use: ImageUse) -> str:
    if not use.image:
        return f"{number(pods)} {'lacks' if pods == 1 else 'lack'} it"
    if use.role is Role.INIT:
        return f"{number(pods)} ran {image}"
    return f"{number(pods)} still {'runs' if pods == 1 else 'run'} {image}"


def _digests(uses: Iterable[ImageUse]) -> str:
    """The digests where there are several of one image: its tag moved."""
    found = sum((Counter(use.digests) for use in uses), Counter[str]())
    said = ", ".join(f"{digest} in {pods:,}" for digest, pods in sorted(found.items()))
    return f"; {len(found)} digests: {said}" if len(found) > 1 else ""


def counts_text(counts: Mapping[str, int]) -> str:
    """`200 Waiting, 90 HeldByPartition`."""
    return ", ".join(f"{pods:,} {state}" for state, pods in counts.items())


_HEADER = ("sidecarSet", "container", "role", "image", "wanted", "way", "pods", "states", "digests")


def images_csv(report: Report[ImagesFacts], _page: Page) -> str:
    """A row for each use."""
    rows = [
        (
            item.name,
            use.container,
            str(use.role),
            use.image,
            use.wanted,
            str(use.way),
            str(use.pods),
            " ".join(f"{state}={pods}" for state, pods in use.states.items()),
            " ".join(f"{digest}={pods}" for digest, pods in use.digests.items()),
        )
        for item in report.facts.sets
        for use in item.uses
    ]
    return comma_separated(_HEADER, rows)


def images_markdown(report: Report[ImagesFacts], _page: Page) -> str:
    """A table for each SidecarSet, then the findings."""
    sections = ["\n".join(_section(item)) + "\n" for item in report.facts.sets]
    text = fitting("### Images of sidecars\n", sections, "SidecarSet")
    return with_notes(text, finding_items(report.findings))


def _section(item: SetImages) -> Iterator[str]:
    yield from (f"#### {cell(item.name)}", "")
    yield from (cell(doubt(item.doubtful)), "") if item.doubtful else ()
    yield "| container | image | wanted | pods | how | states |"
    yield "| --- | --- | --- | ---: | --- | --- |"
    for use in item.uses:
        how = _WAYS.get(use.way, "not running yet" if use.way is Way.PENDING else "")
        name = f"{code(use.container)}{_ROLES.get(use.role, '')}"
        wanted = code(use.wanted) if use.image != use.wanted else ""
        states = cell(counts_text(use.states))
        yield f"| {name} | {code(use.image) or 'none'} | {wanted} | {use.pods:,} | {how} | {states} |"


def images_data(report: Report[ImagesFacts]) -> Object:
    """The images as an object of kind ImageReport."""
    facts = report.facts
    return {
        **document_head("ImageReport", report.release.behavior, facts.gates),
        **report.cluster(),
        "pods": "workloads" if facts.synthetic else "running",
        "image": facts.image,
        "sidecarSets": [_set(item) for item in facts.sets],
        "findings": findings_json(report.findings),
    }


def _set(item: SetImages) -> Object:
    return {
        "name": item.name,
        "images": [
            {
                "container": use.container,
                "role": str(use.role),
                "image": use.image,
                "wanted": use.wanted,
                "way": str(use.way),
                "pods": use.pods,
                "states": dict(use.states),
                "digests": dict(use.digests),
            }
            for use in item.uses
        ],
        "ways": {str(way): pods for way, pods in item.ways.items()},
        "leftOut": dict(item.left_out),
        **unknown_document(item.doubtful),
    }


FORMATS: Mapping[str, Formats] = {
    "images": data_formats(images_data, text=images_text, markdown=images_markdown, csv=images_csv)
}
"""The formats of images."""
