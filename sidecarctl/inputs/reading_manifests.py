"""All objects of some files as they were written, whatever they are, for who looks at the manifests themselves."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, Severity
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
            for one in objects_in(source.name, source.blocks, how.reader):
                if isinstance(one, Located):
                    found.objects.append(one)
                else:
                    (found.failures if one.severity is Severity.ERROR else found.remarks).append(one)
        except SidecarctlError as fault:
            found.failures.extend(fault.findings)
    return found
