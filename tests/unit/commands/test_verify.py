"""`extdns verify` against name servers on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dns.rcode
import msgspec
import pytest

from extdns import cli
from extdns.commands import authority, verify
from extdns.commands.verifyfacts import VerifyFacts
from extdns.facts.document import schema_text
from tests.fakes.nameserver import NameServer
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
RECORDS = {
    ("web.example.org", "A"): ("192.0.2.1",),
    ("*.any.example.org", "A"): ("192.0.2.1",),
    ("host.example.org", "CNAME"): ("LB.example.net.",),
}


class MovedClock:
    """Time that passes when somebody waits, and what happens then."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.meanwhile: Callable[[], None] = lambda: None

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        self.meanwhile()

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.now_s)

    def monotonic_s(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def servers() -> Iterator[tuple[NameServer, NameServer]]:
    with ExitStack() as stack:
        one, other = (stack.enter_context(NameServer("example.org", RECORDS)) for _ in range(2))
        yield one, other


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Three names that are published."""
    found = Stage(tmp_path, example_org="")
    found.apply(
        service("any", "*.any.example.org"),
        service("host", "host.example.org", address="lb.example.net"),
        service("web", "web.example.org"),
    )
    assert found.once() == 0
    return found


def run(stage: Stage, servers: tuple[NameServer, ...], *arguments: str, clock: MovedClock) -> int:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    asked = [f"--nameserver={server.place}" for server in servers]
    given = [*arguments, *asked, *flags, f"--manifests={stage.manifests}"]
    return verify.main(given, {}, clock, clock.pause)


Servers = tuple[NameServer, NameServer]


def test_all_names_are_asked_of_all_servers(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    assert run(stage, servers, clock=clock) == 0
    assert stage.state() == before
    assert capsys.readouterr().out == (
        "A      *.any.example.org  served by all of 2 name servers\n"
        "       caches may hold what was before until 2026-11-20T09:05:00Z\n"
        "CNAME  host.example.org  served by all of 2 name servers\n"
        "       caches may hold what was before until 2026-11-20T09:05:00Z\n"
        "A      web.example.org  served by all of 2 name servers\n"
        "       caches may hold what was before until 2026-11-20T09:05:00Z\n"
        "3 of 3 records served.\n"
    )
    for server in servers:
        assert {asked for asked in server.asked if asked[1] != "SOA"} == {
            ("extdns-verify.any.example.org", "A"),
            ("host.example.org", "CNAME"),
            ("web.example.org", "A"),
        }


def test_a_server_that_lags_behind_is_named(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[1].records["web.example.org", "A"] = ("192.0.2.9",)
    assert run(stage, servers, "web.example.org", clock=clock) == 2
    assert capsys.readouterr().out == (
        "A      web.example.org  published, but not served by all of 2 name servers\n"
        "       asked for: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[0].port}: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[1].port}: 192.0.2.9\n"
        "0 of 1 record served.\n"
    )


def test_servers_that_do_not_answer_are_told_with_the_reason(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].rcode = dns.rcode.REFUSED
    servers[1].lame = True
    assert run(stage, servers, "web.example.org", clock=clock) == 2
    said = capsys.readouterr().out
    assert f"port {servers[0].port}: answers REFUSED\n" in said
    assert f"port {servers[1].port}: is not authoritative for it\n" in said


def test_a_silent_server_is_not_waited_for_long(
    stage: Stage,
    servers: Servers,
    clock: MovedClock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(authority, "_PATIENCE_S", 0.1)
    servers[0].silent = True
    assert run(stage, servers, "web.example.org", clock=clock) == 2
    assert f"port {servers[0].port}: no answer to 2 questions, within 0.1 s each\n" in capsys.readouterr().out


def test_a_datagram_that_gets_lost_is_sent_again(
    stage: Stage, servers: Servers, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authority, "_PATIENCE_S", 1.0)
    servers[0].lost = 1
    assert run(stage, servers, "web.example.org", clock=clock) == 0


def test_a_resolver_counts_if_a_person_names_it(
    stage: Stage, servers: Servers, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers[0].recursive = True
    assert run(stage, servers, "web.example.org", clock=clock) == 0
    found = tuple(authority.Server("ns.example.net", "127.0.0.1", server.port) for server in servers)
    monkeypatch.setattr(verify, "servers_of", lambda _: found)
    assert run(stage, (), "web.example.org", clock=clock) == 2


def test_another_server_tells_how_long_denials_are_kept_where_one_does_not(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].rcode = dns.rcode.SERVFAIL
    servers[1].negative_s = 7200
    assert run(stage, servers, "web.example.org", clock=clock) == 2
    assert "\nwarning: example.org: caches keep for 7200 s " in capsys.readouterr().out


def test_records_of_other_people_do_not_count(stage: Stage, servers: Servers, clock: MovedClock) -> None:
    """Somebody has written another type at a name of ours, which no object asks for."""
    path = stage.file()
    path.write_text(path.read_text() + "web AAAA 2001:db8::9\n")
    assert run(stage, servers, "web.example.org", clock=clock) == 0


def test_what_lost_to_another_object_is_served_by_what_won(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CNAME yields to the addresses of the same namespace, and another namespace to the one that has the name."""
    stage.apply(
        service("web", "web.example.org"),
        service("other", "web.example.org", address="lb.example.net"),
        service("late", "web.example.org", namespace="lab", address="lb.example.net"),
    )
    assert run(stage, servers, clock=clock) == 0
    assert capsys.readouterr().out.endswith("\n1 of 1 record served.\n")


def test_what_the_configuration_leaves_out_does_not_count_unless_a_person_names_it(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    both = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"ip": "2001:db8::1"}]}}}
    stage.apply({**service("web", "web.example.org"), **both}, service("out", "out.example.net"))
    flags = ("--managed-record-types=A", "--domain-filter=example.org")
    assert run(stage, servers, *flags, clock=clock) == 0
    assert run(stage, servers, "web.example.org", *flags, clock=clock) == 0
    assert capsys.readouterr().out.endswith("\n1 of 1 record served.\n")
    assert run(stage, servers, "out.example.net", *flags, clock=clock) == 2
    assert capsys.readouterr().out.startswith("A      out.example.net  not published  [domain-filtered]\n")


