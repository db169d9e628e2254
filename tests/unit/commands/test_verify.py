"""`extdns verify` against name servers on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import dns.rcode
import msgspec
import pytest

from extdns import cli
from extdns.command import run_command
from extdns.commands import name_servers
from extdns.documents.verification import VerificationDocument
from tests.fakes.clocks import MovedClock
from tests.fakes.nameserver import NameServer
from tests.objects import service
from tests.program.installation import Installation

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
RECORDS = {
    ("web.example.org", "A"): ("192.0.2.1",),
    ("*.any.example.org", "A"): ("192.0.2.1",),
    ("host.example.org", "CNAME"): ("LB.example.net.",),
}


class PausedClock(MovedClock):
    """A clock that advances in `pause`, and then calls `meanwhile`."""

    def __init__(self) -> None:
        super().__init__(beginning=NOW)
        self.started_s = self.now_s
        self.meanwhile: Callable[[], None] = lambda: None

    @property
    def passed_s(self) -> float:
        """How long the program has waited."""
        return self.now_s - self.started_s

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        self.meanwhile()


@pytest.fixture
def clock() -> PausedClock:
    return PausedClock()


@pytest.fixture
def servers() -> Iterator[tuple[NameServer, NameServer]]:
    with ExitStack() as stack:
        one, other = (stack.enter_context(NameServer("example.org", RECORDS)) for _ in range(2))
        yield one, other


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Return an installation with three published names."""
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(
        service("any", "*.any.example.org"),
        service("host", "host.example.org", address="lb.example.net"),
        service("web", "web.example.org"),
    )
    assert found.run_once() == 0
    return found


def run(installation: Installation, servers: tuple[NameServer, ...], *arguments: str, clock: PausedClock) -> int:
    query = [f"--nameserver={server.address}" for server in servers]
    return run_command("verify", [*arguments, *query, *installation.flags()], {}, clock=clock, pause=clock.pause)


Servers = tuple[NameServer, NameServer]


def test_verify_queries_every_name_server_for_every_name(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    assert run(installation, servers, clock=clock) == 0
    assert installation.zones.contents() == before
    assert capsys.readouterr().out == (
        "A      *.any.example.org  served by all of 2 name servers\n"
        "       caches may answer with older data until 2026-11-20T09:05:00Z\n"
        "CNAME  host.example.org  served by all of 2 name servers\n"
        "       caches may answer with older data until 2026-11-20T09:05:00Z\n"
        "A      web.example.org  served by all of 2 name servers\n"
        "       caches may answer with older data until 2026-11-20T09:05:00Z\n"
        "3 of 3 records served.\n"
    )
    for server in servers:
        assert {query for query in server.queries if query[1] != "SOA"} == {
            ("extdns-verify.any.example.org", "A"),
            ("host.example.org", "CNAME"),
            ("web.example.org", "A"),
        }


def test_verify_shows_which_name_server_serves_other_data(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[1].records["web.example.org", "A"] = ("192.0.2.9",)
    assert run(installation, servers, "web.example.org", clock=clock) == 2
    assert capsys.readouterr().out == (
        "A      web.example.org  published, but not served by all of 2 name servers\n"
        "       requested: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[0].port}: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[1].port}: 192.0.2.9\n"
        "0 of 1 record served.\n"
    )


def test_verify_shows_which_name_servers_refuse_the_query_or_are_not_authoritative(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].rcode = dns.rcode.REFUSED
    servers[1].lame = True
    assert run(installation, servers, "web.example.org", clock=clock) == 2
    output = capsys.readouterr().out
    assert f"port {servers[0].port}: answers REFUSED\n" in output
    assert f"port {servers[1].port}: is not authoritative for the name\n" in output


def test_verify_does_not_wait_long_for_a_name_server_that_does_not_respond(
    installation: Installation,
    servers: Servers,
    clock: PausedClock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(name_servers, "_TIMEOUT_S", 0.1)
    servers[0].silent = True
    assert run(installation, servers, "web.example.org", clock=clock) == 2
    assert f"port {servers[0].port}: no answer to 2 queries, within 0.1 s each\n" in capsys.readouterr().out


def test_verify_repeats_a_query_whose_datagram_was_lost(
    installation: Installation, servers: Servers, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_servers, "_TIMEOUT_S", 1.0)
    servers[0].dropped_queries = 1
    assert run(installation, servers, "web.example.org", clock=clock) == 0


def test_with_the_nameserver_flag_verify_accepts_answers_of_a_resolver(
    installation: Installation, servers: Servers, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers[0].recursive = True
    assert run(installation, servers, "web.example.org", clock=clock) == 0
    found = tuple(name_servers.Server("ns.example.net", "127.0.0.1", server.port) for server in servers)
    monkeypatch.setattr(name_servers, "find_name_servers", lambda _: found)
    assert run(installation, (), "web.example.org", clock=clock) == 2


def test_verify_reports_the_negative_ttl_of_the_first_server_that_answers(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].rcode = dns.rcode.SERVFAIL
    servers[1].negative_s = 7200
    assert run(installation, servers, "web.example.org", clock=clock) == 2
    assert (
        "\nwarning: example.org: for 7200 s (negative TTL of the SOA) caches keep the answer that a name does not "
        in capsys.readouterr().out
    )


def test_verify_ignores_foreign_records(installation: Installation, servers: Servers, clock: PausedClock) -> None:
    """The name has a foreign record of another type that no object requests."""
    path = installation.zones.path()
    path.write_text(path.read_text() + "web AAAA 2001:db8::9\n")
    assert run(installation, servers, "web.example.org", clock=clock) == 0


def test_verify_checks_names_excluded_by_flags_only_if_they_are_named_as_arguments(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    both = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"ip": "2001:db8::1"}]}}}
    installation.replace_manifests({**service("web", "web.example.org"), **both}, service("out", "out.example.net"))
    flags = ("--managed-record-types=A", "--domain-filter=example.org")
    assert run(installation, servers, *flags, clock=clock) == 0
    assert run(installation, servers, "web.example.org", *flags, clock=clock) == 0
    assert capsys.readouterr().out.endswith("\n1 of 1 record served.\n")
    assert run(installation, servers, "out.example.net", *flags, clock=clock) == 2
    assert capsys.readouterr().out.startswith("A      out.example.net  not published  [domain-filtered]\n")


