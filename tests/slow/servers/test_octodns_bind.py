"""The whole program with `--provider=octodns`, octodns-bind and BIND."""

from __future__ import annotations

from pathlib import Path

from tests.objects import service
from tests.octodns_config import describe_bind, write_config
from tests.program.installation import Installation
from tests.slow.servers.test_rfc2136_program import query
from tests.updatable import start_clean


def test_one_pass_creates_records_with_ownership_and_ptr_records_and_the_next_pass_changes_nothing(
    tmp_path: Path,
) -> None:
    server = start_clean("named")
    path = write_config(tmp_path, describe_bind(server))
    flags = ["--provider=octodns", f"--octodns-config={path}", "--create-ptr"]
    installation = Installation(tmp_path, dns_flags=[*flags, "--managed-record-types=A", "--managed-record-types=PTR"])
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
    assert installation.run_once("--dry-run") == 0
    assert query(server, "web.example.org", "A") == []
    assert installation.run_once() == 0
    assert query(server, "web.example.org", "A") == ["192.0.2.1"]
    assert "external-dns/owner=me" in query(server, "a-web.example.org", "TXT")[0]
    assert query(server, "1.2.0.192.in-addr.arpa", "PTR") == ["web.example.org."]
    before = query(server, "example.org", "SOA")
    assert installation.run_once() == 0
    assert query(server, "example.org", "SOA") == before
