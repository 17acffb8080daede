"""ResourceQuotas that the workloads of a namespace exceed only together, because of their sidecars.

Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.pod_resources import Amounts, amount_text, amounts
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.sidecarset.world import GivenPod
from sidecarctl.engine.validation.pods.limit_ranges import largest
from sidecarctl.engine.validation.pods.matched import namespace_of
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Pair, containers_of, has_ended
from sidecarctl.engine.validation.pods.quotas import EXCEEDED, Quota, counted, counts, resource_of, usage_of
from sidecarctl.engine.validation.pods.requests import needs_of


class _Sum:
    """What a quota counts of all pods so far, by key, and for each key the sidecar that adds most."""

    def __init__(self, quota: Quota) -> None:
        self.quota = quota
        self.alone: Counter[str] = Counter()
        self.now: Counter[str] = Counter()
        self.pods = 0
        self.workloads = 0
        self.exceeded: set[str] = set()
        self.most: dict[str, tuple[int, Caused]] = {}

    def add(self, pods: int, alone: Amounts, now: Amounts) -> None:
        """Count the pods of a workload, given what each uses without and with sidecars."""
        self.pods += pods
        self.workloads += 1
        for key in self.quota.hard:
            self.alone[key] += pods * alone.get(key, 0)
            self.now[key] += pods * now[key]


class QuotaSums:
    """Adds up what pods need, one after the other; `check` looks at those with sidecars, `findings` at the others."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        self._sums: dict[str, _Sum] = {}
        self._with_sidecars: set[int] = set()

    def check(self, pair: Pair, beside: Beside) -> Iterator[Caused]:
        """Count a pod with sidecars; findings about the pod itself are made elsewhere."""
        for total in self._totals(pair.namespace):
            ranges = beside.of("LimitRange", pair.namespace)
            alone, now = needs_of(pair.app, ranges), needs_of(pair.all, ranges)
            self._with_sidecars.add(id(pair.given))
            if not counts(total.quota, pair.spec, now):
                continue
            (used_alone, used), number = usage_of(pair, total.quota, alone, now), pair.given.number
            total.add(number, used_alone, used)
            for key, most in total.quota.hard.items():
                before, after = number * used_alone.get(key, 0), number * used[key]
                total.exceeded |= {key} if before <= most < after else set()
                if after - before > total.most.get(key, (0, None))[0]:
                    blamed = pair.cause(largest(now, resource_of(key)), ("resources",), EXCEEDED.at((), ""))
                    total.most[key] = after - before, blamed
        yield from ()

    def findings(self, pods: Iterable[GivenPod]) -> Iterator[tuple[str, Finding]]:
        """Quotas that only several workloads exceed, with the SidecarSet that adds most; `pods` are all pods."""
        if not self._sums:
            return
        for given in pods:
            if id(given) not in self._with_sidecars and not has_ended(given.manifest):
                self._add_without(given)
        for total in self._sums.values():
            for key, most in total.quota.hard.items():
                if total.alone[key] <= most < total.now[key] and key not in total.exceeded:
                    caused = total.most[key][1]
                    yield caused.set_name, caused.finding._replace(message=_message(total, key, most))

    def _totals(self, namespace: str) -> Iterator[_Sum]:
        """The sum of each quota of a namespace."""
        for manifest in self._beside.of("ResourceQuota", namespace):
            quota = Quota.of(manifest, namespace)
            yield self._sums.setdefault(quota.name, _Sum(quota))

    def _add_without(self, given: GivenPod) -> None:
        """Count a pod that gets no sidecar."""
        namespace = namespace_of(given.manifest)
        spec = typed(given.manifest.get("spec") or {}, "core.PodSpec")
        needs = needs_of(containers_of(spec), self._beside.of("LimitRange", namespace))
        for total in self._totals(namespace):
            if counts(total.quota, spec, needs):
                used = counted(total.quota, needs, amounts(spec.get("overhead")))
                total.add(given.number, used, used)


def _message(total: _Sum, key: str, most: int) -> str:
    resource = resource_of(key)
    with_sidecars, without = (amount_text(resource, each[key]) for each in (total.now, total.alone))
    allowed = f"{total.quota.name} allows {amount_text(resource, most)} of {key}"
    whose = f"the {total.pods:,} pods of {total.workloads:,} workloads"
    return f"{allowed}: {whose} would need {with_sidecars} with sidecars, {without} without"
