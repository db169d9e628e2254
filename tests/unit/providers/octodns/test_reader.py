"""What is read through octoDNS, and which desired records it can keep."""

from __future__ import annotations

import pytest

from extdns.errors import ForbiddenError, RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from tests.conformance.provider import Rig, build_desired
from tests.fakes.octodns_package import BusyError, MemoryService
from tests.unit.providers.octodns.conftest import BuildRig


def read(rig: Rig, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return type and targets of each record at *name* in `example.org`."""
    found = rig.reader.read_names(rig.zone, [DnsName(f"{name}.example.org")])
    return [(record.type, record.targets) for record in found]


def test_records_that_octodns_considers_invalid_are_read_like_others(
    build_rig: BuildRig, service: MemoryService
) -> None:
    service.put("odd", "MX", {"preference": 10, "exchange": "no host."})
    service.put("semi", "TXT", "v=DKIM1;p=x")
    service.put("alone", "SRV", {"priority": 0, "weight": 0, "port": 1, "target": "a.example.net"})
    service.put("web", "A", "192.0.2.1")
    rig = build_rig()
    assert read(rig, "web") == [("A", ("192.0.2.1",))]
    assert read(rig, "semi") == [("TXT", ('"v=DKIM1;p=x"',))]
    assert read(rig, "alone") == [("SRV", ("0 0 1 a.example.net.",))]
    ((rtype, (problem,)),) = read(rig, "odd")
    assert (rtype, problem[:3]) == ("?MX", "MX:")


def test_a_zone_with_a_record_that_octodns_cannot_decode_is_unreadable(
    build_rig: BuildRig, service: MemoryService
) -> None:
    service.put("odd", "A", "not an address")
    with pytest.raises(
        RetryableError, match=r"Populate on example\.org: AddressValueError: Expected 4 octets in 'not an"
    ):
        build_rig().read()


def test_dynamic_records_are_unreadable_and_provider_specific_types_keep_their_text(
    build_rig: BuildRig, service: MemoryService
) -> None:
    pools = {"one": {"values": [{"value": "192.0.2.1"}]}}
    service.put("geo", "A", "192.0.2.1", dynamic={"pools": pools, "rules": [{"pool": "one"}]})
    service.put("alias", "ALIAS", value="lb.example.net.")
    rig = build_rig()
    assert [rtype for rtype, _ in read(rig, "geo")] == ["?A"]
    assert read(rig, "alias") == [("ALIAS", ("lb.example.net.",))]


def test_each_read_returns_the_current_records_although_the_octodns_provider_caches_them(
    build_rig: BuildRig, service: MemoryService
) -> None:
    rig = build_rig()
    assert read(rig, "web") == []
    service.put("web", "A", "192.0.2.1")
    assert read(rig, "web") == [("A", ("192.0.2.1",))]
    assert service.reads == 2


def test_a_missing_zone_is_an_error_and_an_empty_zone_has_no_records(
    build_rig: BuildRig, service: MemoryService
) -> None:
    service.zones["example.org."].clear()
    rig = build_rig()
    assert rig.read() == ()
    del service.zones["example.org."]
    with pytest.raises(RetryableError, match="provider here has no such zone, and extdns creates none"):
        rig.read()
    service.zones["example.org."] = {}
    with pytest.raises(RetryableError, match="no such zone"):
        build_rig(lists=False).read()


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        pytest.param(BusyError(403), ForbiddenError, id="403"),
        pytest.param(Exception("PowerDNS unauthorized host=ns"), ForbiddenError, id="unauthorized-by-name"),
        pytest.param(BusyError(503), RetryableError, id="503"),
        pytest.param(BusyError(404), RetryableError, id="404"),
        pytest.param(TimeoutError("timed out"), RetryableError, id="timeout"),
    ],
)
def test_the_error_about_a_failed_read_has_the_cause_and_the_zone(
    build_rig: BuildRig, service: MemoryService, failure: Exception, error: type[Exception]
) -> None:
    rig = build_rig()
    service.read_failures.append(failure)
    with pytest.raises(error, match=rf"Populate on example\.org: {type(failure).__name__}: {failure}"):
        rig.read()


def test_the_error_about_a_failed_read_is_on_one_line(build_rig: BuildRig, service: MemoryService) -> None:
    rig = build_rig()
    service.read_failures.append(ValueError('while parsing a block mapping\n  in "shop.yaml", line 3, column 2'))
    with pytest.raises(RetryableError, match=r'while parsing a block mapping in "shop\.yaml", line 3'):
        rig.read()


def test_a_record_of_a_type_that_the_octodns_provider_does_not_support_is_refused(build_rig: BuildRig) -> None:
    rig = build_rig()
    naptr = build_desired("n.example.org", "NAPTR", '10 100 "S" "SIP+D2U" "" _sip._udp.example.net.')
    (refusal,) = rig.reader.adjust([naptr], rig.zone).refused
    assert (refusal.reason, refusal.detail) == (Reason.UNSUPPORTED, "provider here does not have NAPTR")


@pytest.mark.parametrize(
    ("rtype", "targets", "detail"),
    [
        pytest.param("PTR", ("a.example.net", "b.example.net"), "a PTR can have only one target, not 2", id="ptr"),
        pytest.param("SRV", ("0 0 1 a.example.net.",), "invalid name for SRV record", id="octodns-finds-it-invalid"),
        pytest.param("TXT", ('"a" "b"',), "only texts of printable ASCII in one string", id="strings"),
        pytest.param("TXT", ('"a \\" b"',), "only texts of printable ASCII in one string", id="quote"),
        pytest.param("TXT", ('"\\195\\164"',), "only texts of printable ASCII in one string", id="not-ascii"),
    ],
)
def test_records_that_octodns_would_not_keep_as_requested_are_refused(
    build_rig: BuildRig, rtype: str, targets: tuple[str, ...], detail: str
) -> None:
    rig = build_rig()
    (refusal,) = rig.reader.adjust([build_desired("1.example.org", rtype, *targets)], rig.zone).refused
    assert detail in refusal.detail


def test_name_servers_of_the_zone_itself_are_refused(build_rig: BuildRig) -> None:
    rig = build_rig()
    (refusal,) = rig.reader.adjust([build_desired("example.org", "NS", "ns2.example.net")], rig.zone).refused
    assert "protects the NS records" in refusal.detail


def test_a_ttl_below_the_minimum_of_the_octodns_provider_is_raised(build_rig: BuildRig) -> None:
    rig = build_rig(min_ttl=120)
    desired = [build_desired(f"{ttl_s}.example.org", "A", "192.0.2.1", ttl_s=ttl_s) for ttl_s in (0, 60, 600)]
    assert [found.ttl_s for found in rig.reader.adjust(desired, rig.zone).accepted] == [0, 120, 600]