def test_verify_reports_names_that_are_not_published_yet_or_not_requested_at_all(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(
        service("new", "new.example.org"), {**service("gw", "pay.example.org"), "status": {}}
    )
    names = ("new.example.org", "pay.example.org", "nobody.example.org", "web.example.net")
    assert run(installation, servers, *names, clock=clock) == 2
    assert capsys.readouterr().out == (
        "A      new.example.org  not in the zone as requested yet  [requested]\n"
        "       requested: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[0].port}: no such record\n"
        f"       127.0.0.1 port {servers[1].port}: no such record\n"
        "-      pay.example.org  not published  [no-address]\n"
        "-      nobody.example.org  no object requests it\n"
        "-      web.example.net  no object requests it\n"
        "0 of 4 records served.\n"
    )


def test_with_the_wait_flag_verify_ends_when_everything_is_served(
    installation: Installation, servers: Servers, clock: PausedClock
) -> None:
    right = servers[1].records.pop(("web.example.org", "A"))

    def take_up() -> None:
        if clock.passed_s == 6.0:
            servers[1].records["web.example.org", "A"] = right

    clock.meanwhile = take_up
    assert run(installation, servers, "web.example.org", "--wait", clock=clock) == 0
    assert clock.passed_s == 6.0


def test_with_the_wait_flag_verify_includes_names_that_objects_request_meanwhile(
    installation: Installation, servers: Servers, clock: PausedClock
) -> None:
    installation.replace_manifests({**service("web", "web.example.org"), "status": {}})
    clock.meanwhile = lambda: installation.replace_manifests(service("web", "web.example.org"))
    assert run(installation, servers, "web.example.org", "--wait", clock=clock) == 0


def test_with_the_wait_flag_verify_ends_after_the_timeout(
    installation: Installation, servers: Servers, clock: PausedClock
) -> None:
    servers[0].records.clear()
    assert run(installation, servers, "web.example.org", "--wait", "--timeout=7s", clock=clock) == 2
    assert clock.passed_s == 8.0


def test_verify_warns_about_a_long_negative_ttl(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].negative_s = 86400
    assert run(installation, servers, "web.example.org", clock=clock) == 0
    output = capsys.readouterr().out
    assert (
        "\nwarning: example.org: for 86400 s (negative TTL of the SOA) caches keep the answer that a name does not "
        in output
    )
    assert "until 2026-11-21T09:00:00Z" in output


def test_verify_reports_a_record_as_unknown_if_its_zone_has_no_known_name_servers(
    installation: Installation, clock: PausedClock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(name_servers, "find_name_servers", lambda _: ())
    assert run(installation, (), "web.example.org", clock=clock) == 2
    assert (
        "the resolver of this machine finds no name server of the zone; give a --nameserver\n"
        in capsys.readouterr().out
    )


def test_verify_prints_json(
    installation: Installation, servers: Servers, clock: PausedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(installation, servers, "web.example.org", "--output=json", clock=clock) == 0
    (one,) = msgspec.json.decode(capsys.readouterr().out, type=VerificationDocument).names
    assert (one.state, one.requested, one.negative_ttl_seconds) == ("served", ("192.0.2.1",), 60)
    assert [server.ttl_seconds for server in one.servers] == [300, 300]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["a..b"], "a..b is not a DNS name\n  allowed: a name without empty labels", id="name"),
        (["--nameserver=ns.example.net"], "--nameserver=ns.example.net is not the address of a name server"),
        (["--nameserver=192.0.2.1:x"], "--nameserver=192.0.2.1:x is not the address of a name server"),
        pytest.param(["--nameserver=\x1b"], "--nameserver=\\x1b is not the address of a name server", id="hostile"),
        pytest.param(["--wait", "--manifests=-"], "extdns verify --wait reads the objects several times", id="stdin"),
        pytest.param(["--timeout=5"], "--timeout=5 is not a duration", id="timeout"),
    ],
)
def test_an_invalid_command_line_of_verify_exits_with_1(
    installation: Installation, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["verify", *arguments, *installation.flags()], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
