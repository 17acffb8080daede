"""The API server as a judge: namespaces with what decides about their pods, and its complaints about a pod.

A complaint is a text of our own, in the words of `ours.py`, so that both sides can be compared.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Answer, Api, until

_PATHS = {
    "LimitRange": "/api/v1/namespaces/{}/limitranges",
    "ResourceQuota": "/api/v1/namespaces/{}/resourcequotas",
}
_NUMBERS = count(1)

Complaints = Counter[str]


class Judge:
    """Asks the server about pods, without creating any."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def namespace(self, labels: Object, beside: Sequence[Object]) -> str:
        """A new namespace with these objects; empty if the server does not accept one of them."""
        name = f"truth-{next(_NUMBERS)}"
        self._api.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        self._api.create(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
        for item in beside:
            path = _PATHS[item["kind"]].format(name)
            answer = self._api.ask("POST", path, item)
            if answer.code != 201:
                return ""
            if status := item.get("status"):  # no controller writes it here
                self._api.replace(f"{path}/{item['metadata']['name']}/status", {**answer.body, "status": status})
        return name

    def complaints(self, pod: Object) -> Complaints:
        """Why the server does not accept a pod, or what it warns of; empty if neither."""
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods?dryRun=All"
        answer = until(partial(self._decided, path, {"apiVersion": "v1", "kind": "Pod", **pod}))
        if answer.code == 201:
            warnings = [text.replace('\\"', '"') for text in answer.warnings]
            return Counter(text for warning in warnings if _POD_SECURITY in warning for text in _security(warning))
        assert answer.code in {403, 422}, answer
        return Counter(_told(answer.code, answer.body))

    def _decided(self, path: str, pod: Object) -> Answer | None:
        """The answer, once the server has noticed the status of the quota."""
        answer = self._api.ask("POST", path, pod)
        return None if "status unknown for quota" in str(answer.body.get("message")) else answer


def _told(code: int, body: Object) -> Iterator[str]:
    if code == 422:
        for cause in (body.get("details") or {}).get("causes") or ():
            yield f"pod-invalid {cause.get('field')}"
        return
    message: str = body["message"]
    if _POD_SECURITY in message:
        yield from _security(message)
    elif "failed quota" in message:
        yield from _required(message)
    elif "exceeded quota" in message:
        yield from _exceeded(message)
    else:
        found = [*_ranges(message)]
        assert found, message
        yield from found


_BOUND = re.compile(r"(minimum|maximum) (\S+) usage per (Container|Pod) is")
_RATIO = re.compile(r"(\S+) max limit to request ratio per (Container|Pod) is")


def _ranges(message: str) -> Iterator[str]:
    for bound, resource, scope in _BOUND.findall(message):
        yield f"limit-range {scope} {bound[:3]} {resource}"
    for resource, scope in _RATIO.findall(message):
        yield f"limit-range {scope} maxLimitRequestRatio {resource.lstrip('[')}"


def _required(message: str) -> Iterator[str]:
    name, said = re.findall(r"failed quota: (\S+): must specify (.*)$", message)[0]
    for part in said.split("; "):
        key, _, containers = part.partition(" for: ")
        for container in containers.split(","):
            yield f"limits-required {name} {container} {key if '.' in key else f'requests.{key}'}"


def _exceeded(message: str) -> Iterator[str]:
    name, requested = re.findall(r"exceeded quota: ([^,]+), requested: (.*), used: ", message)[0]
    for part in requested.split(","):
        yield f"quota-exceeded {name} {part.partition('=')[0]}"


_REASONS = {"capabilities": "capabilities", "AppArmor": "AppArmor", "volume": "volumes"}
"""Reasons that the server words differently from level to level."""

_POD_SECURITY = " PodSecurity "
_CLAUSE = re.compile(r"([^,(]+) \(((?:[^()\"]|\"[^\"]*\")*)\)")


def _security(message: str) -> Iterator[str]:
    _, _, said = message.partition(_POD_SECURITY)
    _, _, clauses = said.partition(": ")
    for found, detail in _CLAUSE.findall(clauses):
        [reason, *_] = [short for word, short in _REASONS.items() if word in found] or [found.strip()]
        yield f"pod-security {reason}"
        for setter in re.findall(r"(?:containers?|volumes?) ((?:\"[^\"]*\"(?:, )?)+)", detail):
            for name in re.findall(r"\"([^\"]*)\"", setter):
                yield f"pod-security {reason} of {name}"
