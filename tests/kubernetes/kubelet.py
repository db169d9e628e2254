"""A stand-in for the kubelet of a node, which runs the containers of extdns's image as processes of this machine."""

from __future__ import annotations

import base64
import re
import ssl
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from tests.external_dns import is_serving
from tests.fakes.apiserver.raw_client import MERGE
from tests.kubernetes.cluster import Cluster, Json
from tests.kubernetes.process import Process
from tests.nameservers import HOST, free_port
from tests.program.process import environment

NODE: Final = "node"
_POLL_S: Final = 0.1
_PODS: Final = "/api/v1/pods"
_OF_THE_POD: Final = ("--metrics-address", "--live-page-address", "--audit-log")
_ELSEWHERE: Final = {"EXTERNAL_DNS_WEB_ADDRESS": "127.0.0.1:0"}
_PORT: Final = re.compile(r"Serving health and metrics.* port=(\d+)")
_WEBHOOK: Final = "registry.k8s.io/external-dns/external-dns:"
_SERVICE: Final = re.compile(r"http://[a-z.-]+:7979/")


def adapt_arguments(arguments: Sequence[str], kubeconfig: Path) -> list[str]:
    """Return the arguments of a container as a process of this machine needs them."""
    given = [one for one in arguments if not one.startswith(_OF_THE_POD)]
    return [*given, "--metrics-address=127.0.0.1:0", f"--kubeconfig={kubeconfig}"]


class _Container:
    def __init__(self, command: Sequence[str], log: Path, variables: Mapping[str, str], *, is_webhook: bool) -> None:
        self.log = log
        self._is_webhook = is_webhook
        self.process = Process(command, log, environment(**variables))

    def find_address(self) -> str:
        """Return the URL of health and metrics, or "" before there is one."""
        found = _PORT.search(self.log.read_text(encoding="utf-8"))
        return f"http://127.0.0.1:{found[1]}/" if found else ""

    def end(self) -> None:
        """End the process, as after the grace period if it is external-dns as a webhook, which ignores SIGTERM."""
        if self._is_webhook:
            self.process.kill()
        else:
            self.process.end()

    def is_ready(self) -> bool:
        if self._is_webhook:
            return is_serving()
        try:
            return bool(address := self.find_address()) and urlopen(f"{address}readyz").status == HTTPStatus.OK
        except (HTTPError, OSError):
            return False


