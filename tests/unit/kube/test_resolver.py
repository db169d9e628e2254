"""The system's resolver, asked over a real socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from extdns.errors import UnresolvedError, UsageError
from extdns.kube.resolver import Answer, Ask, system_resolver, unfailing

ZONE = {
    ("both.t.", "A"): ("60", "192.0.2.2", "192.0.2.1"),
    ("both.t.", "AAAA"): ("30", "2001:db8::1"),
    ("four.t.", "A"): ("90", "192.0.2.3"),
    ("bare.t.", "TXT"): ("60", '"x"'),
}
HOSTS = """
192.0.2.9\tlisted.t both.listed.t  # four.t
2001:DB8::9 Both.Listed.t
nonsense listed.t
"""


def answer(wire: bytes) -> bytes:
    query = dns.message.from_wire(wire)
    question = query.question[0]
    name, kind = str(question.name), question.rdtype.name
    response = dns.message.make_response(query)
    response.flags |= dns.flags.RA
    if (name, kind) in ZONE:
        ttl, *values = ZONE[name, kind]
        response.answer.append(dns.rrset.from_text(name, int(ttl), "IN", kind, *values))
    elif name == "broken.t.":
        response.set_rcode(dns.rcode.SERVFAIL)
    elif name not in {known for known, _ in ZONE}:
        response.set_rcode(dns.rcode.NXDOMAIN)
    return response.to_wire()


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    """The port of a name server of the test's own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(found,))
        thread.start()
        yield found.getsockname()[1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", found.getsockname())
        thread.join()


@pytest.fixture
def ask(server: int, tmp_path: Path) -> Ask:
    """A resolver that asks that name server for what its hosts file does not list."""
    (tmp_path / "hosts").write_text(HOSTS)
    return resolver(tmp_path, server)


def resolver(etc: Path, port: int) -> Ask:
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1\n")
    return system_resolver(f"{etc}/resolv.conf", port=port, hosts=f"{etc}/hosts")


def serve(server: socket.socket) -> None:
    while True:
        wire, client = server.recvfrom(4096)
        if not wire:
            return
        server.sendto(answer(wire), client)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        pytest.param("both.t", Answer(("192.0.2.1", "192.0.2.2", "2001:db8::1"), 30.0), id="both-types-shortest-ttl"),
        pytest.param("four.t", Answer(("192.0.2.3",), 90.0), id="one-type"),
        pytest.param("listed.t", Answer(("192.0.2.9",), 0.0), id="hosts-file-first"),
        pytest.param("BOTH.listed.t", Answer(("192.0.2.9", "2001:db8::9"), 0.0), id="hosts-file-any-case-all-lines"),
        pytest.param("nobody.t", Answer((), 0.0), id="no-name"),
        pytest.param("bare.t", Answer((), 0.0), id="no-address"),
    ],
)
def test_all_addresses_come_sorted_with_their_ttl(ask: Callable[[str], Answer], host: str, found: Answer) -> None:
    assert ask(host) == found


def test_what_cannot_be_asked_for_says_why(ask: Callable[[str], Answer]) -> None:
    with pytest.raises(UnresolvedError, match=r"^asking for A: "):
        ask("broken.t")


def test_3_4_what_cannot_be_asked_for_has_no_address_where_nothing_may_fail(ask: Callable[[str], Answer]) -> None:
    assert unfailing(ask)("broken.t") == Answer((), 0.0)
    assert unfailing(ask)("four.t") == ask("four.t")


def test_without_a_hosts_file_dns_is_asked_at_once(server: int, tmp_path: Path) -> None:
    assert resolver(tmp_path, server)("listed.t") == Answer((), 0.0)


def test_without_configuration_the_flag_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"resolve-service-load-balancer-hostname: .* names no resolver"):
        system_resolver(f"{tmp_path}/none")
