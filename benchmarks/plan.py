"""`python -m benchmarks.plan [COUNT]`: `sidecarctl plan` over a dump of a cluster, as a whole process.

The dumps are as `kubectl get pods -A -o json` writes them, about 6 KB a pod, half of it managed fields; one of COUNT
pods, one of ten times as many.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import FOLDER, installed, kept, run
from benchmarks.rollout import SCATTER, pods, sidecarset
from benchmarks.table import Row, show
from sidecarctl.engine.facts.values import Object

_OLD, _NEW = (f"registry.example.com/platform/log-agent:{tag}" for tag in ("1.4.0", "1.5.0"))
_FIELDS = {
    "f:metadata": {"f:annotations": {".": {}, "f:kruise.io/sidecarset-hash": {}}, "f:labels": {".": {}, "f:app": {}}},
    "f:spec": {"f:containers": {'k:{"name":"checkout"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}}},
}


def measured(programs: Path, count: int) -> Iterator[Row]:
    """A row for each measurement; `programs` is the folder of the installed ones."""
    program = programs / "sidecarctl"
    strategy: Object = {"maxUnavailable": "1%"}
    plain = kept("plain.json", json.dumps(sidecarset(_NEW, strategy, hot=False)))
    scatter = kept("scatter.json", json.dumps(sidecarset(_NEW, {**strategy, "scatterStrategy": SCATTER}, hot=False)))
    dump = _dump(count)
    few = run(program, "plan", plain, dump)
    yield Row(f"plan, {count:,} pods, scatter over 3 terms", _seconds(run(program, "plan", scatter, dump).cpu), "3 s")
    yield Row(f"plan, {count:,} pods", f"{few.cpu:.2f} s", "0.9 s")
    dump = _dump(10 * count)
    many = run(program, "plan", plain, dump)
    yield Row(f"plan, {10 * count:,} pods", _seconds(many.cpu), "8 s")
    yield Row("  for each pod, against a tenth of them", f"{many.cpu / few.cpu / 10:.2f} x", "1.5 x")
    yield Row("  peak memory", f"{many.memory:,.0f} MB", "400 MB")
    document = run(program, "plan", plain, dump, "-o", "json")
    yield Row("  the same as a JSON document", _seconds(document.cpu))
    yield Row("  peak memory", f"{document.memory:,.0f} MB")
    status = run(program, "status", plain, dump)
    older = kept("older.json", json.dumps(sidecarset(_OLD, strategy, hot=False)))
    drift = run(program, "drift", plain, dump, "--revision-from", older)
    yield Row(f"drift, {10 * count:,} pods", _seconds(drift.cpu))
    yield Row("  against status", f"{drift.cpu / status.cpu:.2f} x", "1.5 x")
    yield Row("  peak memory", f"{drift.memory:,.0f} MB")
    dump.unlink()


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s"


def _dump(number: int) -> Path:
    """A list of pods as a cluster gives them."""
    path = FOLDER / "dump.json"
    with path.open("w") as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [')
        for index, pod in enumerate(pods(sidecarset(_OLD, {}, hot=False), number, hot=False)):
            file.write(",\n" if index else "\n")
            file.write(json.dumps(_lived(pod, index), indent=4))
        file.write('\n    ],\n    "kind": "List",\n    "metadata": {"resourceVersion": ""}\n}\n')
    return path


def _lived(pod: Object, index: int) -> Object:
    """The pod with what a cluster adds."""
    managed = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": _FIELDS, "manager": "kubelet"}
    uid = f"3f7a1c9e-0000-4000-8000-{index:012}"
    metadata = {**pod["metadata"], "managedFields": [managed] * 3, "resourceVersion": str(index), "uid": uid}
    return {**pod, "metadata": metadata}


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:] or ["10000"])))
