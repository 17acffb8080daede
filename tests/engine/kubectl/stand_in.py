"""A kubectl whose proxy answers from recordings: for each path a text, or what the real one would fail with."""

import json
import re
import sys
from pathlib import Path

from sidecarctl.engine.facts.values import Object, Value

_PROGRAM = """\
#!{python} -S
import json, os, socketserver, sys, time
from http.server import BaseHTTPRequestHandler
open({pid!r}, "w").write(str(os.getpid()))

def note(*words):
    with open({calls!r}, "a") as calls:
        calls.write(json.dumps(words) + chr(10))

note(*sys.argv[1:])
options = [word for word in sys.argv if word.startswith("--unix-socket=")]
if not options:
    sys.exit("error: the stand-in does not know: " + " ".join(sys.argv[1:]))
start = json.load(open({answers!r})).get("proxy")
if start:
    sys.exit(start["body"])

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    address_string = lambda self: ""
    log_message = lambda *_: None

    def do_GET(self):
        note("GET", self.path)
        answers = json.load(open({answers!r}))
        missing = {{"status": 500, "body": "the stand-in does not know " + self.path, "seconds": 0, "awaits": ""}}
        answer = answers.get(self.path) or answers.get(self.path.partition("?")[0]) or missing
        time.sleep(answer["seconds"])
        while answer["awaits"] and not os.path.exists(answer["awaits"]):
            time.sleep(0.01)
        body = answer["body"].encode()
        if "watch=1" in self.path:
            return self.follow(answer)
        self.send_response(answer["status"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def follow(self, answer):
        self.send_response(answer["status"])
        self.send_header("Connection", "close")
        self.end_headers()
        seen = int(self.path.rpartition("resourceVersion=")[2])
        while True:
            text = open({events!r}).read() if os.path.exists({events!r}) else ""
            for path, event in map(json.loads, text.splitlines()):
                version = int(event["object"]["metadata"]["resourceVersion"])
                if path == self.path.partition("?")[0] and version > seen:
                    seen = version
                    self.wfile.write(json.dumps(event).encode() + bytes([10]))
            time.sleep(0.01)

class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    handle_error = lambda *_: None

Server(options[0].partition("=")[2], Handler).serve_forever()
"""

SETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"
OLDER_SETS = "/apis/apps.kruise.io/v1alpha1/sidecarsets"
NAMESPACES = "/api/v1/namespaces"
REVISIONS = "/apis/apps/v1/namespaces/kruise-system/controllerrevisions"
PODS = "/api/v1/pods"
PODS_OF_SHOP = "/api/v1/namespaces/shop/pods"
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
VERSION = "/version"
BUDGETS = "/apis/policy.kruise.io/v1beta1/podunavailablebudgets"
OLDER_BUDGETS = "/apis/policy.kruise.io/v1alpha1/podunavailablebudgets"
DISRUPTION_BUDGETS = "/apis/policy/v1/poddisruptionbudgets"
MANAGER = "/apis/apps/v1/namespaces/kruise-system/deployments/kruise-controller-manager"


NOT_SERVED = "404 page not found\n"
"""What a real API server answers for a resource that it does not serve: plain text, and no Status."""

_CODES = {"Unauthorized": 401, "Forbidden": 403, "NotFound": 404, "Expired": 410}


def manager(image: str, *args: str) -> Object:
    """Kruise's own Deployment."""
    container = {"name": "manager", "image": image, "command": ["/manager"], "args": list(args)}
    return {"spec": {"template": {"spec": {"containers": [container]}}}}


def webhook(**fields: Value) -> Object:
    """Kruise's MutatingWebhookConfiguration; `fields` of its webhook for pods."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "kruise-mutating-webhook-configuration"},
        "webhooks": [{"name": "mpod.kb.io", "failurePolicy": "Fail", **fields}],
    }


class StandIn:
    """A folder to be put on PATH; answers are by the path of a request, with or without its query."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._answers: dict[str, Object] = {}
        self._calls = folder / "calls"
        self._file = folder / "answers.json"
        program = folder / "kubectl"
        self._pid = folder / "pid"
        self._events = folder / "events"
        files = {"calls": self._calls, "answers": self._file, "pid": self._pid, "events": self._events}
        paths = {name: str(path) for name, path in files.items()}
        program.write_text(_PROGRAM.format(python=sys.executable, **paths))
        program.chmod(0o755)
        for what in (SETS, NAMESPACES, REVISIONS, PODS):
            self.holds(what)
        self.holds(WEBHOOKS, webhook())
        self.lacks(DISRUPTION_BUDGETS)
        self.says(KUBE_SYSTEM, stdout=json.dumps({"metadata": {"uid": "the-cluster"}}))
        self.says(MANAGER, stdout=json.dumps(manager("openkruise/kruise-manager:v1.9.0")))

    def holds(self, what: str, *objects: Object, version: int = 7) -> None:
        """Let a path answer with a list of these objects."""
        self.says(
            what,
            stdout=json.dumps(
                {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": str(version)}, "items": objects}
            ),
        )

    def changes(self, what: str, kind: str, changed: Object) -> None:
        """Let those that watch a path see an event, if they have none of its resourceVersion or a later one."""
        whole = self._events.read_text() if self._events.exists() else ""
        new = self._events.with_suffix(".new")
        new.write_text(f"{whole}{json.dumps([what, {'type': kind, 'object': changed}])}\n")
        new.replace(self._events)

    def runs(self, image: str, *args: str) -> None:
        """Let Kruise's controller run an image, with arguments."""
        self.says(MANAGER, stdout=json.dumps(manager(image, *args)))

    def says(self, what: str, *, stdout: str = "", status: int = 200, seconds: float = 0, awaits: str = "") -> None:
        """Let a path have this answer, after this many seconds, and once a file is there."""
        self._answers[what] = {"body": stdout, "status": status, "seconds": seconds, "awaits": awaits}
        self._file.write_text(json.dumps(self._answers))

    def lacks(self, what: str) -> None:
        """Let a path be of a resource that the API server does not serve."""
        self.says(what, stdout=NOT_SERVED, status=404)

    def fails(self, what: str, words: str) -> None:
        """Let a path fail as kubectl tells it: as a refusal of the server, or with the words of the proxy."""
        refused = re.fullmatch(r"Error from server \((\w+)\): (.*)", words.strip(), re.DOTALL)
        if not refused:
            self.says(what, stdout=words, status=500)
            return
        reason, message = refused.groups()
        code = _CODES[reason]
        status = {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code}
        self.says(what, stdout=json.dumps(status), status=code)

    @property
    def process(self) -> int | None:
        """The id of the process that was started last."""
        return int(self._pid.read_text() or 0) or None if self._pid.exists() else None

    @property
    def calls(self) -> list[list[str]]:
        """The words of each start, without the program's name, and of each request; nothing of a half-written one."""
        text = self._calls.read_text() if self._calls.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
