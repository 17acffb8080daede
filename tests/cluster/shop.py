"""Pods with sidecars in a real cluster, planned over and looked at again."""

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.cluster.api import Api, until
from tests.cluster.kubelet import Kubelet

SETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"
KINDS = (
    "sidecarsets",
    "namespaces",
    "controllerrevisions",
    "mutatingwebhookconfigurations",
    "poddisruptionbudgets",
    "pods",
)
"""What a plan over a live cluster reads."""


class Shop:
    """A namespace with a kubelet. Plans are files in `folder`."""

    def __init__(self, api: Api, namespace: str, kubelet: Kubelet, kubeconfig: Path, folder: Path) -> None:
        self.api = api
        self.namespace = namespace
        self.kubelet = kubelet
        self.kubeconfig = kubeconfig
        self.folder = folder

    def hold(self, *sets: Object) -> None:
        """Put SidecarSets into the cluster, instead of those of the same names."""
        for manifest in sets:
            name = manifest["metadata"]["name"]
            self.api.delete(f"{SETS}/{name}")
            self.api.create(SETS, {"apiVersion": "apps.kruise.io/v1beta1", "kind": "SidecarSet", **manifest})

    def run_pods(self, pods: Iterable[Object]) -> None:
        """Create pods, and wait until all are ready; what their manifests say of status does not count."""
        names = [self.create(pod) for pod in pods]
        for name in names:
            self.await_pod(name, is_ready)

    def create(self, pod: Object) -> str:
        """Create a pod; its name."""
        metadata = {**pod["metadata"], "namespace": self.namespace}
        made = {key: value for key, value in pod.items() if key != "status"} | {"metadata": metadata}
        name: str = self.api.create(f"/api/v1/namespaces/{self.namespace}/pods", made)["metadata"]["name"]
        return name

    def path(self, name: str) -> str:
        """The path of a pod."""
        return f"/api/v1/namespaces/{self.namespace}/pods/{name}"

    def pod(self, name: str) -> Object:
        """A pod as it is."""
        return self.api.get(self.path(name))

    def await_pod(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """The pod, as soon as a condition is true for it."""
        return until(
            lambda: pod if holds(pod := self.pod(name)) else None,
            lambda: f"{name} never got there: {json.dumps(self.pod(name))}",
        )

    def plan(self, *options: str | Path, code: int = 0) -> Object:
        """Plan over the cluster as it is, into plan.json; the plan."""
        ended = run(
            "plan",
            "--live",
            *options,
            "-o",
            f"json={self.folder}/plan.json",
            env=self._environ(),
        )
        assert ended.code == code, ended.stderr
        document: Object = json.loads((self.folder / "plan.json").read_text())
        return document

    def render(self, *options: str | Path) -> Ended:
        """Render the plan."""
        return run("render", self.folder / "plan.json", *options)

    def rendered(self, *options: str | Path) -> list[Object]:
        """The patches of the plan."""
        ended = self.render(*options)
        assert ended.code == 0, ended.stderr
        patches: list[Object] = json.loads(ended.stdout)
        return patches

    def dump(self) -> Path:
        """The pods as they are, as a file."""
        pods = self.kubectl("get", "pods", "-o", "json").stdout
        path = self.folder / "pods.json"
        path.write_text(pods)
        return path

    def kubectl(self, *words: str, code: int = 0, stdin: str = "") -> Ended:
        """Run the real kubectl in the namespace."""
        return self._ended(["kubectl", "-n", self.namespace, *words], code, stdin)

    def sh(self, script: str, *, code: int = 0, **environ: str) -> Ended:
        """Run a shell script that calls kubectl."""
        return self._ended(["sh"], code, script, environ)

    def apply(self, patches: Sequence[Object], *, code: int = 200) -> None:
        """Send rendered patches as they come, each after the pod is ready again."""
        for patch in patches:
            name = patch["target"]["name"]
            self.await_pod(name, is_settled)
            suffix = f"/{patch['subresource']}" if patch.get("subresource") else ""
            answer = self.api.patch(self.path(name) + suffix, patch["patch"], patch["patchType"])
            assert answer.code == code, answer
            if code == 200:
                self.await_pod(name, is_settled)

    def _environ(self) -> dict[str, str]:
        return {"KUBECONFIG": str(self.kubeconfig)}

    def _ended(self, words: Sequence[str], code: int, stdin: str, environ: Mapping[str, str] | None = None) -> Ended:
        ended = subprocess.run(
            words,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **self._environ(), **(environ or {})},
        )
        assert ended.returncode == code, ended
        return Ended(ended.returncode, ended.stdout, ended.stderr)


def is_ready(pod: Object) -> bool:
    """Whether its condition Ready is True."""
    return {"type": "Ready", "status": "True"}.items() <= _ready(pod).items()


def is_settled(pod: Object) -> bool:
    """Whether its status has the images of its spec: the kubelet has nothing more to report."""
    reported = {status["name"]: status["image"] for status in pod["status"].get("containerStatuses", ())}
    return reported == images(pod)


def images(pod: Object) -> dict[str, str]:
    """The images of its containers by their names."""
    return {container["name"]: container["image"] for container in pod["spec"]["containers"]}


def _ready(pod: Object) -> Object:
    return next((condition for condition in pod["status"].get("conditions", ()) if condition["type"] == "Ready"), {})
