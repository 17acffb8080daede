"""Objects that hold pods or pod templates, whole and with their places."""

from collections.abc import Iterable, Iterator

from sidecarctl.api.workloads import workload_of
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.objects_in_files import every_object
from sidecarctl.inputs.reading import Reading


def objects_with_pods(sources: Iterable[Input], how: Reading) -> Iterator[Located]:
    """The pods and workloads of files, in order, one after another: a dump may hold more of them than memory.

    InputError at the end with everything that cannot be read.
    """
    failures: list[Finding] = []
    for source in sources:
        for found in every_object(source.name, source.blocks, how.reader):
            if isinstance(found, Finding):
                if found.severity is Severity.ERROR:
                    failures.append(found)
            elif workload_of(found.manifest, how.workloads):
                yield found
    if failures:
        raise InputError(*failures)
