"""`sidecarctl plan` over a dump of a cluster, as a whole process: `python -m benchmarks.plan [NUMBER...]`.

The dumps are as `kubectl get pods -A -o json` writes them, about 6 KB a pod, half of it managed fields. For each
number of pods: CPU time (user and system) and peak memory of the process, from the file to the last line of text.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.rollout import SCATTER, pods, sidecarset
from sidecarctl.facts.values import Object

OLD, NEW = (f"registry.example.com/platform/log-agent:{tag}" for tag in ("1.4.0", "1.5.0"))
_FIELDS = {
    "f:metadata": {"f:annotations": {".": {}, "f:kruise.io/sidecarset-hash": {}}, "f:labels": {".": {}, "f:app": {}}},
    "f:spec": {"f:containers": {'k:{"name":"checkout"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}}},
}


class Measured(NamedTuple):
    """What one run took: seconds of CPU, and the largest resident memory in MB."""

    seconds: float
    megabytes: int


def write_dump(path: Path, number: int) -> None:
    """A list of pods as a cluster gives them."""
    with path.open("w") as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [')
        for index, pod in enumerate(pods(sidecarset(OLD, {}, hot=False), number, hot=False)):
            file.write(",\n" if index else "\n")
            file.write(json.dumps(_lived(pod, index), indent=4))
        file.write('\n    ],\n    "kind": "List",\n    "metadata": {"resourceVersion": ""}\n}\n')


def _lived(pod: Object, index: int) -> Object:
    """The pod with what a cluster adds."""
    managed = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": _FIELDS, "manager": "kubelet"}
    uid = f"3f7a1c9e-0000-4000-8000-{index:012}"
    metadata = {**pod["metadata"], "managedFields": [managed] * 3, "resourceVersion": str(index), "uid": uid}
    return {**pod, "metadata": metadata}


def measured(*words: str | Path) -> Measured:
    """Run the command line with its output thrown away."""
    program = [sys.executable, "-m", "sidecarctl", *map(str, words)]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"sidecarctl ended with {process.returncode}")
    return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)


def main(numbers: list[int]) -> None:
    """Print a row for every number of pods and strategy."""
    strategies: dict[str, Object] = {
        "scatter over 3 terms, maxUnavailable 1%": {"maxUnavailable": "1%", "scatterStrategy": SCATTER},
        "maxUnavailable 1%": {"maxUnavailable": "1%"},
    }
    print(f"{'strategy':42} {'pods':>7} {'KB/pod':>7} {'CPU s':>7} {'us/pod':>7} {'RSS MB':>7}")
    with tempfile.TemporaryDirectory() as folder:
        dump, rules = Path(folder, "pods.json"), Path(folder, "set.json")
        for number in numbers:
            write_dump(dump, number)
            size = dump.stat().st_size / number / 1000
            for about, strategy in strategies.items():
                rules.write_text(json.dumps(sidecarset(NEW, strategy, hot=False)))
                run = measured("plan", rules, dump)
                each = run.seconds / number * 1e6
                print(f"{about:42} {number:7} {size:7.1f} {run.seconds:7.2f} {each:7.1f} {run.megabytes:7}")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000])
