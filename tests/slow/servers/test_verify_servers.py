"""`extdns verify` with real name servers that serve the zone files which extdns has written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import dns.flags
import msgspec
import pytest

from extdns.command import run_command
from extdns.documents.verification import VerificationDocument
from tests.nameservers import PROGRAMS, RealServer
from tests.objects import service
from tests.program.installation import Installation

ZONE: Final = "example.org"
LONG: Final = "v=DKIM1; k=rsa; p=" + "0123456789ABCDEF" * 60
TYPES: Final = ("A", "AAAA", "CNAME", "DNAME", "MX", "NAPTR", "NS", "SRV", "TXT")
FLAGS: Final = ("--source=service", "--source=crd", *(f"--managed-record-types={rtype}" for rtype in TYPES))
RECORDS: Final = (
    ("*.any.example.org", "A", ("192.0.2.4",)),
    ("_acme-challenge.example.org", "TXT", ('"semi; colon \\"quoted\\" \\\\ \\009"', '"two"')),
    ("_host.example.org", "CNAME", ("_lb.example.net",)),
    ("_sip._tcp.example.org", "SRV", ("0 5 5060 sip.example.net.",)),
    ("dkim.example.org", "TXT", (LONG,)),
    ("in.example.org", "MX", ("10 mail.example.net", "20 mail.example.com")),
    ("key'%name.example.org", "TXT", ('"odd owner"',)),
    ("moved.example.org", "DNAME", ("new.example.net",)),
    ("naptr.example.org", "NAPTR", ('10 100 "s" "SIP+D2U" "!^.*$!sip:x@example.net!" .',)),
    ("ns.sub.example.org", "A", ("192.0.2.53",)),
    ("pair.example.org", "AAAA", ("2001:db8::1", "2001:DB8:0:0::2")),
    ("sub.example.org", "NS", ("ns.sub.example.org", "ns.example.net")),
    ("web.example.org", "A", ("192.0.2.1", "192.0.2.2")),
    ("www.example.org", "CNAME", ("Web.Example.org",)),
    ("bücher.example.org", "A", ("192.0.2.5",)),
    ("🚀.example.org", "A", ("192.0.2.6",)),
)


def endpoints(*records: tuple[str, str, tuple[str, ...]]) -> dict[str, object]:
    found = [{"dnsName": name, "recordType": rtype, "targets": list(targets)} for name, rtype, targets in records]
    meta = {"name": "all", "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": meta,
        "spec": {"endpoints": found},
    }


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path, example_org="", broken_test="", other_test="")


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(program: str, installation: Installation, tmp_path: Path) -> Iterator[RealServer]:
    """Run a name server with the zone before extdns wrote to it, and with a second zone that it cannot load."""
    with RealServer(program, tmp_path / "server", {ZONE: installation.zones.text(), "broken.test": ""}) as found:
        yield found


def run(installation: Installation, *arguments: str, at: str) -> int:
    return run_command("verify", [*arguments, f"--nameserver={at}", *flags(installation)], {})


def flags(installation: Installation) -> list[str]:
    where = (
        f"--zonefile-dir={installation.zones.folder}",
        "--provider=zonefile",
        f"--manifests={installation.manifests}",
    )
    return [*where, *FLAGS, "--txt-owner-id=me"]


def test_verify_finds_that_every_written_record_is_served(
    installation: Installation, server: RealServer, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(endpoints(*RECORDS))
    assert installation.run_once(*FLAGS) == 0
    server.load(ZONE, installation.zones.text())
    assert server.query("dkim.example.org", "TXT").flags & dns.flags.TC, "the answer fits into one datagram"
    code = run(installation, "--output=json", at=server.address)
    found = msgspec.json.decode(capsys.readouterr().out, type=VerificationDocument).names
    assert [one for one in found if one.state != "served"] == []
    assert code == 0
    assert len(found) == len(RECORDS)


def test_verify_reports_a_cname_or_referral_served_in_place_of_the_record(
    installation: Installation, server: RealServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CNAME that leads to the requested address is not the requested A record."""
    below = ("below.sub.example.org", "A", ("192.0.2.53",))
    installation.replace_manifests(endpoints(("web.example.org", "A", ("192.0.2.1",)), below))
    assert installation.run_once(*FLAGS) == 0
    old = installation.zones.text().replace(" 2 7200 ", " 3 7200 ").replace("web.example.org. 300 IN A", "lb A")
    server.load(ZONE, f"{old}web CNAME lb\nsub NS ns.example.net.\n")
    assert run(installation, at=server.address) == 2
    output = capsys.readouterr().out
    assert f"127.0.0.1 port {server.port}: has a CNAME at the name: lb.example.org.\n" in output
    assert f"127.0.0.1 port {server.port}: refers to the name servers of sub.example.org\n" in output


@pytest.mark.parametrize(
    ("name", "output"),
    [pytest.param("web.broken.test", "SERVFAIL", id="broken"), pytest.param("web.other.test", "REFUSED", id="none")],
)
def test_verify_reports_that_a_server_that_cannot_serve_the_zone_answers_servfail_or_refused(
    installation: Installation, server: RealServer, name: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("web", name))
    assert installation.run_once() == 0
    assert run(installation, at=server.address) == 2
    assert f"127.0.0.1 port {server.port}: answers {output}\n" in capsys.readouterr().out


def test_verify_warns_of_a_long_negative_caching_time(
    installation: Installation, server: RealServer, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("web", "web.example.org"))
    assert installation.run_once() == 0
    long = installation.zones.text().replace("1209600 300", "1209600 7200")
    server.load(ZONE, long)
    assert run(installation, at=server.address) == 0
    assert "warning" not in capsys.readouterr().out, "the TTL of the SOA record limits it as well: RFC 2308 section 5"
    server.load(ZONE, long.replace("@ SOA", "@ 86400 SOA").replace(" 2 7200 ", " 3 7200 "))
    assert run(installation, at=server.address) == 0
    assert (
        "\nwarning: example.org: for 7200 s (negative TTL of the SOA) caches keep the answer that a name does not "
        in capsys.readouterr().out
    )


def test_verify_with_a_resolver_as_nameserver_finds_the_records_served(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(endpoints(*RECORDS))
    assert installation.run_once(*FLAGS) == 0
    with (
        RealServer("knotd", tmp_path / "server", {ZONE: installation.zones.text()}) as server,
        RealServer("named", tmp_path / "resolver", {}, forward_to=server.port) as resolver,
    ):
        assert run(installation, "web.example.org", "dkim.example.org", at=resolver.address) == 0
    assert capsys.readouterr().out.endswith("\n2 of 2 records served.\n")
