"""All pods as they are when a push begins: what its watches deliver until all of them are up to date."""

import time
from collections.abc import Callable, Collection
from queue import Empty

from sidecarctl.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.kubectl.proxy.watching import Event, Kind
from sidecarctl.push.plan.planned import PodKey
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.running.messages import Mailbox, Message, PodsChanged, SetChanged


def first_look(
    mailbox: Mailbox,
    watched: Collection[str],
    counts: Callable[[LivePod], bool],
    timeout: float,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[dict[PodKey, LivePod], list[Message]]:
    """The pods that count, and the messages about other things that came meanwhile.

    `watched` are paths of pods and names of sets. InputError where pods cannot be read, or not all of it within
    `timeout` seconds; ImpossibleError where sets cannot be watched.
    """
    pods: dict[PodKey, LivePod] = {}
    others: list[Message] = []
    missing = set(watched)
    why = ""
    end = clock() + timeout
    while missing:
        try:
            message = mailbox.get(timeout=max(0.0, end - clock()))
        except Empty:
            raise _unread(why, timeout) from None
        if isinstance(message, SetChanged):
            missing -= _synced(message)
        if not isinstance(message, PodsChanged):
            others.append(message)
            continue
        event = message.event
        if event.kind is Kind.SYNCED:
            missing.discard(message.path)
        elif event.kind is Kind.BROKEN:
            why = str(event.object.get("message") or "")
        elif event.kind is Kind.GONE:
            raise input_error(Reason.KUBECTL_FAILED, str(event.object.get("message")))
        elif event.kind is Kind.REFUSED:
            raise _refused(event)
        else:
            _take(pods, message, counts)
    return pods, others


def key_of(manifest: object) -> PodKey:
    """The namespace and the name of a pod."""
    metadata = manifest["metadata"]  # type: ignore[index] # the API server's own objects
    return metadata.get("namespace") or "", metadata["name"]


def _synced(message: SetChanged) -> set[str]:
    """The set, once it is watched; before that a push would not notice changes of it."""
    if message.event.kind is Kind.REFUSED:
        why = f"SidecarSet {message.name} cannot be watched: {message.event.object.get('message') or 'refused'}"
        raise impossible(Reason.FORBIDDEN, why, hint="push --print-rbac prints the rights that it needs")
    return {message.name} if message.event.kind is Kind.SYNCED else set()


def _take(pods: dict[PodKey, LivePod], message: PodsChanged, counts: Callable[[LivePod], bool]) -> None:
    key = key_of(message.event.object)
    pods.pop(key, None)
    if message.live and counts(message.live):
        pods[key] = message.live


def _unread(why: str, timeout: float) -> SidecarctlError:
    message = f"the pods could not be read within {timeout:g} s" + (f": {why}" if why else "")
    return input_error(Reason.CLUSTER_UNREACHABLE, message, hint="is this the right cluster? check --context")


def _refused(event: Event) -> SidecarctlError:
    message = f"the pods cannot be read: {event.object.get('message') or 'refused'}"
    return input_error(Reason.FORBIDDEN, message, hint="push --print-rbac prints the rights that it needs")
