"""A stand-in for kube-mgmt, which keeps its contract between a fake API server and a real Open Policy Agent.

It watches ConfigMaps, loads policies from those with the label `openpolicyagent.org/policy=rego` under the id
`namespace/name/key`, and data from those with `openpolicyagent.org/data=opa`. The result is in the annotation
`openpolicyagent.org/kube-mgmt-status`.
"""

from __future__ import annotations

import http.client
import json
import threading
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlsplit

from tests.fakes.apiserver.server import ApiServer
from tests.slow.rego.opa_process import OpaProcess

STATUS: Final = "openpolicyagent.org/kube-mgmt-status"
POLICY_LABEL: Final = "openpolicyagent.org/policy"
DATA_LABEL: Final = "openpolicyagent.org/data"
_TIMEOUT_S: Final = 60.0


def build_config_map(name: str, label: str = POLICY_LABEL, **data: str) -> dict[str, Any]:
    """Build a ConfigMap with policies in the namespace `dns`; a key `a_rego` becomes `a.rego`."""
    value = "rego" if label == POLICY_LABEL else "opa"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "dns", "uid": name, "labels": {label: value}},
        "data": {key.replace("_", "."): text for key, text in data.items()},
    }


class KubeMgmt:
    """Loads ConfigMaps of *server* into *opa*, from `__enter__` to `__exit__`."""

    def __init__(self, server: ApiServer, opa: OpaProcess) -> None:
        self._server = server
        self._opa = opa
        self._loaded: dict[tuple[str, str], dict[str, str]] = {}
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closing = True
        self._server.end_watches(kind="ConfigMap")
        self._thread.join(_TIMEOUT_S)

    def load_all(self) -> None:
        """Load everything again, as kube-mgmt does when it finds an Open Policy Agent without policies."""
        self._loaded.clear()
        for one in self._server.objects("ConfigMap"):
            self._apply(one)

    def _run(self) -> None:
        while not self._is_closing:
            status, listed = self._send("GET", "/api/v1/configmaps")
            assert status == http.client.OK
            found = json.loads(listed)
            for one in found["items"]:
                self._apply(one)
            self._watch(found["metadata"]["resourceVersion"])

    def _watch(self, version: str) -> None:
        connection = self._connect()
        try:
            connection.request("GET", f"/api/v1/configmaps?watch=1&resourceVersion={version}")
            answer = connection.getresponse()
            while line := answer.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                if event["type"] != "BOOKMARK":
                    self._apply(event["object"], is_deleted=event["type"] == "DELETED")
        finally:
            connection.close()

    def _apply(self, config_map: dict[str, Any], *, is_deleted: bool = False) -> None:
        metadata = config_map["metadata"]
        labels = metadata.get("labels") or {}
        config_map_name = (metadata["namespace"], metadata["name"])
        data = {} if is_deleted else dict(config_map.get("data") or {})
        is_policy = labels.get(POLICY_LABEL) == "rego"
        if self._loaded.get(config_map_name) == data or not (is_policy or labels.get(DATA_LABEL) == "opa"):
            return
        former, self._loaded[config_map_name] = self._loaded.get(config_map_name, {}), data
        base = "/v1/policies" if is_policy else "/v1/data"
        for key in former.keys() - data.keys():
            self._opa.request("DELETE", f"{base}/{'/'.join(config_map_name)}/{key}")
        errors = []
        for key, text in data.items():
            status, body = self._opa.request("PUT", f"{base}/{'/'.join(config_map_name)}/{key}", text)
            if status >= http.client.MULTIPLE_CHOICES:
                errors.append(json.loads(body))
        if not is_deleted:
            self._annotate(config_map_name, {"status": "error", "error": errors[0]} if errors else {"status": "ok"})

    def _annotate(self, config_map_name: tuple[str, str], status: dict[str, Any]) -> None:
        namespace, name = map(quote, config_map_name)
        body = json.dumps({"metadata": {"annotations": {STATUS: json.dumps(status)}}})
        path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
        self._send("PATCH", path, body, {"Content-Type": "application/merge-patch+json"})

    def _send(
        self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        connection = self._connect()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        address = urlsplit(self._server.url)
        assert address.hostname is not None
        return http.client.HTTPConnection(address.hostname, address.port, timeout=_TIMEOUT_S)
