"""All objects of some files as they were written, whatever they are, for who looks at the manifests themselves."""

from collections.abc import Sequence

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.objects_in_files import objects_in
from sidecarctl.inputs.reading import Reading


class Manifests(NamedTuple):
    """The objects in the order of their files; what nearly is a SidecarSet; what cannot be read; how many files."""

    objects: list[Located]
    remarks: list[Finding]
    failures: list[Finding]
    files: int


def read_manifests(sources: Sequence[Input], how: Reading) -> Manifests:
    """Everything in the files: what cannot be read in one of them hides nothing of the others."""
    found = Manifests([], [], [], len(sources))
    for source in sources:
        try:
            for item in objects_in(source.name, source.blocks, how.reader):
                if isinstance(item, Located):
                    found.objects.append(item)
                else:
                    (found.failures if item.severity is Severity.ERROR else found.remarks).append(item)
        except SidecarctlError as fault:
            found.failures.extend(fault.findings)
    return found
