"""The pods of a workload compared with those that Kubernetes' own controllers created (`make record-pods`)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.workloads import CONTROLLER_LABELS
from sidecarctl.engine.facts.values import Object, Value, path_text
from tests.cli.running import run

CASES = sorted((Path(__file__).parent / "recorded_pods").glob("*.yaml"))
SIDECARSET = b"""\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec: {selector: {matchLabels: {app: none}}, containers: [{name: logs, image: logs}]}
"""
BY_THE_SERVER = {
    "apiVersion": "v1",  # of a fieldRef
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "imagePullPolicy": "IfNotPresent",
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
    "resources": {},
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
"""The defaults of the API server, which are the same in every pod."""
OF_THE_CLUSTER = {
    "metadata.generateName": "of pods that are named by an ordinal",
    "metadata.ownerReferences[0].blockOwnerDeletion": "of the garbage collector",
    "spec.affinity": "of the node of a DaemonSet's pod",
    "spec.tolerations": "of admission, and of a DaemonSet",
}
"""What nobody asks for: neither a SidecarSet nor a rule of `validate` depends on it."""


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_pods_are_those_that_the_controllers_create(path: Path) -> None:
    ended = run("inject", "-", path, "--as-pods", "--allow-empty", stdin=SIDECARSET)
    ours = [item for item in yaml.safe_load_all(ended.stdout) if item["kind"] == "Pod"]
    recorded = [as_ours(pod) for pod in json.loads(path.with_suffix(".json").read_text())]
    assert len(ours) == len(recorded)
    for made, pod in zip(ours, recorded, strict=True):
        assert list(differences(made | {"metadata": without_uids(made["metadata"])}, pod, ())) == []


def as_ours(pod: Object) -> Object:
    """A recorded pod without hashes and uids in labels and names, and with its claims in the order of their names."""
    labels = pod["metadata"]["labels"]
    unknown = [key for key in CONTROLLER_LABELS & labels.keys() if key != "batch.kubernetes.io/job-completion-index"]
    hashed = f"-{labels['pod-template-hash']}" if "pod-template-hash" in labels else ""
    made: Object = json.loads(json.dumps(pod).replace(hashed, "") if hashed else json.dumps(pod))
    made["metadata"]["labels"] = {key: value for key, value in labels.items() if key not in unknown}
    return {"apiVersion": "v1", "kind": "Pod", **made, "metadata": without_uids(made["metadata"])}


def without_uids(metadata: Object) -> Object:
    """Metadata without the uids of owners."""
    owners = [{key: value for key, value in owner.items() if key != "uid"} for owner in metadata["ownerReferences"]]
    return {**metadata, "ownerReferences": owners}


def differences(ours: Value, recorded: Value, path: tuple[str | int, ...]) -> Iterator[str]:
    """What differs, aside from what the API server adds to every pod."""
    where = path_text(path)
    if where in OF_THE_CLUSTER:
        return
    if isinstance(ours, dict) and isinstance(recorded, dict):
        for key in {**ours, **recorded}:
            if key not in ours and recorded[key] == BY_THE_SERVER.get(key):
                continue
            yield from differences(ours.get(key), recorded.get(key), (*path, key))
    elif isinstance(ours, list) and isinstance(recorded, list) and len(ours) == len(recorded):
        if where == "spec.volumes":  # the controller takes the claims from a map, in any order
            ours, recorded = (sorted(each, key=lambda volume: str(volume["name"])) for each in (ours, recorded))
        for index, (one, other) in enumerate(zip(ours, recorded, strict=True)):
            yield from differences(one, other, (*path, index))
    elif ours != recorded:
        yield f"{where}: {ours} is {recorded}"