class Kubelet:
    """Runs pods with the token of their ServiceAccount, sets their status, and shows their logs, until `__exit__`.

    Beside extdns, external-dns can run as a webhook. Containers of other images are never started. There are no
    volumes, and no `kubectl exec`.
    """

    def __init__(
        self,
        cluster: Cluster,
        folder: Path,
        *,
        variables: Mapping[str, str],
        replaced: Mapping[str, str],
        more: Sequence[str] = (),
    ) -> None:
        """Pass *variables* of the environment and the arguments *more* to each process, and *replaced* arguments."""
        self._cluster = cluster
        self._folder = folder
        self._variables = variables
        self._replaced = replaced
        self._more = more
        self._pods: dict[str, dict[str, _Container]] = {}
        self._ended = Event()
        self._thread = Thread(target=self._run)
        self._error: Exception | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _build_handler(self._find_log, self._ended))

    def __enter__(self) -> Self:
        files = self._cluster.certificates.server
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        port = {"kubeletEndpoint": {"Port": self._server.server_address[1]}}
        status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": port}
        self._cluster.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}, "status": status})
        Thread(target=self._server.serve_forever, daemon=True).start()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._server.shutdown()
        self._server.server_close()
        for containers in self._pods.values():
            for container in containers.values():
                container.process.kill()
        pods = ("pods", "--all-namespaces", f"--field-selector=spec.nodeName={NODE}")
        self._cluster.kubectl("delete", *pods, "--force")
        self._cluster.delete("Node", "", NODE)
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            while not self._ended.wait(_POLL_S):
                for pod in self._cluster.raw_client.get(_PODS).body["items"]:
                    self._handle(pod)
        except Exception as exc:  # noqa: BLE001 - raised in the thread of the test
            self._error = exc

    def _handle(self, pod: Json) -> None:
        uid = pod["metadata"]["uid"]
        images = [one["image"] for one in pod["spec"]["containers"]]
        if "/extdns:" not in images[0] or not all("/extdns:" in one or one.startswith(_WEBHOOK) for one in images):
            return
        if "deletionTimestamp" in pod["metadata"]:
            for container in self._pods.get(uid, {}).values():
                container.end()
            self._send("DELETE", pod, "?gracePeriodSeconds=0")
        elif uid not in self._pods:
            metadata = {"name": pod["metadata"]["name"]}
            self._send("POST", pod, "/binding", {"metadata": metadata, "target": {"kind": "Node", "name": NODE}})
            self._pods[uid] = self._start(pod)
        else:
            self._send("PATCH", pod, "/status", {"status": _find_status(self._pods[uid])})

    def _send(self, method: str, pod: Json, path: str, body: Any = None) -> None:  # noqa: ANN401 - any JSON
        where = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}{path}"
        reply = self._cluster.raw_client.send(
            method, where, body, content_type=MERGE if method == "PATCH" else "application/json"
        )
        assert reply.code in {200, 201, 404}, reply

    def _start(self, pod: Json) -> dict[str, _Container]:
        namespace, uid = pod["metadata"]["namespace"], pod["metadata"]["uid"]
        token = self._folder / f"{uid}.token"
        token.write_text(self._cluster.create_token(namespace, pod["spec"]["serviceAccountName"]), encoding="utf-8")
        kubeconfig = self._cluster.kubeconfig(self._folder / f"{uid}.yaml", token_file=token, namespace=namespace)
        found = {}
        for one in pod["spec"]["containers"]:
            log = self._folder / f"{uid}-{one['name']}.log"
            variables = {entry["name"]: self._find_value(pod, entry) for entry in one.get("env", ())}
            command = self._build_command(one, kubeconfig)
            variables |= {**_ELSEWHERE, **self._variables}
            found[one["name"]] = _Container(command, log, variables, is_webhook=one["image"].startswith(_WEBHOOK))
        return found

    def _build_command(self, container: Json, kubeconfig: Path) -> list[str]:
        if "command" in container:
            return [sys.executable, *(_SERVICE.sub(self._find_service(), one) for one in container["command"][1:])]
        arguments = [self._replaced.get(one, one) for one in container["args"]]
        if container["image"].startswith(_WEBHOOK):
            given = (one for one in arguments if not one.startswith("--metrics-address"))
            return ["external-dns-0.22", *given, f"--metrics-address={HOST}:{free_port()}"]
        return [sys.executable, "-m", "extdns", *adapt_arguments(arguments, kubeconfig), *self._more]

    def _find_service(self) -> str:
        """Return the URL of a process that is ready, to which the Service leads, or one at which nothing answers."""
        found = (one for containers in self._pods.values() for one in containers.values() if one.is_ready())
        return next(filter(None, (one.find_address() for one in found)), "http://127.0.0.1:1/")

    def _find_value(self, pod: Json, entry: Json) -> str:
        match entry:
            case {"valueFrom": {"fieldRef": {"fieldPath": path}}}:
                return str(pod["metadata"][path.removeprefix("metadata.")])
            case {"valueFrom": {"secretKeyRef": {"name": name, "key": key}}}:
                where = f"/api/v1/namespaces/{pod['metadata']['namespace']}/secrets/{name}"
                return base64.b64decode(self._cluster.raw_client.get(where).body["data"][key]).decode()
            case _:
                return str(entry["value"])

    def _find_log(self, namespace: str, pod: str, container: str) -> Path:
        found = self._cluster.get("Pod", namespace, pod)
        assert found is not None
        return self._pods[found["metadata"]["uid"]][container].log


def _find_status(containers: Mapping[str, _Container]) -> Json:
    codes = [one.process.poll() for one in containers.values()]
    ready = all(one.is_ready() for one in containers.values())
    phase = "Running" if None in codes else "Failed" if any(codes) else "Succeeded"
    return {"phase": phase, "conditions": [{"type": "Ready", "status": str(ready)}]}


def _build_handler(find_log: Callable[..., Path], ended: Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            at = urlsplit(self.path)
            log = find_log(*at.path.split("/")[2:5])
            self.send_response(HTTPStatus.OK)
            self.end_headers()
            with log.open("rb") as lines, suppress(OSError):  # the reader of the log has gone
                self.wfile.write(lines.read())
                while "follow=true" in at.query and not ended.wait(_POLL_S):
                    self.wfile.write(lines.read())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
            """Print no log lines."""

    return Handler
