"""The provider rfc2136 in front of real servers: what it reads, what it sends, and lost answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import dns.update
import pytest
from dns.rdtypes.ANY.SOA import SOA

from extdns.model import rrtype
from extdns.model.api_request import ApiCall
from extdns.model.change import Applied, Outcome, Refused, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions
from providers.rfc2136.client import build_key
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import DnsServer, Rfc2136Settings
from tests.conformance.provider import build_batch, create, delete, restate, update
from tests.fakes.dns_proxy import DnsProxy, Fault
from tests.updatable import KEY, PROGRAMS, UpdatableServer, start_clean

ZONE: Final = Zone(name=DnsName("example.org"), id="example.org")


@pytest.fixture(params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> UpdatableServer:
    return start_clean(request.param)


def build_settings(server: UpdatableServer) -> Rfc2136Settings:
    return Rfc2136Settings(servers=(server.address,), zones=(ZONE.name,), key=KEY)


def submit(zones: Rfc2136Zones, *writes: Write) -> Outcome:
    return Rfc2136Writer(zones).submit(ZONE, build_batch(ZONE, writes))


def read(zones: Rfc2136Zones) -> dict[tuple[str, str], Record]:
    return {(one.name, one.type): one for one in Rfc2136Reader(zones).read_page(ZONE, None).records}


def add(server: UpdatableServer, name: str, ttl_s: int, rtype: str, *data: str) -> None:
    """Add records as another program would."""
    message = dns.update.UpdateMessage(ZONE.name, keyring=build_key(KEY))
    for one in data:
        message.add(name, ttl_s, rtype, one)
    server.update(message)


def test_reading_an_unchanged_zone_takes_one_call_and_writing_a_batch_takes_one_call(server: UpdatableServer) -> None:
    calls: list[ApiCall] = []
    zones = Rfc2136Zones(replace(build_settings(server), calls=CallOptions(on_call=calls.append)))
    before = read(zones)
    calls.clear()
    assert read(zones) == before
    assert [(call.action, call.status) for call in calls] == [("Transfer", "ok")]
    calls.clear()
    assert isinstance(submit(zones, create("web.example.org", "A", "192.0.2.1")), Applied)
    assert [(call.action, call.status) for call in calls] == [("Update", "ok")]


def test_the_next_read_has_the_records_that_others_added_and_not_those_that_they_deleted(
    server: UpdatableServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    read(zones)
    add(server, "a.example.org.", 60, "A", "192.0.2.1", "192.0.2.2")
    assert read(zones)["a.example.org", "A"].targets == ("192.0.2.1", "192.0.2.2")
    server.reset()
    assert ("a.example.org", "A") not in read(zones)


@pytest.mark.parametrize("program", ["named", "knotd"])  # PowerDNS transfers the whole zone after each edit
def test_after_an_edit_by_others_the_server_sends_only_the_difference(program: str) -> None:
    server = start_clean(program)
    add(server, "long.example.org.", 60, "TXT", *(f'"{number:0200}"' for number in range(50)))
    with DnsProxy(server.address, lambda: Fault.NONE) as proxy:
        zones = Rfc2136Zones(replace(build_settings(server), servers=(proxy.address,)))
        read(zones)
        complete_bytes = proxy.answered_bytes
        add(server, "a.example.org.", 60, "A", "192.0.2.1")
        assert ("a.example.org", "A") in read(zones)
        assert (proxy.answered_bytes - complete_bytes) * 5 < complete_bytes


def test_a_zone_whose_serial_number_decreased_is_read_completely(server: UpdatableServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    add(server, "a.example.org.", 60, "A", "192.0.2.1")
    copy = zones.copies[ZONE.name]
    before = copy.read().by_name
    soa = copy._zone.get_rdataset("example.org.", "SOA")
    assert soa is not None
    (first,) = soa.items
    assert isinstance(first, SOA)
    later = first.replace(serial=first.serial + 1000)
    soa.items = {later: None}
    assert copy.read().by_name == before


def test_a_txt_record_split_into_other_strings_by_another_program_is_written_only_with_the_exact_bytes_read(
    server: UpdatableServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    add(server, "t.example.org.", 300, "TXT", f'"{"a" * 255}" ""')
    held = read(zones)["t.example.org", "TXT"]
    assert held.exact is not None
    assert isinstance(submit(zones, restate(held)), Applied)
    same_text = Record(name=held.name, type=held.type, targets=held.targets, ttl_s=held.ttl_s)
    assert isinstance(submit(zones, restate(same_text)), WriteConflict)
    assert isinstance(submit(zones, delete(held)), Applied)
    assert ("t.example.org", "TXT") not in read(zones)


@pytest.mark.parametrize(
    ("rtype", "data"),
    [
        pytest.param("MX", ("10 Mail.Example.NET.", "20 mail.example.net."), id="MX"),
        pytest.param("PTR", ("Host.Example.NET.",), id="PTR"),
        pytest.param("NAPTR", ('10 100 "S" "SIP+D2U" "" _sip._udp.Example.NET.',), id="NAPTR"),
    ],
)
def test_values_that_another_program_wrote_in_capitals_can_be_replaced_and_deleted(
    server: UpdatableServer, rtype: str, data: tuple[str, ...]
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    add(server, "t.example.org.", 300, rtype, *data)
    held = read(zones)["t.example.org", rtype]
    (made,) = applied(submit(zones, update(held, *held.targets[1:], data[0].replace("10", "30").lower(), ttl_s=300)))
    assert read(zones)["t.example.org", rtype] == made
    add(server, "t.example.org.", 300, rtype, data[0].replace("10", "40"))
    assert isinstance(submit(zones, delete(read(zones)["t.example.org", rtype])), Applied)
    assert ("t.example.org", rtype) not in read(zones)


def test_a_change_of_capitals_alone_in_a_txt_record_is_a_write_conflict_except_on_powerdns(
    server: UpdatableServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    (held,) = applied(submit(zones, create("t.example.org", "TXT", '"owner=me"')))
    server.reset()
    add(server, "t.example.org.", 300, "TXT", '"owner=ME"')
    outcome = submit(zones, update(held, '"owner=me" "more"'))
    assert isinstance(outcome, Applied if server.program == "pdns_server" else WriteConflict)


@pytest.mark.parametrize(
    ("rtype", "data"),
    [
        pytest.param("DS", f"12345 13 2 {'AB' * 32}", id="DS"),
        pytest.param("TLSA", f"3 1 1 {'ab' * 32}", id="TLSA"),
        pytest.param("SSHFP", f"4 2 {'ab' * 32}", id="SSHFP"),
        pytest.param("OPENPGPKEY", "YWJj" * 100, id="OPENPGPKEY"),
        pytest.param("CAA", '0 issue "ca.example.net"', id="CAA"),
        pytest.param("HTTPS", "1 . alpn=h2", id="HTTPS"),
        pytest.param("URI", f'10 1 "https://example.net/{"path/" * 30}"', id="URI"),
        pytest.param("TYPE65400", "\\# 3 abcdef", id="unknown-type"),
    ],
)
def test_a_zone_with_records_of_types_that_no_object_can_request_is_read_and_written(
    server: UpdatableServer, rtype: str, data: str
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    if rtype == "DS":
        add(server, "t.example.org.", 60, "NS", "ns.example.net.")
    add(server, "t.example.org.", 60, rtype, data)
    assert ("t.example.org", rtype) in read(zones)
    (made,) = applied(submit(zones, create("web.example.org", "A", "192.0.2.1")))
    assert read(zones)["web.example.org", "A"] == made


def test_names_with_special_characters_are_read_and_written_but_not_those_with_a_dot_inside_a_label(
    server: UpdatableServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    add(server, "dot\\.ted.example.org.", 60, "TXT", "x")  # no object can request this name
    (made,) = applied(submit(zones, create("key'%(a)!.example.org", "TXT", '"\\007\\255 \\"quoted\\""')))
    found = read(zones)
    assert found[made.name, "TXT"] == made
    assert len(found) == 3 and ("dot.ted.example.org", "TXT") not in found  # noqa: PT018 - with NS and glue
    assert isinstance(submit(zones, delete(made)), Applied)


def applied(outcome: Outcome) -> tuple[Record, ...]:
    assert isinstance(outcome, Applied), outcome
    return outcome.records


def test_the_ns_records_of_the_zone_can_be_replaced_and_not_deleted(server: UpdatableServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    held = read(zones)["example.org", "NS"]
    (made,) = applied(submit(zones, update(held, "ns2.example.net", ttl_s=77)))
    assert read(zones)["example.org", "NS"] == made
    assert isinstance(submit(zones, delete(made)), Refused)


def test_replacing_a_record_by_a_cname_is_refused_if_a_record_of_a_third_type_is_at_the_name(
    server: UpdatableServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    (held,) = applied(submit(zones, create("web.example.org", "A", "192.0.2.1")))
    add(server, "web.example.org.", 60, "CAA", '0 issue "ca.example.net"')
    outcome = submit(zones, delete(held), create("web.example.org", "CNAME", "lb.example.net"))
    assert isinstance(outcome, Refused)
    assert outcome.offending_names == ("web.example.org",)
    assert read(zones)["web.example.org", "A"] == held


def test_a_batch_larger_than_a_dns_message_is_refused(server: UpdatableServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    text = " ".join(f'"{"x" * 255}"' for _ in range(14))
    outcome = submit(zones, *(create(f"n{n}.example.org", "TXT", text) for n in range(20)))
    assert isinstance(outcome, Refused)
    assert "65535 bytes" in outcome.message


def test_a_zone_of_thousands_of_records_is_read_completely(server: UpdatableServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    for start in range(0, 3000, 500):
        batch = [create(f"n{n}.example.org", "TXT", f'"{"x" * 60} {n}"') for n in range(start, start + 500)]
        applied(submit(zones, *batch))
    assert sum(one.type == rrtype.TXT for one in read(Rfc2136Zones(build_settings(server))).values()) == 3000


def test_a_zone_transfer_above_the_size_limit_fails(server: UpdatableServer) -> None:
    zones = Rfc2136Zones(replace(build_settings(server), max_transfer_bytes=10))
    with pytest.raises(Exception, match="more than 10 bytes"):
        read(zones)


def test_the_next_server_is_used_if_the_first_cannot_be_reached(server: UpdatableServer) -> None:
    closed = DnsServer(host=server.address.host, port=1)
    for strategy in ("disabled", "round-robin", "random"):
        settings = replace(build_settings(server), servers=(closed, server.address), strategy=strategy)
        zones = Rfc2136Zones(settings)
        assert read(zones)
        assert isinstance(submit(zones), Applied)
