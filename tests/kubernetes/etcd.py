"""Run etcd for tests, and read, write and compact its data through its HTTP gateway."""

from __future__ import annotations

import base64
import json
import shutil
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

from tests.kubernetes.process import Process

_START_S: Final = 60.0
_CALL_S: Final = 30.0


class Etcd:
    """A running etcd *program* with one member.

    Attributes:
        folder: the folder of its data.
    """

    def __init__(self, program: str, folder: Path, *, host: str, client_port: int, peer_port: int) -> None:
        self._address = host, client_port
        self.url = f"http://{host}:{client_port}"
        self.folder = folder
        command: list[str | Path] = [program, "--data-dir", folder, "--unsafe-no-fsync"]
        command += ["--listen-client-urls", self.url, "--advertise-client-urls", self.url]
        command += ["--listen-peer-urls", f"http://{host}:{peer_port}"]
        self._process = Process(command, folder.with_suffix(".log"))
        self._process.wait_until(self._is_ready, "answer", within_s=_START_S)

    def kill(self) -> None:
        """Kill the etcd process and delete its data: each etcd allocates 128 MB, and a test starts many."""
        self._process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop_and_copy(self, copy: Path) -> None:
        self._process.kill()
        shutil.copytree(self.folder, copy)

    def read_revision(self) -> int:
        """Return the revision of the last change. The API server shows it as resourceVersion."""
        return int(self._call("kv/range", {"key": _encode("/")})["header"]["revision"])

    def compact(self) -> None:
        """Delete the history of all keys before the last change."""
        self._call("kv/compaction", {"revision": self.read_revision(), "physical": True})

    def read(self, prefix: str) -> dict[str, str]:
        """Return the keys that begin with *prefix* and their values, both encoded in base64."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        found = self._call("kv/range", {"key": _encode(prefix), "range_end": _encode(end)})
        return {entry["key"]: entry["value"] for entry in found.get("kvs", ())}

    def write(self, values: dict[str, str], *, at_once: int = 1) -> None:
        """Store *values*, keys and values encoded in base64. Each revision has *at_once* of them, at most 128."""
        puts = [{"requestPut": {"key": key, "value": value}} for key, value in values.items()]
        for start in range(0, len(puts), at_once):
            self._call("kv/txn", {"success": puts[start : start + at_once]})

    def _is_ready(self) -> bool:
        try:
            self.read_revision()
        except (OSError, HTTPException, RuntimeError):
            return False
        return True

    def _call(self, method: str, document: dict[str, Any]) -> dict[str, Any]:
        connection = HTTPConnection(*self._address, timeout=_CALL_S)
        try:
            connection.request("POST", f"/v3/{method}", json.dumps(document))
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise RuntimeError(f"etcd {method}: {response.status} {answer.decode(errors='replace')}")
        return dict(json.loads(answer))


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
