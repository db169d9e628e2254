"""What authoritative servers say, as it is asked and compared; real ones: tests/integration/test_verify_servers.py."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from extdns.commands import authority
from extdns.model.name import DnsName
from tests.fakes.nameserver import NameServer

RECORDS = {("web.example.org", "A"): ("192.0.2.1",)}
Servers = tuple[NameServer, NameServer]


@pytest.fixture
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        one, other = (stack.enter_context(NameServer("example.org", RECORDS)) for _ in range(2))
        yield one, other


def test_a_silent_server_does_not_hold_up_every_name(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked for the rest of the round, and asked again in the next."""
    asked = (authority.Server("", "127.0.0.1", servers[0].port),)
    name = DnsName("web.example.org")
    first = authority.Round()
    servers[0].silent = True
    with monkeypatch.context() as patch:
        patch.setattr(authority, "_PATIENCE_S", 0.05)
        assert all(first.ask(asked, name, "A")[0].silent for _ in range(3))
    servers[0].silent = False
    assert first.ask(asked, name, "A")[0].silent
    assert authority.Round().ask(asked, name, "A")[0].targets == ("192.0.2.1",)


def test_addresses_without_a_way_do_not_count_where_the_server_has_others(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_route(*_: object, **__: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    four, six = (authority.Server("ns1", "127.0.0.1", server.port) for server in servers)
    other = authority.Server("ns2", "::1", 1)
    asked = authority.ask

    def ask(server: authority.Server, name: DnsName, rtype: str) -> authority.Answer:
        with pytest.MonkeyPatch.context() as patch:
            if server != four:
                patch.setattr("dns.query.udp_with_fallback", no_route)
            return asked(server, name, rtype)

    monkeypatch.setattr(authority, "ask", ask)
    found = authority.Round().ask((four, six, other), DnsName("web.example.org"), "A")
    assert [(one.server, one.problem) for one in found] == [
        (four, ""),
        (other, "Network is unreachable"),
    ]


def test_records_of_a_routing_policy_may_be_answered_by_any_member() -> None:
    assert authority.among("A", ("192.0.2.1", "192.0.2.2"), ("192.0.2.2",))
    assert not authority.among("A", ("192.0.2.1",), ("192.0.2.3",))
    assert not authority.among("A", ("192.0.2.1",), ())
    assert authority.same("TXT", ('"a" "b"',), ('"a" "b"',))
    assert authority.same("TXT", (f'"{"x" * 600}"',), (f'"{"x" * 255}" "{"x" * 255}" "{"x" * 90}"',))
    assert not authority.same("TXT", ('"a" "b"',), ('"ab"',))
    assert authority.same("CNAME", ("lb.example.net",), ("LB.example.net.",))


def test_the_servers_are_those_that_the_zone_names(tmp_path: Path) -> None:
    named = {
        ("example.org", "NS"): ("ns1.example.org.", "ns2.example.org."),
        ("ns1.example.org", "A"): ("192.0.2.53",),
        ("ns1.example.org", "AAAA"): ("2001:db8::53",),
    }
    with NameServer("example.org", named) as server:
        config = tmp_path / "resolv.conf"
        config.write_text("nameserver 127.0.0.1\n")
        found = authority.servers_of("example.org", str(config), port=server.port)
        assert [str(one) for one in found] == ["ns1.example.org (192.0.2.53)", "ns1.example.org (2001:db8::53)"]
        assert authority.servers_of("example.net", str(config), port=server.port) == ()
    assert authority.servers_of("example.org", str(tmp_path / "nowhere")) == ()
