"""The name servers of a zone, and which of their answers count as served.

Real servers: tests/slow/servers/test_verify_servers.py.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from extdns.commands import name_servers
from extdns.commands.name_servers import Answer, Server, is_served
from extdns.documents.verification import list_expected
from extdns.model.change import Action, Decision
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, DesiredRecord
from extdns.model.value import StringMap
from tests.builders import ZONE, host, origin
from tests.fakes.nameserver import NameServer

RECORDS = {("web.example.org", "A"): ("192.0.2.1",)}
Servers = tuple[NameServer, NameServer]


@pytest.fixture
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        one, other = (stack.enter_context(NameServer("example.org", RECORDS)) for _ in range(2))
        yield one, other


def test_a_server_that_left_three_queries_unanswered_is_not_queried_again_in_the_same_round(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers_of_zone = (name_servers.Server("", "127.0.0.1", servers[0].port),)
    name = DnsName("web.example.org")
    first = name_servers.QueryRound()
    servers[0].silent = True
    with monkeypatch.context() as patch:
        patch.setattr(name_servers, "_TIMEOUT_S", 0.05)
        assert all(first.query(servers_of_zone, name, "A")[0].silent for _ in range(3))
    servers[0].silent = False
    assert first.query(servers_of_zone, name, "A")[0].silent
    assert name_servers.QueryRound().query(servers_of_zone, name, "A")[0].targets == ("192.0.2.1",)


def test_an_unreachable_address_of_a_name_server_is_ignored_if_another_of_its_addresses_answers(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_route(*_: object, **__: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    four, six = (name_servers.Server("ns1", "127.0.0.1", server.port) for server in servers)
    other = name_servers.Server("ns2", "::1", 1)
    query = name_servers.query_server

    def query_offline(server: name_servers.Server, name: DnsName, rtype: str) -> name_servers.Answer:
        with pytest.MonkeyPatch.context() as patch:
            if server != four:
                patch.setattr("dns.query.udp_with_fallback", no_route)
            return query(server, name, rtype)

    monkeypatch.setattr(name_servers, "query_server", query_offline)
    found = name_servers.QueryRound().query((four, six, other), DnsName("web.example.org"), "A")
    assert [(one.server, one.problem) for one in found] == [
        (four, ""),
        (other, "Network is unreachable"),
    ]


def test_each_address_that_a_person_gives_is_shown_even_if_it_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    reached, unreachable = (name_servers.Server("", address) for address in ("192.0.2.1", "2001:db8::1"))
    monkeypatch.setattr(
        name_servers, "query_server", lambda server, *_: name_servers.Answer(server, no_route=server == unreachable)
    )
    found = name_servers.QueryRound().query((reached, unreachable), DnsName("web.example.org"), "A")
    assert [one.server for one in found] == [reached, unreachable]


@pytest.mark.parametrize(
    ("rtype", "expected", "answered", "is_same"),
    [
        ("TXT", '"a" "b"', '"a" "b"', True),
        ("TXT", f'"{"x" * 600}"', f'"{"x" * 255}" "{"x" * 255}" "{"x" * 90}"', True),
        ("TXT", '"a" "b"', '"ab"', False),
        ("CNAME", "lb.example.net", "LB.example.net.", True),
    ],
)
def test_comparing_answers_ignores_the_case_of_names_and_the_split_of_long_txt_strings(
    rtype: str, expected: str, answered: str, is_same: bool
) -> None:
    assert find_served((decision(Reason.PUBLISHED, expected, rtype),), answered) == [is_same]


def test_verify_queries_the_name_servers_in_the_ns_records_of_the_zone(tmp_path: Path) -> None:
    named = {
        ("example.org", "NS"): ("ns1.example.org.", "ns2.example.org."),
        ("ns1.example.org", "A"): ("192.0.2.53",),
        ("ns1.example.org", "AAAA"): ("2001:db8::53",),
    }
    with NameServer("example.org", named) as server:
        config = tmp_path / "resolv.conf"
        config.write_text("nameserver 127.0.0.1\n")
        found = name_servers.find_name_servers("example.org", str(config), port=server.port)
        assert [str(one) for one in found] == ["ns1.example.org (192.0.2.53)", "ns1.example.org (2001:db8::53)"]
        assert name_servers.find_name_servers("example.net", str(config), port=server.port) == ()
    assert name_servers.find_name_servers("example.org", str(tmp_path / "nowhere")) == ()


# Which answers count as served, also for aliases and routed records, whose targets the answer does not show


NAME = host("web")
ALIASED = StringMap.from_items({ALIAS: "true"})
PLAIN = StringMap.from_items({})


def decision(
    reason: Reason, target: str, rtype: str = "A", *, member: str = "", properties: StringMap = PLAIN
) -> Decision:
    """Build a decision with the action that belongs to *reason*: keep, create, update or none."""
    actions = {Reason.PUBLISHED: Action.KEEP, Reason.REQUESTED: Action.CREATE, Reason.CHANGED: Action.UPDATE}
    return Decision(
        zone=ZONE,
        name=NAME,
        set_identifier=member,
        type=rtype,
        action=actions.get(reason, Action.NONE),
        reason=reason,
        desired=DesiredRecord(name=NAME, type=rtype, targets=(target,), set_identifier=member, properties=properties),
        requested_by=(origin("web"),),
    )


def find_served(decisions: tuple[Decision, ...], *targets: str) -> list[bool]:
    answer = Answer(Server("", "192.0.2.53"), targets)
    return [is_served(expected, answer) for expected in list_expected(NAME, decisions)]


@pytest.mark.parametrize(
    ("reason", "rtype", "answered", "expected"),
    [
        pytest.param(Reason.PUBLISHED, "A", ["192.0.2.9"], True, id="any-address"),
        pytest.param(Reason.PUBLISHED, "A", [], False, id="no-address-answered"),
        pytest.param(Reason.PUBLISHED, "AAAA", [], True, id="alias-target-without-IPv6"),
        pytest.param(Reason.CHANGED, "A", ["192.0.2.9"], False, id="old-address"),
        pytest.param(Reason.CHANGED, "AAAA", ["2001:db8::9"], False, id="old-IPv6-address"),
    ],
)
def test_an_alias_counts_as_served_if_the_zone_holds_it_and_any_address_or_for_aaaa_none_is_answered(
    reason: Reason, rtype: str, answered: list[str], expected: bool
) -> None:
    assert find_served((decision(reason, "lb.example.net", rtype, properties=ALIASED),), *answered) == [expected]


def test_a_routed_record_in_the_zone_counts_as_served_if_a_record_of_its_policy_is_answered() -> None:
    blue = decision(Reason.PUBLISHED, "192.0.2.1", member="blue")
    green = decision(Reason.REQUESTED, "192.0.2.2", member="green")
    assert find_served((blue, green), "192.0.2.1") == [True, False]
    assert find_served((blue, green), "192.0.2.3") == [False, False]
    assert find_served((blue, green)) == [False, False]


def test_verify_lists_each_set_identifier_separately_with_its_reason() -> None:
    blue = decision(Reason.PUBLISHED, "192.0.2.1", member="blue")
    green = decision(Reason.NO_OWNERSHIP_NAME, "192.0.2.2", member="green")
    found = list_expected(NAME, (blue, green))
    assert [(expectation.set_identifier, expectation.requested, expectation.reason) for expectation in found] == [
        ("blue", ("192.0.2.1",), Reason.PUBLISHED),
        ("green", (), Reason.NO_OWNERSHIP_NAME),
    ]


def test_a_simple_record_counts_as_served_if_it_is_answered_even_if_the_zone_was_read_before_the_change() -> None:
    assert find_served((decision(Reason.CHANGED, "192.0.2.1"),), "192.0.2.1") == [True]


@pytest.mark.parametrize("reason", [Reason.REQUESTED_BY_OTHER, Reason.INCOMPATIBLE_TYPE])
def test_verify_checks_a_rejected_claim_only_if_no_other_claim_to_the_name_was_accepted(reason: Reason) -> None:
    rejected = decision(reason, "lb.example.net", "CNAME")
    assert [expectation.reason for expectation in list_expected(NAME, (rejected,))] == [reason]
    accepted = decision(Reason.PUBLISHED, "192.0.2.1")
    assert [expectation.type for expectation in list_expected(NAME, (accepted, rejected))] == ["A"]
