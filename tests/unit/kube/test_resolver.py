"""The system resolver, against a name server on a real socket."""

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
from extdns.kube.resolver import HostAddresses, ResolveHost, build_system_resolver, ignore_failures

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
    """Run a name server, and return its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(found,))
        thread.start()
        yield found.getsockname()[1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", found.getsockname())
        thread.join()


@pytest.fixture
def resolve(server: int, tmp_path: Path) -> ResolveHost:
    """Build a resolver that reads a hosts file and queries the test's name server."""
    (tmp_path / "hosts").write_text(HOSTS)
    return resolver(tmp_path, server)


def resolver(etc: Path, port: int) -> ResolveHost:
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1\n")
    return build_system_resolver(f"{etc}/resolv.conf", port=port, hosts=f"{etc}/hosts")


def serve(server: socket.socket) -> None:
    while True:
        wire, client = server.recvfrom(4096)
        if not wire:
            return
        server.sendto(answer(wire), client)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        pytest.param(
            "both.t", HostAddresses(("192.0.2.1", "192.0.2.2", "2001:db8::1"), 30.0), id="both-types-shortest-ttl"
        ),
        pytest.param("four.t", HostAddresses(("192.0.2.3",), 90.0), id="one-type"),
        pytest.param("listed.t", HostAddresses(("192.0.2.9",), 0.0), id="hosts-file-first"),
        pytest.param(
            "BOTH.listed.t", HostAddresses(("192.0.2.9", "2001:db8::9"), 0.0), id="hosts-file-any-case-all-lines"
        ),
        pytest.param("nobody.t", HostAddresses((), 0.0), id="no-name"),
        pytest.param("bare.t", HostAddresses((), 0.0), id="no-address"),
    ],
)
def test_the_resolver_returns_sorted_addresses_with_their_ttl(
    resolve: Callable[[str], HostAddresses], host: str, found: HostAddresses
) -> None:
    assert resolve(host) == found


def test_a_failed_lookup_raises_an_error_with_the_reason(resolve: Callable[[str], HostAddresses]) -> None:
    with pytest.raises(UnresolvedError, match=r"^the A query failed: "):
        resolve("broken.t")


# docs/spec/sources.md 3.4
def test_if_failures_are_ignored_a_failed_lookup_counts_as_no_address(
    resolve: Callable[[str], HostAddresses],
) -> None:
    assert ignore_failures(resolve)("broken.t") == HostAddresses((), 0.0)
    assert ignore_failures(resolve)("four.t") == resolve("four.t")


def test_the_resolver_queries_dns_if_there_is_no_hosts_file(server: int, tmp_path: Path) -> None:
    assert resolver(tmp_path, server)("listed.t") == HostAddresses((), 0.0)


def test_a_missing_resolver_configuration_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"resolve-service-load-balancer-hostname: no DNS server found in "):
        build_system_resolver(f"{tmp_path}/none")
