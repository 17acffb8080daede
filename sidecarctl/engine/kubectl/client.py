"""Requests through a proxy: GET and PATCH over kept connections, each with a time limit."""

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol, Self, TypeAlias
from urllib.parse import urlencode

from sidecarctl import __version__
from sidecarctl.engine.api.canonical import compact
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError, ProxyGoneError, RequestRefusedError

JSON_PATCH = "application/json-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"

TIMEOUT = 30.0
"""The default time limit of an answer, in seconds."""

_USER_AGENT = f"sidecarctl/{__version__}"
"""The field manager that the server records."""

_CHUNK = 1 << 16
Tell: TypeAlias = Callable[[str, int], None]

_SHOWN = 300
_BUSY = (429, 503)  # also in plain text, from a server or a load balancer in front of it
_REFUSED = range(400, 500)
_FAILED, _OF_SERVER = 500, "Internal Server Error"  # kubectl proxy has the same status for a server it cannot reach
_TAG = lazy_pattern(r"<(script|style|head)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


class Reads(Protocol):
    """Reads from the API server; NoAnswerError if it does not answer. Paths are quoted (`api_requests`)."""

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """Read what is at a path."""
        ...


class Requests(Reads, Protocol):
    """Requests to the API server, from several threads at once."""

    def patch(
        self, path: str, body: Value, content_type: str = JSON_PATCH, query: Mapping[str, str] | None = None
    ) -> Answer:
        """Change what is at a path."""
        ...


class ApiClient:
    """The API behind the socket of a proxy (`Requests`); `timeout` seconds for each answer.

    Nothing is retried. Closing ends every request and stream in flight. `tell` is called with each path and the
    number of bytes received, in the thread of the request.
    """

    def __init__(self, path: Path, *, timeout: float = TIMEOUT, tell: Tell = lambda _path, _size: None) -> None:
        self._path = path
        self._timeout = timeout
        self._tell = tell
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._open: set[_Connection] = set()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every connection; may be called from any thread."""
        with self._lock:
            self._is_closed = True
            for connection in self._open:
                connection.cut()
            for connection in self._idle:
                connection.close()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """Read what is at a path. NoAnswerError if there is no answer in time."""
        return self._asked("GET", _address(path, query), None, "")

    def patch(
        self, path: str, body: Value, content_type: str = JSON_PATCH, query: Mapping[str, str] | None = None
    ) -> Answer:
        """Change what is at a path. NoAnswerError if there is no answer in time: it may have been changed."""
        text = compact(body).encode()  # `test` compares texts with what Go writes
        return self._asked("PATCH", _address(path, query), text, content_type)

    def post(self, path: str, body: Value) -> Answer:
        """Create an object. NoAnswerError if there is no answer in time."""
        return self._asked("POST", path, compact(body).encode(), "application/json")

    def lines(self, path: str, query: Mapping[str, str], silence: float) -> Iterator[Object]:
        """The objects of a streamed answer (a watch), each as it comes, until the server ends it.

        The answer has begun when this returns. RequestRefusedError for a refusal; NoAnswerError if nothing comes for
        `silence` seconds, or the connection breaks.
        """
        connection = self._connected(silence)
        try:
            response = connection.sent("GET", _address(path, query), None, "")
            _refuse_other_than_good(response)
        except (OSError, http.client.HTTPException) as fault:
            self._drop(connection)
            _raise(fault, silence, may_be_done=False)
        except (NoAnswerError, RequestRefusedError):
            self._drop(connection)
            raise
        return self._going_on(connection, response, silence)

    def _going_on(
        self, connection: "_Connection", response: http.client.HTTPResponse, silence: float
    ) -> Iterator[Object]:
        try:
            left = b""
            while chunk := response.read1(_CHUNK):
                *whole, left = (left + chunk).split(b"\n")
                yield from map(_object, whole)
            if left:
                yield _object(left)
        except (OSError, http.client.HTTPException, ValueError) as fault:
            _raise(fault, silence, may_be_done=False)
        finally:
            self._drop(connection)

    def _asked(self, method: str, address: str, body: bytes | None, content_type: str) -> Answer:
        end = time.monotonic() + self._timeout
        connection = self._connected(self._timeout)
        is_kept = False
        try:
            response = connection.sent(method, address, body, content_type)
            text = connection.read(response, end, partial(self._tell, address.partition("?")[0]))
            answer = _answer(response, text)
            is_kept = not response.will_close
        except (OSError, http.client.HTTPException) as fault:
            _raise(fault, self._timeout, may_be_done=True)
        finally:
            if is_kept:
                self._keep(connection)
            else:
                self._drop(connection)
        return answer

    def _connected(self, timeout: float) -> "_Connection":
        """An idle connection: a kept one, else a new one."""
        with self._lock:
            connection = self._idle.pop() if self._idle else _Connection(self._path)
            self._open.add(connection)
            is_closed = self._is_closed
        try:
            if is_closed:
                raise NoAnswerError("the connection is closed", may_be_done=False)
            connection.open(timeout)
        except (FileNotFoundError, ConnectionRefusedError):
            self._drop(connection)
            raise ProxyGoneError from None
        except OSError as fault:
            self._drop(connection)
            raise NoAnswerError(f"kubectl proxy does not answer: {fault}", may_be_done=False) from None
        return connection

    def _keep(self, connection: "_Connection") -> None:
        with self._lock:
            is_closed = self._is_closed
            if not is_closed:
                self._idle.append(connection)
        if is_closed:
            self._drop(connection)

    def _drop(self, connection: "_Connection") -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()


class _Connection(http.client.HTTPConnection):
    """HTTP/1.1 over a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")  # the one host that kubectl proxy lets through
        self._path = path
        self._stream: socket.socket | None = None  # `sock` is None if the server is going to close it

    def open(self, timeout: float) -> None:
        """Connect, unless it is connected; every wait on it ends after `timeout` seconds."""
        if self._stream is not None:
            self._stream.settimeout(timeout)
            return
        self._stream = self.sock = socket.socket(socket.AF_UNIX)
        self._stream.settimeout(timeout)
        self._stream.connect(str(self._path))

    def sent(self, method: str, address: str, body: bytes | None, content_type: str) -> http.client.HTTPResponse:
        """Send a request; its answer, with the body not read yet."""
        headers = {"Accept": "application/json", "User-Agent": _USER_AGENT}
        self.request(method, address, body, {**headers, "Content-Type": content_type} if body else headers)
        return self.getresponse()

    def read(self, response: http.client.HTTPResponse, end: float, tell: Callable[[int], None]) -> bytes:
        """The body of an answer, which must be complete by a deadline, however slowly it arrives."""
        chunks = []
        while chunk := response.read(_CHUNK):
            chunks.append(chunk)
            tell(len(chunk))
            if self._stream is not None:
                self._stream.settimeout(max(0.001, end - time.monotonic()))
        return b"".join(chunks)

    def cut(self) -> None:
        """Abort the request in flight, from another thread."""
        if self._stream is not None:
            try:
                self._stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # the other side closed it first


def _address(path: str, query: Mapping[str, str] | None) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _answer(response: http.client.HTTPResponse, text: bytes) -> Answer:
    after = response.headers.get("Retry-After", "")
    try:
        body = _object(text)
    except ValueError:
        words = text.decode(errors="replace").strip()
        if not _is_refusal(response.status, words):
            raise NoAnswerError(f"{_without_answer(words)} (HTTP status {response.status})") from None
        body = {"message": words[:_SHOWN] or response.reason}
    return Answer(response.status, body, float(after) if after.isdecimal() else None, text)


def _is_refusal(status: int, words: str) -> bool:
    """Whether an answer that is no object still is one of the API server, not of what is on the way to it.

    Its handlers write plain text, such as "404 page not found" for a resource that it does not serve.
    """
    if status in _BUSY:
        return True
    return (status in _REFUSED and not words.startswith("<")) or (status == _FAILED and words.startswith(_OF_SERVER))


def _without_answer(words: str) -> str:
    if words.startswith("<"):
        told = " ".join(_TAG.sub(" ", words).split())[:_SHOWN]
        return f"got a web page instead of an answer from the API server: {told}"
    return f"the API server did not answer: {words[:_SHOWN] or 'the body is empty'}"


def _object(text: bytes) -> Object:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004 - what the text says is wrong, not what the caller gave
    return value


def _refuse_other_than_good(response: http.client.HTTPResponse) -> None:
    if response.status != http.client.OK:
        raise RequestRefusedError(_answer(response, response.read()))


def _raise(fault: Exception, timeout: float, *, may_be_done: bool) -> NoReturn:
    if isinstance(fault, TimeoutError):
        message = f"the API server did not answer within {timeout:g} s"
    else:
        message = f"the connection to the API server broke: {fault}"
    raise NoAnswerError(message, may_be_done=may_be_done) from None
