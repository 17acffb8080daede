"""Whether the API server would accept a pod with its sidecars; checked only where it may not."""

from collections import Counter
from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.injection.injecting import Injection
from sidecarctl.injection.select.decisions import Selection


def injected_pod_warnings(pod: Object, injection: Injection, selection: Selection) -> Iterator[Finding]:
    """Errors of the injected pod that the original did not have, with the SidecarSet as subject."""
    sets = {choice.sidecarset.name: choice.sidecarset for choice in selection.applied}
    specs = {name: item.spec for name, item in sets.items()}
    if not (any(map(_may_clash, specs.values())) or _has_a_name_twice(injection.pod)):
        return
    from sidecarctl.injection.build.set_plan import reference_to
    from sidecarctl.validation.practice.injected import refused_findings

    for name, finding in refused_findings(pod, injection, specs):
        yield finding._replace(subject=reference_to(sets[name]))


def _may_clash(spec: Object) -> bool:
    """Whether a spec adds things, other than names, that are valid on their own but may be rejected in a pod."""
    return any(
        "resourcesPolicy" in container or any("hostPort" in port for port in container.get("ports", ()))
        for field in ("containers", "initContainers")
        for container in spec.get(field, ())
    )


def _has_a_name_twice(pod: Object) -> bool:
    spec = pod["spec"]
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    return any(number > 1 for number in Counter((container or {}).get("name") for container in containers).values())
