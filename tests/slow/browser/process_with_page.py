"""A process of extdns that serves the live page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess, running

_TIMEOUT_S: Final = 3600.0
"""Longest time in seconds that a process may run."""


@contextmanager
def serve_page(*flags: str) -> Iterator[tuple[str, ExtdnsProcess]]:
    """Run extdns with *flags* until it has written; yield the address of its page, and the process."""
    with running(*flags, "--web-address=127.0.0.1:0", timeout_s=_TIMEOUT_S) as program:
        line = program.until("Serving the live page")
        port = re.search(r"port=(\d+)", line)
        assert port is not None
        program.until("record(s) were successfully updated")
        yield f"http://127.0.0.1:{port[1]}/", program


@contextmanager
def serve_installation(installation: Installation, *flags: str) -> Iterator[tuple[str, ExtdnsProcess]]:
    with serve_page(
        f"--manifests={installation.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--txt-owner-id=me",
        "--metrics-address=127.0.0.1:0",
        "--delete-grace-period=0s",
        *flags,
    ) as found:
        yield found
