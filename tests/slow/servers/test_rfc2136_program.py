"""The whole program with `--provider=rfc2136` in front of real servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import dns.message
import dns.query
import dns.rdatatype
import dns.update
import pytest

from extdns import cli
from extdns.app.provider import build_provider
from extdns.config import parse
from extdns.errors import ForbiddenError, ProviderError, RetryableError, UsageError
from extdns.model.change import Applied, Forbidden, Outcome, TryLater, Unknown
from providers.rfc2136.settings import DnsServer
from tests.conformance.provider import build_batch, create
from tests.kubernetes.certificates import create_certificates
from tests.nameservers import HOST, free_port
from tests.objects import dns_endpoint, service
from tests.program.installation import Installation
from tests.updatable import KEY, PROGRAMS, ZONES, UpdatableServer, start_clean

OTHER_SECRET: Final = "d3Jvbmc="


@pytest.fixture(params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> UpdatableServer:
    return start_clean(request.param)


def build_flags(port: int, *more: str) -> list[str]:
    """Return the flags for the BIND at *port*, with both zones."""
    return [
        *("--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={port}"),
        *(f"--rfc2136-zone={zone}" for zone in ZONES),
        *(f"--rfc2136-tsig-keyname={KEY.name}", f"--rfc2136-tsig-secret-alg={KEY.algorithm}"),
        *(more or (f"--rfc2136-tsig-secret={KEY.secret}",)),
    ]


def query(server: UpdatableServer, name: str, rtype: str) -> list[str]:
    found = dns.query.udp(dns.message.make_query(name, rtype), HOST, timeout=20.0, port=server.address.port)
    return sorted(data.to_text() for rrset in found.answer for data in rrset)


def test_one_pass_creates_records_with_ownership_and_ptr_records_and_the_next_pass_changes_nothing(
    server: UpdatableServer, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{KEY.secret}\n")
    flags = build_flags(server.address.port, f"--rfc2136-tsig-secret-file={secret}", "--create-ptr")
    installation = Installation(tmp_path, dns_flags=[*flags, "--managed-record-types=A", "--managed-record-types=PTR"])
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
    assert installation.run_once() == 0
    assert query(server, "web.example.org", "A") == ["192.0.2.1"]
    assert "external-dns/owner=me" in query(server, "a-web.example.org", "TXT")[0]
    assert query(server, "1.2.0.192.in-addr.arpa", "PTR") == ["web.example.org."]
    before = query(server, "example.org", "SOA")
    assert installation.run_once() == 0
    assert query(server, "example.org", "SOA") == before


def test_a_record_with_more_values_than_bind_accepts_affects_only_its_own_name(
    server: UpdatableServer, tmp_path: Path
) -> None:
    many = dns_endpoint("many")
    many["spec"]["endpoints"][0]["targets"] = [f"198.51.100.{n}" for n in range(101)]
    installation = Installation(tmp_path, dns_flags=[*build_flags(server.address.port), "--source=crd"])
    installation.replace_manifests(many, *(service(f"n{n}", f"n{n}.example.org") for n in range(9)))
    accepts = server.program != "named"  # it answers SERVFAIL
    assert installation.run_once() == (0 if accepts else 1)
    assert [len(query(server, f"n{n}.example.org", "A")) for n in range(9)] == [1] * 9


def test_a_value_that_is_not_valid_affects_only_its_own_name(server: UpdatableServer, tmp_path: Path) -> None:
    flags = ["--managed-record-types=A", "--managed-record-types=NAPTR", "--source=crd"]
    installation = Installation(tmp_path, dns_flags=[*build_flags(server.address.port), *flags])
    naptr = dns_endpoint("naptr", '20 100 "u" "E2U+sip" "!^.*$!sip:\\\\1@example.com!" .')  # a group that is not there
    naptr["spec"]["endpoints"][0]["recordType"] = "NAPTR"
    installation.replace_manifests(naptr, *(service(f"n{n}", f"n{n}.example.org") for n in range(9)))
    assert installation.run_once() == 1
    assert [len(query(server, f"n{n}.example.org", "A")) for n in range(9)] == [1] * 9
    assert query(server, "naptr.example.org", "NAPTR") == []


def read_and_write(*flags: str) -> tuple[ProviderError, Outcome]:
    """Return the error of a read with *flags*, and the outcome of a batch."""
    reader, writer = build_provider(parse(["--source=service", *flags], {}))
    zone = reader.list_zones().zones[1]
    with pytest.raises(ProviderError, match=r"Transfer on example\.org at 127\.0\.0\.1") as failed:
        reader.read_page(zone, None)
    assert writer is not None
    outcome = writer.submit(zone, build_batch(zone, [create("x.example.org", "A", "192.0.2.1")]))
    return failed.value, outcome


def test_with_a_wrong_tsig_secret_reads_and_writes_fail(server: UpdatableServer) -> None:
    failed, outcome = read_and_write(*build_flags(server.address.port, f"--rfc2136-tsig-secret={OTHER_SECRET}"))
    assert isinstance(failed, ForbiddenError)
    # PowerDNS rejects the key without the TSIG record that says so, and anybody could have sent that answer
    assert isinstance(outcome, Unknown if server.program == "pdns_server" else Forbidden)
    assert query(server, "x.example.org", "A") == []


def test_with_an_unreachable_server_reads_and_writes_fail() -> None:
    failed, outcome = read_and_write(*build_flags(free_port()))
    assert isinstance(failed, RetryableError)
    assert isinstance(outcome, TryLater)


def test_zones_are_read_and_written_over_tls_with_a_verified_certificate(tmp_path: Path) -> None:
    files = create_certificates(tmp_path)
    with UpdatableServer("named", tmp_path / "server", tls=files.server) as server:
        flags = build_flags(server.tls_address.port)
        argv = ["--source=service", *flags, "--rfc2136-use-tls"]
        reader, writer = build_provider(parse([*argv, f"--tls-ca={files.ca.certificate}"], {}))
        zone = reader.list_zones().zones[1]
        assert writer is not None
        outcome = writer.submit(zone, build_batch(zone, [create("x.example.org", "A", "192.0.2.1")]))
        assert isinstance(outcome, Applied)
        assert set(outcome.records) <= set(reader.read_page(zone, None).records)
        strange, _ = build_provider(parse(argv, {}))
        with pytest.raises(RetryableError, match="certificate verify failed"):
            strange.read_page(zone, None)
        careless, _ = build_provider(parse([*argv, "--rfc2136-skip-tls-verify"], {}))
        assert careless.read_page(zone, None).records


def test_a_server_that_requires_a_client_certificate_takes_updates_only_with_it(tmp_path: Path) -> None:
    files = create_certificates(tmp_path)
    with UpdatableServer("named", tmp_path / "server", tls=files.server, client_ca=files.ca.certificate) as server:
        argv = ["--source=service", *build_flags(server.tls_address.port), "--rfc2136-use-tls"]
        argv.append(f"--tls-ca={files.ca.certificate}")
        client = [f"--tls-client-cert={files.admin.certificate}", f"--tls-client-cert-key={files.admin.key}"]
        reader, writer = build_provider(parse([*argv, *client], {}))
        zone = reader.list_zones().zones[1]
        assert writer is not None
        batch = build_batch(zone, [create("x.example.org", "A", "192.0.2.1")])
        assert isinstance(writer.submit(zone, batch), Applied)
        strange_reader, strange_writer = build_provider(parse(argv, {}))
        with pytest.raises(RetryableError, match=r"Transfer on example\.org"):
            strange_reader.read_page(zone, None)
        assert strange_writer is not None
        assert isinstance(strange_writer.submit(zone, batch), Unknown)


def check(address: DnsServer, manifests: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, str]:
    (manifests / "web.json").write_text(json.dumps(service("web", "web.example.org")))
    argv = [*build_flags(address.port, *flags), "--source=service", "--txt-owner-id=me", f"--manifests={manifests}"]
    return cli.main(["check", *argv], {}), capsys.readouterr().out


TAKES_UPDATES: Final = "ok       permission to change zone example.org: the server takes updates"


def test_extdns_check_reports_that_the_server_accepts_updates_and_changes_no_record(
    server: UpdatableServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = query(server, "example.org", "SOA")
    code, output = check(server.address, tmp_path, capsys)
    assert code == 0
    assert TAKES_UPDATES in output
    assert query(server, "example.org", "SOA") == before


def test_extdns_check_reports_a_wrong_tsig_key(
    server: UpdatableServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, output = check(server.address, tmp_path, capsys, f"--rfc2136-tsig-secret={OTHER_SECRET}")
    assert code == 1
    found = "unknown" if server.program == "pdns_server" else "missing"
    assert f"{found}  permission to change zone example.org: Update on example.org at 127.0.0.1" in output
    assert "compare name, algorithm and secret of the key" in output


@pytest.mark.parametrize(
    ("updates", "code", "expected"),
    [
        pytest.param(
            "allow-update { none; }",
            1,
            "missing  permission to change zone example.org: the server answers REFUSED",
            id="no-updates",
        ),
        pytest.param("update-policy { grant extdns zonesub any; }", 0, TAKES_UPDATES, id="whole-zone"),
        pytest.param(
            "update-policy { grant extdns subdomain k8s.example.org. any; }",
            0,
            "unknown  permission to change zone example.org: the server takes updates, but answers REFUSED for TXT at",
            id="a-subdomain",
        ),
    ],
)
def test_extdns_check_reports_whether_the_server_allows_this_key_to_update_the_zone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], updates: str, code: int, expected: str
) -> None:
    with UpdatableServer("named", tmp_path / "server", updates=updates) as server:
        found, output = check(server.address, tmp_path, capsys)
    assert expected in output
    assert found == code


@pytest.mark.parametrize(
    ("flag", "content", "message"),
    [
        pytest.param("rfc2136-tsig-secret-file", None, "--rfc2136-tsig-secret-file=.* cannot be read", id="no-secret"),
        pytest.param("rfc2136-tsig-secret-file", "???", "is not base64", id="invalid-secret"),
        pytest.param("tls-ca", "no certificate", "--tls-ca=.*/file cannot be used", id="ca"),
    ],
)
def test_an_unusable_secret_or_certificate_file_is_a_usage_error(
    tmp_path: Path, flag: str, content: str | None, message: str
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    secret = () if flag == "rfc2136-tsig-secret-file" else (f"--rfc2136-tsig-secret={KEY.secret}",)
    argv = ["--source=service", *build_flags(53, f"--{flag}={path}", *secret), "--rfc2136-use-tls"]
    with pytest.raises(UsageError, match=message):
        build_provider(parse(argv, {}))
