"""`python -m tests.cluster.bare_loop PLAN CONNECTIONS`: the patches of a plan, as fast as the API server takes them.

What `push` is compared with: one kubectl proxy, as many connections, and nothing else. Prints the seconds that all
patches take.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sidecarctl.engine.kubectl.api_requests import pod_path
from sidecarctl.engine.kubectl.client import ApiClient
from sidecarctl.engine.kubectl.running_proxy import Connection, open_proxy
from sidecarctl.engine.plan_file.pod_patches import json_patch_of
from sidecarctl.engine.plan_file.reading import PlannedPatch, read_plan


def main(path: str, connections: str) -> None:
    """Send them all; an answer other than 200 is an error."""
    patches = read_plan(json.loads(Path(path).read_text())).patches
    with (
        open_proxy(Connection(), ["/api/v1/namespaces/*/pods/*"]) as socket,
        ApiClient(socket) as client,
        ThreadPoolExecutor(int(connections)) as threads,
    ):

        def send(patch: PlannedPatch) -> int:
            return client.patch(pod_path(*patch.pod), json_patch_of(patch)).status

        began = time.monotonic()
        statuses = set(threads.map(send, patches))
        sys.stdout.write(f"{time.monotonic() - began}\n")
        assert statuses == {200}, statuses


if __name__ == "__main__":
    main(*sys.argv[1:])
