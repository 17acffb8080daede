"""An admission webhook on loopback that answers as a test says."""

import base64
import copy
import json
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api, until

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_ALLOWED: Object = {"allowed": True}


class Webhook:
    """Asked about every update of a pod in a namespace, its status aside; a subclass has another `rule`.

    `answer` gets the request of the review and gives the response; None allows it. The API server's own certificate
    serves, because it is for loopback.
    """

    rule: ClassVar[Object] = {
        "operations": ["UPDATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
    }

    def __init__(
        self,
        api: Api,
        namespace: str,
        certificates: Path,
        answer: Callable[[Object], Object | None],
        *,
        mutates: bool = False,
    ) -> None:
        self.asked: list[Object] = []
        self._api = api
        self._namespace = namespace
        self._kind = "mutatingwebhookconfigurations" if mutates else "validatingwebhookconfigurations"
        self._name = f"guard-{namespace}"
        self._server = _Server(self.asked, answer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "apiserver.crt", certificates / "apiserver.key")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        authority = base64.b64encode((certificates / "apiserver.crt").read_bytes()).decode()
        self._manifest: Object = {
            "metadata": {"name": self._name},
            "webhooks": [
                {
                    "name": "guard.example.com",
                    "clientConfig": {
                        "url": f"https://127.0.0.1:{self._server.server_port}/",
                        "caBundle": authority,
                    },
                    "rules": [self.rule],
                    "namespaceSelector": {"matchLabels": {"team": namespace}},
                    "sideEffects": "NoneOnDryRun",
                    "admissionReviewVersions": ["v1"],
                }
            ],
        }

    def __enter__(self) -> Self:
        self._thread.start()
        self._api.create(f"{ADMISSION}/{self._kind}", self._manifest)
        until(self._is_asked)
        self.asked.clear()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._api.delete(f"{ADMISSION}/{self._kind}/{self._name}")
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _is_asked(self) -> bool:
        """Whether the server knows of it: it learns a moment later."""
        self._probe(self._api)
        return bool(self.asked)

    def _probe(self, api: Api) -> None:
        pods = f"/api/v1/namespaces/{self._namespace}/pods"
        name = api.get(pods)["items"][0]["metadata"]["name"]
        api.patch(f"{pods}/{name}?dryRun=All", {"metadata": {"labels": {"probe": ""}}})


def refused(message: str, code: int = 403) -> Object:
    """The response that refuses."""
    return {"allowed": False, "status": {"message": message, "code": code}}


def busy(code: int, seconds: int) -> Object:
    """The response that puts off, as a server does that has too much to do."""
    status = {"message": "busy", "code": code, "details": {"retryAfterSeconds": seconds}}
    return {"allowed": False, "status": status}


def changed(*operations: Object) -> Object:
    """The response that allows, and changes the object by a JSON patch."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": patch}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, asked: list[Object], answer: Callable[[Object], Object | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = asked
        self.answer = answer

    def handle_error(self, *_: object) -> None:
        """A connection that was cut."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        return

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        self.server.asked.append(copy.deepcopy(request))
        response = {"uid": request["uid"], **(self.server.answer(request) or _ALLOWED)}
        text = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
