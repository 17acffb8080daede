"""A server on a unix socket that answers as a test says, instead of a proxy."""

import json
import socketserver
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

from sidecarctl.engine.facts.values import Object, Value

_POD: Object = {"kind": "Pod"}


class Asked(NamedTuple):
    """A request; `text` is the body as it was sent, `connection` tells connections apart."""

    method: str
    path: str
    body: Value
    headers: dict[str, str]
    connection: int
    text: str = ""


class Reply(NamedTuple):
    """An answer; text that is not JSON is sent as it is. `lines`: an answer in parts, each after its seconds."""

    status: int = 200
    body: Object | str = _POD
    headers: Mapping[str, str] = MappingProxyType({})
    lines: list[tuple[float, Value]] | None = None
    seconds: float = 0.0
    hangs_up: bool = False


class ApiStandIn:
    """Answers each request by `answer`, and remembers them."""

    def __init__(self, path: Path, answer: Callable[[Asked], Reply]) -> None:
        self.path = path
        self.asked: list[Asked] = []
        self.answer = answer
        self.ends = threading.Event()
        self._server = _Server(path, self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ends.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True  # one waits for a request on each kept connection

    def __init__(self, path: Path, stand_in: ApiStandIn) -> None:
        super().__init__(str(path), _Handler)
        self.stand_in = stand_in

    def handle_error(self, *_: object) -> None:
        """A client that has gone while it was answered."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def address_string(self) -> str:
        return "a test"

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        self._reply()

    def do_PATCH(self) -> None:
        self._reply()

    def _reply(self) -> None:
        stand_in = self.server.stand_in
        sent = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = json.loads(sent) if sent else None
        asked = Asked(self.command, self.path, body, dict(self.headers.items()), id(self.connection), sent.decode())
        stand_in.asked.append(asked)
        reply = stand_in.answer(asked)
        stand_in.ends.wait(reply.seconds)
        self.close_connection = reply.hangs_up
        if not reply.hangs_up:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.lines is not None:
            self._stream(reply.lines)
            return
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def _stream(self, lines: Sequence[tuple[float, Value]]) -> None:
        self.send_header("Connection", "close")
        self.end_headers()
        for seconds, line in lines:
            self.server.stand_in.ends.wait(seconds)
            self.wfile.write(json.dumps(line).encode() + b"\n")
