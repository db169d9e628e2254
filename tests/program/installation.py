"""The whole program, with everything that it is connected to: a cluster or manifests, and zone files or a DNS service.

    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("web"))
        with installation.start() as running:
            running.until("successfully updated")
        assert installation.zones.published() == ["web.example.org A 192.0.2.1"]

Without a server, extdns reads manifests (`replace_manifests`), which is how most commands and single runs are tested.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Final
from unittest.mock import patch

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.clocks import ShiftedClock
from tests.objects import Json
from tests.program.running import HANGS_S, Running, run_in_background
from tests.program.zone_files import ZoneFiles

USAGE: Final = 1
"""The exit code of a usage error."""
_NEVER_SET: Final = Event()
SOURCES: Final = ("service", "ingress")


class Installation:
    """One installation of extdns, of which processes can be started.

    Attributes:
        manifests: the folder of manifests; extdns reads it unless there is a server.
        zones: the zone files; extdns uses them unless *dns_flags* name another DNS service.
    """

    def __init__(
        self,
        root: Path,
        server: ApiServer | None = None,
        *,
        sources: Sequence[str] = SOURCES,
        dns_flags: Sequence[str] = (),
        **zones: str,
    ) -> None:
        """Create the zone files of *zones*: zone name, with _ for dots, to the record lines that people wrote.

        Args:
            root: an empty folder.
            server: the API server, if extdns reads objects from one.
            sources: the names of the sources; flags can add others.
            dns_flags: the flags of the DNS service, if records are not published into zone files.
            **zones: the zone files.
        """
        self.manifests = root / "manifests"
        self.manifests.mkdir()
        self.zones = ZoneFiles(root / "zones", **zones)
        self._server = server
        self._cluster_flag = (
            f"--manifests={self.manifests}"
            if server is None
            else f"--kubeconfig={server.kubeconfig(root / 'kubeconfig')}"
        )
        self._sources = sources
        self._dns_flags = dns_flags or self.zones.flags

    @property
    def server(self) -> ApiServer:
        """The API server."""
        assert self._server is not None
        return self._server

    def apply(self, *objects: Json) -> None:
        """Create or update *objects* on the API server."""
        self.server.put_all(objects)

    def delete(self, *objects: Json) -> None:
        """Delete *objects* from the API server."""
        for one in objects:
            self.server.delete(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"])

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until *condition* returns true."""
        end_s = time.monotonic() + HANGS_S
        while not condition():
            assert time.monotonic() < end_s, condition
            _NEVER_SET.wait(0.005)

    def replace_manifests(self, *objects: Mapping[str, Any]) -> None:
        """Replace all manifests by *objects*."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        (self.manifests / "all.json").write_text(text, encoding="utf-8")

    def flags(self, *more: str, owner: str = "me") -> list[str]:
        """Return the flags with which extdns reads the objects and writes the zones as *owner*, and *more*."""
        return [
            self._cluster_flag,
            *(f"--source={name}" for name in self._sources),
            *self._dns_flags,
            "--metrics-address=127.0.0.1:0",
            f"--txt-owner-id={owner}",
            *more,
        ]

    def run_once(self, *flags: str, owner: str = "me") -> int:
        """Run extdns once (`--once`) in this process, and return its exit code."""
        try:
            made = assembly.assemble(parse(self.flags("--once", *flags, owner=owner), {}))
        except UsageError:
            return USAGE
        made.controller.run(once=True)
        return compute_exit_code(made.engine)

    def run_twice(self, *flags: str, owner: str = "me") -> int:
        """Run extdns twice, check that the second run changes no file and no exit code, and return the exit code."""
        code = self.run_once(*flags, owner=owner)
        contents = self.zones.contents()
        assert self.run_once(*flags, owner=owner) == code
        assert self.zones.contents() == contents
        return code

    @contextmanager
    def start(self, *flags: str, once: bool = False, fast_s: float = 0.0) -> Iterator[Running]:
        """Run extdns on a thread, with its wall clock *fast_s* seconds ahead, and stop it when the block ends."""
        clock = ShiftedClock(fast_s=fast_s)
        with patch.object(assembly, "SystemClock", lambda: clock):
            made = assembly.assemble(parse(self.flags(*flags, *(["--once"] if once else [])), {}))
        with run_in_background(made, clock, once=once) as running:
            yield running
