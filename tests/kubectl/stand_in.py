"""A kubectl that answers from recorded files: what each command wrote to stdout and stderr, and its exit code."""

import json
import sys
from pathlib import Path

from sidecarctl.facts.values import Object

_PROGRAM = """\
#!{python} -S
import json, os, sys, time
open({pid!r}, "w").write(str(os.getpid()))
words = [word for word in sys.argv[1:] if not word.startswith(("--context", "--kubeconfig"))]
with open({calls!r}, "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
answers = json.load(open({answers!r}))
path = words[2] if words[:2] == ["get", "--raw"] else ""
answer = answers.get(path) or answers.get(path.partition("?")[0])
if answer is None:
    sys.exit("error: the stand-in does not know: " + " ".join(words))
time.sleep(answer.get("seconds", 0))
while answer.get("awaits") and not os.path.exists(answer["awaits"]):
    time.sleep(0.01)
sys.stdout.write(answer.get("stdout", ""))
sys.stderr.write(answer.get("stderr", ""))
sys.exit(answer.get("code", 0))
"""

SETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"
OLDER_SETS = "/apis/apps.kruise.io/v1alpha1/sidecarsets"
NAMESPACES = "/api/v1/namespaces"
REVISIONS = "/apis/apps/v1/namespaces/kruise-system/controllerrevisions"
PODS = "/api/v1/pods"
PODS_OF_SHOP = "/api/v1/namespaces/shop/pods"
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"
MANAGER = "/apis/apps/v1/namespaces/kruise-system/deployments/kruise-controller-manager"


def manager(image: str) -> Object:
    """Kruise's own Deployment."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "manager", "image": image}]}}}}


class StandIn:
    """A folder to be put on PATH; answers are by the path after `get --raw`, with or without its query."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._answers: dict[str, Object] = {}
        self._calls = folder / "calls"
        self._file = folder / "answers.json"
        program = folder / "kubectl"
        self._pid = folder / "pid"
        paths = {"calls": str(self._calls), "answers": str(self._file), "pid": str(self._pid)}
        program.write_text(_PROGRAM.format(python=sys.executable, **paths))
        program.chmod(0o755)
        for what in (SETS, NAMESPACES, REVISIONS, PODS):
            self.holds(what)
        self.says(KUBE_SYSTEM, stdout=json.dumps({"metadata": {"uid": "the-cluster"}}))
        self.says(MANAGER, stdout=json.dumps(manager("openkruise/kruise-manager:v1.9.0")))

    def holds(self, what: str, *objects: Object) -> None:
        """Let a command answer with a list of these objects."""
        self.says(
            what, stdout=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, separators=(",", ":"))
        )

    def runs(self, image: str) -> None:
        """Let Kruise's controller run an image."""
        self.says(MANAGER, stdout=json.dumps(manager(image)))

    def says(
        self,
        what: str,
        *,
        stdout: str = "",
        stderr: str = "",
        code: int = 0,
        seconds: float = 0,
        awaits: Path | None = None,
    ) -> None:
        """Let a command end like this, after so many seconds, and once a file is there."""
        answer: Object = {"stdout": stdout, "stderr": stderr, "code": code, "seconds": seconds}
        self._answers[what] = {**answer, "awaits": str(awaits or "")}
        self._file.write_text(json.dumps(self._answers))

    def fails(self, what: str, stderr: str) -> None:
        """Let a command fail with these words."""
        self.says(what, stderr=stderr, code=1)

    @property
    def process(self) -> int | None:
        """The id of the process that was started last."""
        return int(self._pid.read_text() or 0) or None if self._pid.exists() else None

    @property
    def calls(self) -> list[list[str]]:
        """The words of each call, without the program's name; of one that is being written, nothing yet."""
        text = self._calls.read_text() if self._calls.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
