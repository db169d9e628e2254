"""etcd, and what tests need of it beside its use by the API server, through its HTTP gateway."""

from __future__ import annotations

import base64
import json
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

from tests.apimachinery.process import Process

_START_S: Final = 60.0
_CALL_S: Final = 30.0


class Etcd:
    """An etcd with one member and no data but in *folder*; it runs from the moment this is made."""

    def __init__(self, program: Path, folder: Path, *, host: str, client_port: int, peer_port: int) -> None:
        self._address = host, client_port
        self.url = f"http://{host}:{client_port}"
        command: list[str | Path] = [program, "--data-dir", folder / "data", "--advertise-client-urls", self.url]
        command += ["--listen-client-urls", self.url, "--listen-peer-urls", f"http://{host}:{peer_port}"]
        self._process = Process(command, folder / "etcd.log")
        self._process.wait_until(self._answers, "answer", within_s=_START_S)

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()

    def revision(self) -> int:
        """The revision of the last change: what the API server calls resourceVersion."""
        return int(self._call("kv/range", {"key": _coded("/")})["header"]["revision"])

    def compact(self) -> None:
        """Forget what was before the last change."""
        self._call("kv/compaction", {"revision": self.revision(), "physical": True})

    def read(self, prefix: str) -> dict[str, str]:
        """Give all keys that begin with *prefix*, and their values, both in base64."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        found = self._call("kv/range", {"key": _coded(prefix), "range_end": _coded(end)})
        return {pair["key"]: pair["value"] for pair in found.get("kvs", ())}

    def write(self, values: dict[str, str]) -> None:
        """Set keys to values, both in base64, each in a revision of its own."""
        for key, value in values.items():
            self._call("kv/put", {"key": key, "value": value})

    def _answers(self) -> bool:
        try:
            self.revision()
        except (OSError, HTTPException, RuntimeError):
            return False
        return True

    def _call(self, method: str, said: dict[str, Any]) -> dict[str, Any]:
        connection = HTTPConnection(*self._address, timeout=_CALL_S)
        try:
            connection.request("POST", f"/v3/{method}", json.dumps(said))
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise RuntimeError(f"etcd {method}: {response.status} {answer.decode(errors='replace')}")
        return dict(json.loads(answer))


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
