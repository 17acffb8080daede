"""The watches of a push: the pods of its namespaces, and its sets, each in a thread of its own."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sidecarctl.kubectl.proxy.api_paths import sidecarset_path
from sidecarctl.kubectl.proxy.watching import Event, Kind, Watchable, watch
from sidecarctl.push.checks.survey import Survey, pod_collections
from sidecarctl.push.plan.planned import PushPlan
from sidecarctl.push.pods.live_pods import live_pod
from sidecarctl.push.running.messages import Mailbox, Message, PodsChanged, SetChanged


@contextmanager
def watchers(
    client: Watchable, plan: PushPlan, survey: Survey, mailbox: Mailbox, *, guards_sets: bool
) -> Iterator[set[str]]:
    """Watch for as long as the context lasts; the paths of pods and the names of sets that are watched.

    The caller closes the client.
    """
    stopped = threading.Event()
    paths = pod_collections(plan)
    threads = [_thread(client, path, {}, stopped, mailbox, path=path) for path in paths]
    names = plan.targets if guards_sets and survey.version and not survey.unreadable else ()
    for name in names:
        query = {"fieldSelector": f"metadata.name={name}"}
        collection = sidecarset_path(survey.version)
        threads.append(_thread(client, collection, query, stopped, mailbox, name=name))
    for thread in threads:
        thread.start()
    try:
        yield {*paths, *names}
    finally:
        stopped.set()


def _thread(  # noqa: PLR0913 - what is watched, and where its events go
    client: Watchable,
    collection: str,
    query: Mapping[str, str],
    stopped: threading.Event,
    mailbox: Mailbox,
    *,
    path: str = "",
    name: str = "",
) -> threading.Thread:
    def deliver(event: Event) -> None:
        message: Message = _of_pods(path, event) if path else SetChanged(name, event)
        mailbox.put(message)

    return threading.Thread(target=watch, args=(client, collection, query, deliver, stopped), daemon=True)


def _of_pods(path: str, event: Event) -> PodsChanged:
    if event.kind not in (Kind.ADDED, Kind.MODIFIED):
        return PodsChanged(path, event)
    live = live_pod(event.object)
    return PodsChanged(path, event._replace(object=live.manifest), live)
