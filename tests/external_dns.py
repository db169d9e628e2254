"""external-dns as a webhook, which serves the zones of one of its providers, always at the same port."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from tests.kubernetes.process import Process
from tests.nameservers import HOST, free_port
from tests.program.process import environment
from tests.required_programs import require_program

_URL: Final = "http://127.0.0.1:8888"
_LOCK: Final = Path(tempfile.gettempdir()) / "extdns-tests-8888.lock"
_READY_S: Final = 120.0


@contextmanager
def hold_port() -> Iterator[None]:
    """Wait until no other test uses the port, and keep it from them until the block ends."""
    with _LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def serve_webhook(folder: Path, *flags: str, variables: Mapping[str, str]) -> Iterator[None]:
    """Serve as a webhook what *flags* choose, with *variables* of the environment, until the block ends."""
    program = require_program("external-dns as a webhook", "external-dns-0.22")
    metrics = f"--metrics-address={HOST}:{free_port()}"
    command = (program, "--webhook-server", "--source=fake", "--policy=sync", metrics, *flags)
    with hold_port():
        process = Process(command, folder / "external-dns.log", environment(**variables))
        try:
            process.wait_until(is_serving, "webhook", within_s=_READY_S)
            yield
        finally:
            process.kill()


def is_serving() -> bool:
    """Return whether a webhook answers at the port."""
    with suppress(OSError), urlopen(_URL):
        return True
    return False
