"""`extdns verify` with NSD as a secondary of the BIND that extdns updates."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.command import run_command
from tests.nameservers import HOST, RealServer
from tests.objects import service
from tests.program.installation import Installation
from tests.updatable import ALLOW_UPDATE, KEY, UpdatableServer

NOTIFYING: Final = "notify explicit; also-notify {{ {host} port {port}; }}"
SECONDARY: Final = """\
key:
  name: "{key.name}"
  algorithm: {key.algorithm}
  secret: "{key.secret}"
zone:
  name: "example.org"
  request-xfr: AXFR {host}@{port} {key.name}
  allow-notify: {host} NOKEY
"""


def test_verify_waits_until_the_secondary_server_serves_what_was_written_on_the_primary(tmp_path: Path) -> None:
    secondary = RealServer("nsd", tmp_path / "secondary", {})
    updates = f"{ALLOW_UPDATE}; {NOTIFYING.format(host=HOST, port=secondary.port)}"
    with UpdatableServer("named", tmp_path / "primary", updates=updates) as primary:
        configuration = tmp_path / "secondary" / "server.conf"
        zone = SECONDARY.format(host=HOST, port=primary.address.port, key=KEY)
        configuration.write_text(configuration.read_text() + zone)
        flags = (
            *("--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={primary.address.port}"),
            *("--rfc2136-zone=example.org", f"--rfc2136-tsig-keyname={KEY.name}"),
            *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--rfc2136-tsig-secret={KEY.secret}"),
        )
        installation = Installation(tmp_path, dns_flags=flags)
        installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
        with secondary:
            check = [*installation.flags(), f"--nameserver={HOST}:{secondary.port}"]
            assert run_command("verify", check, {}) == 2
            assert installation.run_once() == 0
            assert run_command("verify", [*check, "--wait"], {}) == 0
            assert "192.0.2.1" in secondary.query("web.example.org", "A").to_text()
