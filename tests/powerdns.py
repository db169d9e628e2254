"""PowerDNS for tests: its configuration and its SQLite database. `tests.updatable` starts it."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from providers.rfc2136.settings import TsigSecret

API_KEY: Final = "key-for-tests-only"
"""The key of the HTTP API, which is served at `UpdatableServer.http_address`."""

CONFIGURATION: Final = f"""\
launch=gsqlite3
gsqlite3-database={{folder}}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address={{host}}
local-port={{port}}
socket-dir=.
dnsupdate=yes
allow-dnsupdate-from={{host}}
allow-axfr-ips=
webserver=yes
webserver-address={{host}}
webserver-port={{http_port}}
webserver-allow-from={{host}}
api=yes
api-key={API_KEY}
security-poll-suffix=
"""
_SCHEMA: Final = Path("/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql")


def create_database(folder: Path, zones: Iterable[str], key: TsigSecret) -> None:
    """Create the database with *zones*, whose zone files are in *folder*; *key* may transfer and update them."""
    with sqlite3.connect(folder / "pdns.sqlite3") as database:
        database.executescript(_SCHEMA.read_text())
    database.close()
    _run_pdnsutil(folder, "import-tsig-key", key.name, key.algorithm, key.secret)
    for zone in zones:
        _run_pdnsutil(folder, "load-zone", zone, f"{zone}.zone")
        for kind in ("TSIG-ALLOW-DNSUPDATE", "TSIG-ALLOW-AXFR"):
            _run_pdnsutil(folder, "set-meta", zone, kind, key.name)


def _run_pdnsutil(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ("pdnsutil", "--config-dir=.", *arguments),
        cwd=folder,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
