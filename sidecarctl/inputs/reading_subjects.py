"""Objects that hold pods or pod templates, whole and with their places."""

from collections.abc import Iterable

from sidecarctl.api.workloads import workload_of
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.objects_in_files import every_object
from sidecarctl.inputs.reading import Reading


def objects_with_pods(sources: Iterable[Input], how: Reading) -> list[Located]:
    """The pods and workloads of files, in order; InputError with everything that cannot be read."""
    found: list[Located] = []
    failures: list[Finding] = []
    for source in sources:
        for one in every_object(source.name, source.blocks, how.reader):
            if isinstance(one, Finding):
                failures.append(one)
            elif workload_of(one.manifest, how.workloads):
                found.append(one)
    if failures:
        raise InputError(*failures)
    return found
