"""The API of the server under test, spoken to directly: what tests prepare and look at, apart from kubectl."""

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

from sidecarctl.engine.facts.values import Object, Value

PATIENCE = 240.0
"""Seconds that something may take on a machine that is busy with other things."""
_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"

PATCH_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class Answer(NamedTuple):
    """The status code of HTTP, the object, and what the server warns of."""

    code: int
    body: Object
    warnings: Sequence[str] = ()


Found = TypeVar("Found")


def until(look: Callable[[], Found | None], told: Callable[[], str] = str) -> Found:
    """Look until there is something to see, and return it; `told` says how things are where there never is."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, told()
        time.sleep(0.02)
    return found


class Api:
    """Requests of one user; a connection for each thread."""

    def __init__(self, url: str, certificate: Path, token: str) -> None:
        self._host = urlsplit(url).netloc
        self._trusted = ssl.create_default_context(cafile=certificate)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._local = threading.local()
        self._connections: list[http.client.HTTPSConnection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self._connections:
            connection.close()

    def ask(self, method: str, path: str, body: Value = None, content_type: str = "application/json") -> Answer:
        """One request, sent again when the server has closed the kept connection."""
        try:
            return self._ask(method, path, body, content_type)
        except (http.client.HTTPException, ConnectionError, ssl.SSLError):
            self._local.connection.close()
            return self._ask(method, path, body, content_type)

    def get(self, path: str) -> Object:
        """The object at a path."""
        return _of(self.ask("GET", path), 200)

    def create(self, path: str, manifest: Object) -> Object:
        """Create an object in the collection at a path."""
        return _of(self.ask("POST", path, manifest), 201)

    def replace(self, path: str, manifest: Object) -> Object:
        """Replace the object at a path."""
        return _of(self.ask("PUT", path, manifest), 200)

    def delete(self, path: str, *, uid: str = "") -> None:
        """Delete what is at a path, at once; nothing there, or something of another uid, is no error."""
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
        if uid:
            options["preconditions"] = {"uid": uid}
        answer = self.ask("DELETE", path, options)
        assert answer.code in (200, 202, 404, 409), answer

    def patch(self, path: str, patch: Value, patch_type: str = "strategic") -> Answer:
        """Patch the object at a path; `patch_type` as kubectl names it."""
        return self.ask("PATCH", path, patch, PATCH_TYPES[patch_type])

    def await_rights(self, user: str, role: Object) -> None:
        """Wait until a user has the rights of a role that was bound: the server learns of it a moment later."""
        for rule in role["rules"]:
            for resource, verb, name in product(rule["resources"], rule["verbs"], rule.get("resourceNames", [""])):
                kind, _, subresource = resource.partition("/")
                asked = {"group": rule["apiGroups"][0], "resource": kind, "subresource": subresource}
                asked |= {"verb": verb, "name": name, "namespace": role["metadata"].get("namespace", "")}
                until(partial(self._may, user, asked))

    def watch(self, path: str) -> "Watch":
        """The events of a collection, beginning with all that it holds."""
        return Watch(self._new_connection(timeout=None), path, self._headers)

    def _may(self, user: str, asked: Object) -> bool:
        spec = {"user": user, "resourceAttributes": asked}
        return bool(self.create(_REVIEWS, {"spec": spec})["status"]["allowed"])

    def _ask(self, method: str, path: str, body: Value, content_type: str) -> Answer:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._new_connection(timeout=60)
            self._connections.append(connection)
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {**self._headers, "Content-Type": content_type})
        answer = connection.getresponse()
        text = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        warnings = answer.headers.get_all("Warning", ())
        return Answer(answer.status, json.loads(text) if is_json else {"message": text.decode()}, warnings)

    def _new_connection(self, timeout: float | None) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._host, context=self._trusted, timeout=timeout)


class Watch:
    """Events, each an object with `type` and `object`, until it is closed or the server ends it."""

    def __init__(self, connection: http.client.HTTPSConnection, path: str, headers: dict[str, str]) -> None:
        connection.request("GET", f"{path}{'&' if '?' in path else '?'}watch=1&resourceVersion=0", headers=headers)
        self._connection = connection
        self._socket = connection.sock
        self._answer = connection.getresponse()
        self._is_closed = False

    def __iter__(self) -> Iterator[Object]:
        try:
            for line in self._answer:
                yield json.loads(line)
        except (OSError, ValueError, http.client.HTTPException):
            if not self._is_closed:
                raise
        finally:
            self._answer.close()
            self._connection.close()

    def close(self) -> None:
        """End it; may be called from another thread than the one that reads."""
        self._is_closed = True
        try:
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # what is under TLS: a reader is in the TLS
        except OSError:
            return  # the server was first


def _of(answer: Answer, code: int) -> Object:
    assert answer.code == code, answer
    return answer.body
