"""Start and stop the processes of a control plane: etcd, kube-apiserver and kube-controller-manager."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

from tests.kubernetes import certificates
from tests.kubernetes.etcd import Etcd
from tests.kubernetes.process import Process

Ready = Callable[[], bool]

_HOST: Final = "127.0.0.1"
_READY_S: Final = 240.0
_BOTH_ANSWER: Final = 20
"""After so many connections, each of two servers that share a port has surely had one."""
_STARTS: Final = 4
_REGISTRY: Final = "/registry/"
"""The prefix of the keys in etcd under which the API server stores all objects."""
ISSUER: Final = "https://kubernetes.default.svc"
_AUDIT: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [{"level": "Metadata", "userGroups": ["system:serviceaccounts"]}, {"level": "None"}],
}
"""What pods request. A watch is written when it ends."""
_QUIET: Final = (
    "--endpoint-reconciler-type=none",
    "--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false",
)
"""Without writes by the API server itself, so that a test can tell what its requests wrote."""


class Servers:
    """The processes of a control plane on fixed ports. etcd runs at once, the others after `start`.

    Attributes:
        minor: the version of Kubernetes, as `1.37`.
        url: the URL of the API server.
        certificates: the certificates of the API server and of its administrator.
        accounts: the key with which ServiceAccount tokens are signed, and its certificate.
        audit_log: the audit log: what requests with ServiceAccount tokens did.
        etcd: the current etcd process.
    """

    def __init__(self, minor: str, folder: Path, *, etcd: str, flags: Sequence[str] = ()) -> None:
        """Start the program *etcd*. *flags* are further ones of the API server."""
        self.minor = minor
        self._etcd_program = etcd
        self._flags = flags
        self._folder = folder
        self.certificates = certificates.create_certificates(folder)
        self.accounts = certificates.create_certificate_files(folder, "accounts", "/CN=service-accounts")
        self._port, *self._etcd_ports = _find_free_ports(3)
        self.url = f"https://{_HOST}:{self._port}"
        self._config = self.kubeconfig(folder / "kubeconfig")
        self._audit_policy = folder / "audit.json"
        self._audit_policy.write_text(json.dumps(_AUDIT), encoding="utf-8")
        self.audit_log = folder / "audit.log"
        self._api: Process | None = None
        self._controllers: Process | None = None
        self._etcds = 0
        self.etcd = self._start_etcd(self._new_data_folder())

    def kubeconfig(self, path: Path, *, token_file: Path | None = None, namespace: str = "default") -> Path:
        """Write a kubeconfig with one context `test` to *path*, and return *path*.

        The user is the administrator, or who has the ServiceAccount token in *token_file*.
        """
        user: dict[str, Any] = {}
        if token_file is None:
            files = self.certificates.admin
            user["client-certificate-data"] = _encode_file(files.certificate)
            user["client-key-data"] = _encode_file(files.key)
        else:
            user["tokenFile"] = str(token_file)
        cluster = {"server": self.url, "certificate-authority-data": _encode_file(self.certificates.ca.certificate)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "user", "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user", "namespace": namespace}}],
            "current-context": "test",
        }
        path.write_text(json.dumps(config, indent=2), encoding="utf-8")  # JSON is YAML
        return path

    @property
    def is_running(self) -> bool:
        return self._api is not None

    def start(self, ready: Ready) -> None:
        """Start the API server, wait until *ready* returns True, and start the controllers."""
        self._api = Process(self._build_api_command(), self._folder / "kube-apiserver.log")
        self.wait_until(ready, "ready API server")
        self._controllers = Process(self._build_controller_command(), self._folder / "kube-controller-manager.log")

    def roll(self, ready: Ready) -> None:
        """Start another API server on the same port, wait until both are ready, and end the first one with SIGTERM."""
        first = self._api
        try:
            for _ in range(_STARTS):
                self._api = Process(self._build_api_command(), self._folder / "kube-apiserver.log")
                with suppress(
                    RuntimeError
                ):  # its calls to itself reached the first one: start it again, as a kubelet does
                    self.wait_until(lambda: all(ready() for _ in range(_BOTH_ANSWER)), "two ready API servers")
                    return
            raise RuntimeError("the second API server did not become ready")
        finally:
            if first is not None:
                first.end()

    def wait_until(self, ready: Ready, what: str) -> None:
        """Wait until *ready* returns True. *what* describes the condition in error messages."""
        if self._api is None:
            raise RuntimeError("the API server is not running")
        self._api.wait_until(ready, what, within_s=_READY_S)

    def kill(self) -> None:
        for process in (self._controllers, self._api):
            if process is not None:
                process.kill()
        self._controllers = self._api = None

    def replace_etcd(self, *, keep: bool) -> None:
        """Replace etcd by a new one with a new history. *keep* copies all data; otherwise only the CRDs are copied."""
        values = self.etcd.read(_REGISTRY if keep else f"{_REGISTRY}apiextensions.k8s.io/")
        self.etcd.kill()
        self.etcd = self._start_etcd(self._new_data_folder())
        self.etcd.write(values)

    def copy_data(self) -> Path:
        """Return the folder of a copy of etcd's data, which a snapshot would have. etcd is restarted for that."""
        copy = self._new_data_folder()
        self.etcd.stop_and_copy(copy)
        self.etcd = self._start_etcd(self.etcd.folder)
        return copy

    def restore_data(self, copy: Path) -> None:
        self.etcd.kill()
        self.etcd = self._start_etcd(copy)

    def forget(self) -> None:
        """Compact etcd, including the version of the last change.

        The API server still has older versions in its cache until it is killed.
        """
        self.etcd.write({base64.b64encode(b"/forgotten").decode(): ""})
        self.etcd.compact()

    def close(self) -> None:
        self.kill()
        self.etcd.kill()

    def _new_data_folder(self) -> Path:
        self._etcds += 1
        return self._folder / f"etcd-{self._etcds}"

    def _start_etcd(self, data: Path) -> Etcd:
        client_port, peer_port = self._etcd_ports
        return Etcd(self._etcd_program, data, host=_HOST, client_port=client_port, peer_port=peer_port)

    def _build_api_command(self) -> list[str | Path]:
        made, files = self.certificates, self.certificates.server
        return [
            *(f"kube-apiserver-{self.minor}", "--etcd-servers", self.etcd.url),
            "--etcd-compaction-interval=0",  # tests compact the history themselves
            *("--bind-address", _HOST, "--secure-port", str(self._port), "--advertise-address=192.0.2.1"),
            "--permit-port-sharing",  # by two at a time, between which the kernel distributes connections
            "--shutdown-watch-termination-grace-period=5s",  # else open watches delay the end for a minute
            *("--tls-cert-file", files.certificate, "--tls-private-key-file", files.key),
            *("--client-ca-file", made.ca.certificate, "--authorization-mode=RBAC"),
            *("--service-account-issuer", ISSUER, "--service-cluster-ip-range=10.96.0.0/12"),
            *("--service-account-key-file", self.accounts.certificate),
            *("--service-account-signing-key-file", self.accounts.key),
            *("--audit-policy-file", self._audit_policy, "--audit-log-path", self.audit_log),
            *_QUIET,
            *self._flags,
        ]

    def _build_controller_command(self) -> list[str | Path]:
        return [
            *(f"kube-controller-manager-{self.minor}", "--kubeconfig", self._config),
            *("--service-account-private-key-file", self.accounts.key),
            *("--root-ca-file", self.certificates.ca.certificate),
            *("--leader-elect=false", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=1000"),
            "--controllers=*,-node-lifecycle-controller",  # nodes of tests send no heartbeats
        ]


def _find_free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((_HOST, 0))) for _ in range(count)]
        return [opened.getsockname()[1] for opened in sockets]


def _encode_file(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