def test_what_is_not_in_the_zone_yet_is_pending_and_what_will_not_be_has_its_reason(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.apply(service("new", "new.example.org"), {**service("gw", "pay.example.org"), "status": {}})
    names = ("new.example.org", "pay.example.org", "nobody.example.org", "web.example.net")
    assert run(stage, servers, *names, clock=clock) == 2
    assert capsys.readouterr().out == (
        "A      new.example.org  not in the zone as asked for yet  [wanted]\n"
        "       asked for: 192.0.2.1\n"
        f"       127.0.0.1 port {servers[0].port}: no such record\n"
        f"       127.0.0.1 port {servers[1].port}: no such record\n"
        "-      pay.example.org  not published  [no-address]\n"
        "-      nobody.example.org  no object asks for it\n"
        "-      web.example.net  no object asks for it\n"
        "0 of 4 records served.\n"
    )


def test_waiting_ends_when_all_is_served(stage: Stage, servers: Servers, clock: MovedClock) -> None:
    right = servers[1].records.pop(("web.example.org", "A"))

    def take_up() -> None:
        if clock.now_s == 6.0:
            servers[1].records["web.example.org", "A"] = right

    clock.meanwhile = take_up
    assert run(stage, servers, "web.example.org", "--wait", clock=clock) == 0
    assert clock.now_s == 6.0


def test_waiting_sees_what_objects_come_to_ask_for(stage: Stage, servers: Servers, clock: MovedClock) -> None:
    stage.apply({**service("web", "web.example.org"), "status": {}})
    clock.meanwhile = lambda: stage.apply(service("web", "web.example.org"))
    assert run(stage, servers, "web.example.org", "--wait", clock=clock) == 0


def test_waiting_has_an_end(stage: Stage, servers: Servers, clock: MovedClock) -> None:
    servers[0].records.clear()
    assert run(stage, servers, "web.example.org", "--wait", "--timeout=7s", clock=clock) == 2
    assert clock.now_s == 8.0


def test_a_long_negative_ttl_is_warned_of(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    servers[0].negative_s = 86400
    assert run(stage, servers, "web.example.org", clock=clock) == 0
    said = capsys.readouterr().out
    assert "\nwarning: example.org: caches keep for 86400 s that a name is not there " in said
    assert "until 2026-11-21T09:00:00Z" in said


def test_a_zone_whose_servers_nobody_can_tell_is_unknown(
    stage: Stage, clock: MovedClock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verify, "servers_of", lambda _: ())
    assert run(stage, (), "web.example.org", clock=clock) == 2
    assert "no name server of the zone is known; name one with --nameserver\n" in capsys.readouterr().out


def test_programs_get_the_facts(
    stage: Stage, servers: Servers, clock: MovedClock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(stage, servers, "web.example.org", "--output=json", clock=clock) == 0
    (one,) = msgspec.json.decode(capsys.readouterr().out, type=VerifyFacts).names
    assert (one.state, one.wanted, one.negative_ttl_seconds) == ("served", ("192.0.2.1",), 60)
    assert [server.ttl_seconds for server in one.servers] == [300, 300]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["a..b"], "a..b is not a name\n  allowed: a name without empty labels", id="name"),
        pytest.param(["--nameserver=ns.example.net"], "--nameserver=ns.example.net is no server", id="host"),
        pytest.param(["--nameserver=192.0.2.1:x"], "--nameserver=192.0.2.1:x is no server", id="port"),
        pytest.param(["--nameserver=\x1b"], "--nameserver=\\x1b is no server", id="hostile"),
        pytest.param(["--wait", "--manifests=-"], "extdns verify --wait reads the objects more than once", id="stdin"),
        pytest.param(["--timeout=5"], "--timeout=5 is not a duration", id="timeout"),
    ],
)
def test_wrong_usage_is_1(stage: Stage, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    assert cli.main(["verify", *arguments, *flags, f"--manifests={stage.manifests}"], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "verify.schema.json").read_text(encoding="utf-8")
    made = schema_text(VerifyFacts, "extdns verify --output=json")
    assert kept == made, "run: python -m extdns.commands.verifyfacts > docs/reference/verify.schema.json"
