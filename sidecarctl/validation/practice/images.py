"""Images: tags and digests.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update", and rollout.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.images import is_pinned, parse_image
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import warned

TAG = warned(
    "image-without-tag",
    "An image has a tag other than latest, or a digest.",
    why="Pods may run different images. Also, imagePullPolicy defaults to Always, and the first real tag "
    "changes it to IfNotPresent, so that the update changes more than images and pods must be recreated.",
    mend="write a tag, such as log-agent:1.2, or a digest",
    fails="image: log-agent",
    passes="image: log-agent:1.2",
)
DIGEST = warned(
    "digest-under-two-tags",
    "A digest is not used with two different tags.",
    why="The image is the same, so the kubelet restarts nothing and the imageID stays: an update from one tag to the "
    "other never completes.",
    mend="use the same tag with the digest everywhere",
    within="spec",
    fails=f"""\
containers:
- {{name: one, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
- {{name: two, image: 'log-agent:1.3@sha256:{"a" * 64}'}}
""",
    passes=f"""\
containers:
- {{name: one, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
- {{name: two, image: 'log-agent:1.2@sha256:{"a" * 64}'}}
""",
)


def image_findings(spec: Object) -> Iterator[Finding]:
    """Findings about the images of a spec."""
    for path, text in images_of(spec):
        reference = None if is_pinned(text) else parse_image(text)
        if reference and not reference.digest and reference.tag in {"", "latest"}:
            said = "the tag latest" if reference.tag else "no tag"
            yield TAG.at(path, f"{text} has {said}")


def digest_findings(specs: Iterable[tuple[str, Object]]) -> Iterator[tuple[str, Finding]]:
    """Digests with two tags, across all SidecarSets, with the name of the SidecarSet."""
    tags: dict[tuple[str, str], str] = defaultdict(str)
    for name, spec in specs:
        for path, text in images_of(spec):
            reference = parse_image(text)
            if reference and reference.tag and reference.digest:
                first = tags[reference.repository, reference.digest] or reference.tag
                tags[reference.repository, reference.digest] = first
                if first != reference.tag:
                    yield name, DIGEST.at(path, f"the digest of {text} is also used with the tag {first}")


def images_of(spec: Object) -> Iterator[tuple[Path, str]]:
    """The path and text of each image of a spec."""
    for field in ("containers", "initContainers"):
        for container, path in placed(spec, field):
            if text := container.get("image", ""):
                yield (*path, "image"), text
