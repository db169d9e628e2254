"""Start and stop the processes of etcd and of the real API server."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.apimachinery import certificates
from tests.apimachinery.etcd import Etcd
from tests.apimachinery.process import Process

Ready = Callable[[], bool]

_HOST: Final = "127.0.0.1"
_READY_S: Final = 120.0
_PREFIX: Final = "/registry/apiextensions.kubernetes.io/"
"""The prefix of the keys in etcd under which the API server stores all objects."""
_NO_ADMISSION: Final = (
    *("NamespaceLifecycle", "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"),
    *("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"),
)
"""Admission plug-ins that require kinds which this API server does not serve."""


class Servers:
    """An etcd process, which runs at once, and an API server process, which runs after `start`, on fixed ports.

    Attributes:
        url: the URL of the API server.
        certificates: the certificates of the API server and of its administrator.
        etcd: the current etcd process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.certificates = certificates.create_certificates(folder)
        self._port, *self._etcd_ports = _find_free_ports(3)
        self.url = f"https://{_HOST}:{self._port}"
        self._config = self.kubeconfig(folder / "kubeconfig")
        self._api: Process | None = None
        self._etcds = 0
        self.etcd = self._start_etcd()

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for the administrator to *path*, with one context `test`, and return *path*."""
        files = self.certificates.admin
        cluster = {"server": self.url, "certificate-authority-data": _encode_file(self.certificates.ca.certificate)}
        user = {"client-certificate-data": _encode_file(files.certificate), "client-key-data": _encode_file(files.key)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "admin", "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
            "current-context": "test",
        }
        path.write_text(json.dumps(config, indent=2), encoding="utf-8")  # JSON is YAML
        return path

    def start(self, ready: Ready) -> None:
        """Start the API server, and wait until *ready* returns True.

        Raises:
            RuntimeError: the API server did not become ready.
        """
        self._api = Process(self._build_command(), self._folder / "apiserver.log")
        self.wait_until(ready, "list of CRDs and their objects")

    def wait_until(self, ready: Ready, what: str) -> None:
        """Wait until *ready* returns True. *what* describes the condition in error messages.

        Raises:
            RuntimeError: the API server is not running, or the condition was not met in time.
        """
        if self._api is None:
            raise RuntimeError("the API server is not running")
        self._api.wait_until(ready, what, within_s=_READY_S)

    def kill(self) -> None:
        """Kill the API server if it is running."""
        if self._api is not None:
            self._api.kill()
            self._api = None

    def replace_etcd(self, *, keep: bool) -> None:
        """Replace etcd by a new one with a new history. *keep* copies all data; otherwise only the CRDs are copied."""
        values = self.etcd.read(_PREFIX if keep else f"{_PREFIX}apiextensions.k8s.io/")
        self.etcd.kill()
        self.etcd = self._start_etcd()
        self.etcd.write(values)

    def forget(self) -> None:
        """Compact etcd, including the version of the last change.

        The API server still has older versions in its cache until it is killed.
        """
        self.etcd.write({base64.b64encode(b"/forgotten").decode(): ""})
        self.etcd.compact()

    def close(self) -> None:
        """Kill the API server and etcd."""
        self.kill()
        self.etcd.kill()

    def _start_etcd(self) -> Etcd:
        self._etcds += 1
        folder = self._folder / f"etcd-{self._etcds}"
        folder.mkdir()
        client_port, peer_port = self._etcd_ports
        return Etcd(folder, host=_HOST, client_port=client_port, peer_port=peer_port)

    def _build_command(self) -> list[str | Path]:
        made, files = self.certificates, self.certificates.server
        return [
            *("apiextensions-apiserver", "--etcd-servers", self.etcd.url),
            "--etcd-compaction-interval=0",  # tests compact the history themselves
            *("--bind-address", _HOST, "--secure-port", str(self._port)),
            *("--tls-cert-file", files.certificate, "--tls-private-key-file", files.key),
            *("--client-ca-file", made.ca.certificate, "--authentication-skip-lookup"),
            *("--authentication-kubeconfig", self._config, "--authorization-kubeconfig", self._config),
            *("--kubeconfig", self._config, "--enable-priority-and-fairness=false"),
            *("--disable-admission-plugins", ",".join(_NO_ADMISSION)),
        ]


def _find_free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((_HOST, 0))) for _ in range(count)]
        return [opened.getsockname()[1] for opened in sockets]


def _encode_file(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
