"""The whole program with `--provider=rfc2136` and a server that carries out an update and then does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dns.message
import dns.opcode
import dns.update
import pytest

from tests.fakes.primary_server import Answer, PrimaryServer, answer_correctly
from tests.nameservers import HOST
from tests.objects import service
from tests.program.installation import Installation
from tests.unit.providers.rfc2136.hostile_answers import answer_with_servfail, close, omit_signature
from tests.updatable import KEY


def build_flags(server: PrimaryServer) -> tuple[str, ...]:
    return (
        *("--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={server.address.port}"),
        *("--rfc2136-zone=example.org", f"--rfc2136-tsig-keyname={KEY.name}"),
        *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--rfc2136-tsig-secret={KEY.secret}"),
    )


@pytest.mark.parametrize("answer", [close, omit_signature, answer_with_servfail])
def test_an_update_without_a_valid_answer_is_sent_again_and_the_conflict_shows_that_it_was_made(
    tmp_path: Path, answer: Answer
) -> None:
    with PrimaryServer("example.org") as server:
        server.answers = [answer_correctly, answer]
        installation = Installation(tmp_path, dns_flags=build_flags(server))
        installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
        assert installation.run_once() == 0
        assert server.opcodes.count(dns.opcode.UPDATE) == 2
        assert server.opcodes[-1] == dns.opcode.QUERY
        assert server.list_data("web.example.org", "A") == ["192.0.2.1"]
        assert "external-dns/owner=me" in server.list_data("a-web.example.org", "TXT")[0]


def drop_bad_name(server: PrimaryServer, query: dns.message.Message) -> Iterator[bytes]:
    """Close the connection if the query is an update of one certain name, otherwise answer it."""
    if isinstance(query, dns.update.UpdateMessage) and any("bad" in str(one.name) for one in query.update):
        yield b""
    else:
        yield from answer_correctly(server, query)


def test_a_name_whose_updates_are_never_answered_does_not_prevent_the_updates_of_other_names(tmp_path: Path) -> None:
    with PrimaryServer("example.org") as server:
        server.answers = [drop_bad_name] * 100
        installation = Installation(tmp_path, dns_flags=build_flags(server))
        names = ("api", "bad", "blog", "mail", "shop", "web")
        installation.replace_manifests(*(service(name, address="192.0.2.1") for name in names))
        assert installation.run_once() == 1
        published = {name for name in names if server.list_data(f"{name}.example.org", "A")}
        assert published == set(names) - {"bad"}
        assert server.opcodes.count(dns.opcode.UPDATE) <= 2 + 2 * 3  # the whole twice, then two halves of each batch
