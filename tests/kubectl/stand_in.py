"""A kubectl that answers from recorded files: what each command wrote to stdout and stderr, and its exit code."""

import json
import sys
from pathlib import Path

from sidecarctl.facts.values import Object

_PROGRAM = """\
#!{python} -S
import json, sys, time
words = [word for word in sys.argv[1:] if not word.startswith(("--context", "--kubeconfig"))]
with open({calls!r}, "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
answer = json.load(open({answers!r})).get(" ".join(words[1:-2]))
if answer is None:
    sys.exit("error: the stand-in does not know: " + " ".join(words))
time.sleep(answer.get("seconds", 0))
sys.stdout.write(answer.get("stdout", ""))
sys.stderr.write(answer.get("stderr", ""))
sys.exit(answer.get("code", 0))
"""

SETS = "sidecarsets.apps.kruise.io"
NAMESPACES = "namespaces"
REVISIONS = "controllerrevisions.apps --namespace=kruise-system"
PODS = "pods --all-namespaces"
MANAGER = "deployments.apps/kruise-controller-manager --namespace=kruise-system"
UNTOLD = f"registry.example.com/kruise-manager@sha256:{'0' * 64}"
"""An image that tells no release, so that the default is computed."""


class StandIn:
    """A folder to be put on PATH; answers are by the words between `get` and `-o json`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._answers: dict[str, Object] = {}
        self._calls = folder / "calls"
        self._file = folder / "answers.json"
        program = folder / "kubectl"
        program.write_text(_PROGRAM.format(python=sys.executable, calls=str(self._calls), answers=str(self._file)))
        program.chmod(0o755)
        for what in (SETS, NAMESPACES, REVISIONS, PODS):
            self.holds(what)
        self.runs(UNTOLD)

    def holds(self, what: str, *objects: Object) -> None:
        """Let a command answer with a list of these objects."""
        self.says(what, stdout=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def runs(self, image: str) -> None:
        """Let Kruise's controller run an image."""
        containers = [{"name": "manager", "image": image}, {"name": "proxy", "image": "proxy:v1.2.0"}]
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment"}
        self.says(
            MANAGER, stdout=json.dumps({**deployment, "spec": {"template": {"spec": {"containers": containers}}}})
        )

    def says(self, what: str, *, stdout: str = "", stderr: str = "", code: int = 0, seconds: float = 0) -> None:
        """Let a command end like this."""
        self._answers[what] = {"stdout": stdout, "stderr": stderr, "code": code, "seconds": seconds}
        self._file.write_text(json.dumps(self._answers))

    def fails(self, what: str, stderr: str) -> None:
        """Let a command fail with these words."""
        self.says(what, stderr=stderr, code=1)

    @property
    def calls(self) -> list[list[str]]:
        """The words of each call, without the program's name."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()]
