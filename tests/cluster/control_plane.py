"""A kube-apiserver with its etcd on loopback: no kubelet, no controllers, no scheduler."""

import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.cluster.api import PATIENCE, Api

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
APISERVER = CACHE / "sidecarctl-tests" / "kube-apiserver" / "kube-apiserver"
_TOKEN = "admin-token"  # noqa: S105 - of a server that ends with the tests


@contextmanager
def running_control_plane(folder: Path, disabled: Sequence[str] = ("ServiceAccount",)) -> Iterator["ControlPlane"]:
    """A server while it runs; `disabled` as in ControlPlane."""
    refuse_missing()
    started = ControlPlane(folder, disabled)
    try:
        started.start()
        yield started
    finally:
        started.stop()


class ControlPlane:
    """The two processes; what they hold lives in `folder`. Starting again keeps the port and the data.

    `disabled`: admission plugins to do without; ServiceAccounts are made by a controller, and none runs here.
    """

    def __init__(self, folder: Path, disabled: Sequence[str] = ("ServiceAccount",)) -> None:
        self.folder = folder
        self._disabled = disabled
        self.url = f"https://127.0.0.1:{free_port()}"
        self._etcd_url, self._peer_url = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self._etcd: subprocess.Popen[bytes] | None = None
        self._apiserver: subprocess.Popen[bytes] | None = None
        (folder / "tokens.csv").write_text(f'{_TOKEN},admin,admin,"system:masters"\n')

    def start(self) -> None:
        """Start both, and wait until they are ready."""
        self._etcd = self._started("etcd", self._etcd_words())
        self._await(self._etcd, f"{self._etcd_url}/health")
        self.start_apiserver()

    def start_apiserver(self) -> None:
        """Start only the API server, and wait until it is ready."""
        self._apiserver = self._started("kube-apiserver", self._apiserver_words())
        self._await(self._apiserver, f"{self.url}/readyz")

    def stop(self) -> None:
        """End both."""
        self.stop_apiserver()
        _end(self._etcd)

    def stop_apiserver(self) -> None:
        """End only the API server, at once: requests in flight are cut off."""
        self.thaw()
        _end(self._apiserver)

    def freeze(self) -> None:
        """Let the API server accept connections and answer nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen API server go on."""
        self._signal(signal.SIGCONT)

    def api(self) -> Api:
        """The API, as the one who may do everything."""
        return Api(self.url, self._certificate, _TOKEN)

    def kubeconfig(self, path: Path, *, user: str = "", token: str = _TOKEN, url: str = "") -> Path:
        """Write a kubeconfig with the context `test`; a `user` has no rights but those that a test binds to it."""
        cluster = {"server": url or self.url, "certificate-authority": str(self._certificate)}
        person = {"token": token, **({"as": user} if user else {})}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "test", "user": person}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        }
        path.write_text(yaml.safe_dump(config))
        return path

    @property
    def _certificate(self) -> Path:
        return self.folder / "pki" / "apiserver.crt"

    def _etcd_words(self) -> list[str]:
        return [
            "etcd",
            f"--data-dir={self.folder}/etcd",
            f"--listen-client-urls={self._etcd_url}",
            f"--advertise-client-urls={self._etcd_url}",
            f"--listen-peer-urls={self._peer_url}",
            f"--initial-advertise-peer-urls={self._peer_url}",
            f"--initial-cluster=default={self._peer_url}",
            "--unsafe-no-fsync",
        ]

    def _apiserver_words(self) -> list[str]:
        key = f"{self.folder}/pki/apiserver.key"  # the server makes it, with its certificate, when it first starts
        return [
            str(APISERVER),
            f"--etcd-servers={self._etcd_url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.url.rpartition(':')[2]}",
            "--endpoint-reconciler-type=none",
            f"--cert-dir={self.folder}/pki",
            f"--token-auth-file={self.folder}/tokens.csv",
            "--anonymous-auth=false",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--allow-privileged",  # as kubeadm and all providers have it
            *([f"--disable-admission-plugins={','.join(self._disabled)}"] if self._disabled else []),
        ]

    def _started(self, name: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def _await(self, process: subprocess.Popen[bytes], url: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if process.poll() is not None:
                break
            if self._is_healthy(url):
                return
            time.sleep(0.05)
        logs = "".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
        self.stop()
        pytest.fail(f"no answer from {url}; the servers said last:\n{logs}")

    def _is_healthy(self, url: str) -> bool:
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {_TOKEN}"})  # noqa: S310 - loopback
        try:
            trusted = ssl.create_default_context(cafile=self._certificate) if url.startswith("https") else None
            with urllib.request.urlopen(request, context=trusted, timeout=5) as answer:  # noqa: S310 - loopback
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def _signal(self, number: signal.Signals) -> None:
        if self._apiserver is not None and self._apiserver.poll() is None:
            self._apiserver.send_signal(number)


def refuse_missing() -> None:
    """Fail if something is missing: a requested cluster test is never skipped."""
    missing = [name for name in ("etcd", "kubectl") if shutil.which(name) is None]
    missing += [] if APISERVER.exists() else [str(APISERVER)]
    if missing:
        pytest.fail(f"missing: {', '.join(missing)}; make test-cluster says how to get it")


def free_port() -> int:
    """A port of loopback that nothing uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.poll() is None:
        process.kill()
        process.wait()
