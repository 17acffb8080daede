"""`python -m benchmarks.krm [COUNT]`: the KRM function, alone and inside `kustomize build`.

Kustomize's own share is measured with `cat` in the function's place: it writes, reads and compares all items for any.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.manifests import SIDECARSET, deployments, pods, stream
from benchmarks.measuring import FOLDER, installed, kept, multiple, run
from benchmarks.table import Row, show

_CALL = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: sidecarctl.dev/v1alpha1
  kind: SidecarInjection
  metadata: {{name: inject}}
  spec: {{paths: [{sets}]}}
items:
- {pod}
"""
_FUNCTION = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarInjection
metadata:
  name: inject
  annotations:
    config.kubernetes.io/function: |
      exec: {{path: {program}}}
spec:
  paths: [{sets}]
"""


def measured(programs: Path, count: int = 1000) -> Iterator[Row]:
    """A row for each measurement; `programs` is the folder of the installed programs."""
    sets = kept("set.yaml", SIDECARSET)
    pod = next(pods(1)).strip("\n").removeprefix("---\n").replace("\n", "\n  ")
    call = kept("call.yaml", _CALL.format(sets=sets, pod=pod))
    single = multiple(programs / "sidecarctl-fn", stdin=call, unit=(programs / "python", "-c", "pass"))
    yield Row("sidecarctl-fn, one pod", f"{single:.1f} x", "6.0 x")
    kustomize = _kustomize()
    if kustomize is None:
        yield Row("kustomize is missing: run tests/tools/install", "-")
        return
    manifests = stream(deployments(count))
    plain = _build(kustomize, _kustomization("plain", manifests))
    yield Row(f"kustomize build, {count:,} Deployments", f"{plain:.2f} s")
    cat = _build(kustomize, _kustomization("cat", manifests, _FUNCTION.format(program="cat", sets=sets)))
    yield Row("  with `cat` as a function", f"{cat / plain:.1f} x")
    program = programs / "sidecarctl-fn"
    ours = _build(kustomize, _kustomization("ours", manifests, _FUNCTION.format(program=program, sets=sets)))
    yield Row("  with sidecarctl-fn", f"{ours / plain:.1f} x", "3 x")
    yield Row("  of which sidecarctl-fn and more to read", f"{ours - cat:.2f} s")


def _kustomize() -> str | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sidecarctl-tools"
    folder = Path(os.environ.get("SIDECARCTL_TOOLS") or cache) / "bin"
    return shutil.which("kustomize", path=f"{folder}{os.pathsep}{os.environ['PATH']}")


def _kustomization(name: str, manifests: str, function: str = "") -> Path:
    folder = FOLDER / "kustomize" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "deployments.yaml").write_text(manifests)
    (folder / "inject.yaml").write_text(function)
    transformers = "transformers: [inject.yaml]\n" if function else ""
    (folder / "kustomization.yaml").write_text(f"resources: [deployments.yaml]\n{transformers}")
    return folder


def _build(kustomize: str, folder: Path) -> float:
    """The median CPU time of a build, the function's included."""
    words = (kustomize, "build", "--enable-alpha-plugins", "--enable-exec", folder)
    return median(run(*words).cpu for _ in range(3))


if __name__ == "__main__":
    show(measured(installed(), *map(int, sys.argv[1:])))
