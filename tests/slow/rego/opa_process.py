"""A real Open Policy Agent on loopback."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.kubernetes.process import Process
from tests.nameservers import HOST, free_port
from tests.required_programs import require_program

_READY_S: Final = 30.0


class OpaProcess:
    """An OPA server, from `__enter__` to `__exit__`. It can be killed, stopped for a while, and started again.

    Attributes:
        url: as `--opa-url` takes it.
    """

    def __init__(
        self, folder: Path, *arguments: str, policies: Mapping[str, str] | None = None, tls: bool = False
    ) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"{'https' if tls else 'http'}://{HOST}:{self._port}"
        self._policies = dict(policies or {})
        self._command: Sequence[str] = (
            *(require_program("rules in Rego", "opa"), "run", "--server", "--log-level=error"),
            *(f"--addr={HOST}:{self._port}", "--shutdown-grace-period=0", "--skip-version-check", *arguments),
        )
        self._running: Process | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server, wait until it answers, and load the policies."""
        self._running = Process(self._command, self._folder / "opa.log")
        self._running.wait_until(self._is_ready, "answer", within_s=_READY_S)
        for policy, text in self._policies.items():
            self.put_policy(policy, text)

    def kill(self) -> None:
        """End the server as `kill -9` does."""
        if self._running is not None:
            self._running.kill()
        self._running = None

    def put_policy(self, policy: str, text: str) -> None:
        assert self.request("PUT", f"/v1/policies/{policy}", text)[0] == http.client.OK

    def put_data(self, path: str, value: object) -> None:
        assert self.request("PUT", f"/v1/data/{path}", json.dumps(value))[0] < http.client.MULTIPLE_CHOICES

    def request(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        return _request(self._port, method, path, body)

    def _is_ready(self) -> bool:
        """Return whether the server answers, if only that it takes no request without TLS or a token."""
        try:
            return bool(_request(self._port, "GET", "/health"))
        except OSError:
            return False


def _request(port: int, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=_READY_S)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
