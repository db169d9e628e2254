"""etcd and the API server as processes: where they listen, how they start, and what one keeps for the other."""

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
from tests.apimachinery.programs import Programs

Ready = Callable[[], bool]

_HOST: Final = "127.0.0.1"
_READY_S: Final = 120.0
_PREFIX: Final = "/registry/apiextensions.kubernetes.io/"
"""Where the API server keeps everything in etcd."""
_NO_ADMISSION: Final = (
    *("NamespaceLifecycle", "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"),
    *("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"),
)
"""Plug-ins that ask for kinds which are not there."""


class Servers:
    """Both servers, on ports that stay the same; etcd runs from the moment this is made, the API server from `start`.

    Attributes:
        url: of the API server.
        certificates: its own, and those of its administrator.
        etcd: the one in use.
    """

    def __init__(self, programs: Programs, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self.certificates = certificates.make(folder)
        self._port, *self._etcd_ports = _free_ports(3)
        self.url = f"https://{_HOST}:{self._port}"
        self._config = self.kubeconfig(folder / "kubeconfig")
        self._api: Process | None = None
        self._etcds = 0
        self.etcd = self._new_etcd()

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for the administrator, with one context, called `test`; gives *path*."""
        pair = self.certificates.admin
        cluster = {"server": self.url, "certificate-authority-data": _inlined(self.certificates.ca.certificate)}
        user = {"client-certificate-data": _inlined(pair.certificate), "client-key-data": _inlined(pair.key)}
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
        """Start the API server, and wait until it is *ready*.

        Raises:
            RuntimeError: It did not come to that.
        """
        self._api = Process(self._command(), self._folder / "apiserver.log")
        self.wait_until(ready, "list of CRDs and their objects")

    def wait_until(self, ready: Ready, what: str) -> None:
        """Wait for something that the API server does.

        Raises:
            RuntimeError: It is not running, or does not do it.
        """
        if self._api is None:
            raise RuntimeError("the API server is not running")
        self._api.wait_until(ready, what, within_s=_READY_S)

    def kill(self) -> None:
        """Kill the API server, if it runs."""
        if self._api is not None:
            self._api.kill()
            self._api = None

    def replace_etcd(self, *, keep: bool) -> None:
        """Put another etcd in place of this one, with its data: all, or the CRDs alone, in a history of its own."""
        kept = self.etcd.read(_PREFIX if keep else f"{_PREFIX}apiextensions.k8s.io/")
        self.etcd.kill()
        self.etcd = self._new_etcd()
        self.etcd.write(kept)

    def forget(self) -> None:
        """Have etcd forget its history, the version of the last change included.

        The API server remembers more than etcd does, until it is killed.
        """
        self.etcd.write({base64.b64encode(b"/forgotten").decode(): ""})
        self.etcd.compact()

    def close(self) -> None:
        """Kill both."""
        self.kill()
        self.etcd.kill()

    def _new_etcd(self) -> Etcd:
        self._etcds += 1
        folder = self._folder / f"etcd-{self._etcds}"
        folder.mkdir()
        client_port, peer_port = self._etcd_ports
        return Etcd(self._programs.etcd, folder, host=_HOST, client_port=client_port, peer_port=peer_port)

    def _command(self) -> list[str | Path]:
        made, pair = self.certificates, self.certificates.server
        return [
            *(self._programs.apiserver, "--etcd-servers", self.etcd.url),
            "--etcd-compaction-interval=0",  # history ends when a test says so
            *("--bind-address", _HOST, "--secure-port", str(self._port)),
            *("--tls-cert-file", pair.certificate, "--tls-private-key-file", pair.key),
            *("--client-ca-file", made.ca.certificate, "--authentication-skip-lookup"),
            *("--authentication-kubeconfig", self._config, "--authorization-kubeconfig", self._config),
            *("--kubeconfig", self._config, "--enable-priority-and-fairness=false"),
            *("--disable-admission-plugins", ",".join(_NO_ADMISSION)),
        ]


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((_HOST, 0))) for _ in range(count)]
        return [opened.getsockname()[1] for opened in sockets]


def _inlined(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
