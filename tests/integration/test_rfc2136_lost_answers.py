"""The whole program with `--provider=rfc2136` and a server that carries out an update and then does not answer."""

from __future__ import annotations

from pathlib import Path

import dns.opcode
import pytest

from tests.fakes.primary_server import Answer, PrimaryServer, answer_correctly
from tests.nameservers import HOST
from tests.objects import service
from tests.program.installation import Installation
from tests.unit.providers.rfc2136.hostile_answers import answer_with_servfail, close, omit_signature
from tests.updatable import KEY


@pytest.mark.parametrize("answer", [close, omit_signature, answer_with_servfail])
def test_an_update_without_a_valid_answer_is_not_sent_again_and_the_zone_is_read_for_its_outcome(
    tmp_path: Path, answer: Answer
) -> None:
    with PrimaryServer("example.org") as server:
        server.answers = [answer_correctly, answer]
        flags = (
            *("--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={server.address.port}"),
            *("--rfc2136-zone=example.org", f"--rfc2136-tsig-keyname={KEY.name}"),
            *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--rfc2136-tsig-secret={KEY.secret}"),
        )
        installation = Installation(tmp_path, dns_flags=flags)
        installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
        assert installation.run_once() == 0
        assert server.opcodes[:2] == [dns.opcode.QUERY, dns.opcode.UPDATE]
        assert set(server.opcodes[2:]) == {dns.opcode.QUERY}
        assert server.list_data("web.example.org", "A") == ["192.0.2.1"]
        assert "external-dns/owner=me" in server.list_data("a-web.example.org", "TXT")[0]
