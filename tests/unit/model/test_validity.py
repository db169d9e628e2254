"""Problems of desired records with an invalid target or property (docs/spec/sources.md 1.6)."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, validate_record
from extdns.model.value import EMPTY_MAP, StringMap

ALIAS = StringMap.from_items({"alias": "true"})
NO_ALIAS = StringMap.from_items({"alias": "false"})


def endpoint(rtype: str, *targets: str, properties: StringMap = EMPTY_MAP, name: str = "a.test") -> DesiredRecord:
    """Build a desired record at *name*."""
    return DesiredRecord(name=DnsName(name), type=rtype, targets=targets, properties=properties)


@pytest.mark.parametrize(
    "valid",
    [
        pytest.param(endpoint("A", "192.0.2.1", "192.0.2.2"), id="1.6-a"),
        pytest.param(endpoint("A"), id="1.6-a-without-targets"),
        pytest.param(endpoint("A", "lb.test", properties=ALIAS), id="1.6-a-alias"),
        pytest.param(endpoint("AAAA", "2001:db8::1"), id="1.6-aaaa"),
        pytest.param(endpoint("AAAA", "::ffff:192.0.2.1"), id="1.6-aaaa-mapped"),
        pytest.param(endpoint("AAAA", "lb.test", properties=ALIAS), id="1.6-aaaa-alias"),
        pytest.param(endpoint("MX", "10 mail.test", "0 m.test", "65535 m.test"), id="1.6-mx"),
        pytest.param(endpoint("MX"), id="1.6-mx-without-targets"),
        pytest.param(endpoint("SRV", "0 50 30022 h.test."), id="1.6-srv"),
        pytest.param(endpoint("PTR", "h.test", name="7.2.0.192.in-addr.arpa"), id="1.6-ptr"),
        pytest.param(endpoint("PTR", "h.test", name="1.0.ip6.arpa"), id="1.6-ptr-ipv6"),
        pytest.param(endpoint("CNAME", "", properties=NO_ALIAS), id="1.6-cname-anything"),
        pytest.param(endpoint("TXT", ""), id="1.6-txt-anything"),
        pytest.param(endpoint("NAPTR", "x"), id="1.6-naptr-anything"),
        pytest.param(endpoint("NS", "192.0.2.1"), id="1.6-ns-anything"),
        pytest.param(endpoint("CAA", "x"), id="1.6-unknown-type"),
    ],
)
def test_a_valid_desired_record_has_no_problem(valid: DesiredRecord) -> None:
    assert validate_record(valid) is None


@pytest.mark.parametrize(
    ("invalid", "value"),
    [
        pytest.param(endpoint("A", "192.0.2.1", "lb.test"), "lb.test", id="1.6-a-one-host-among-addresses"),
        pytest.param(endpoint("A", "lb.test", properties=NO_ALIAS), "lb.test", id="1.6-a-alias-false"),
        pytest.param(endpoint("A", "2001:db8::1"), "2001:db8::1", id="1.6-a-ipv6"),
        pytest.param(endpoint("A", "::ffff:192.0.2.1"), "::ffff:192.0.2.1", id="1.6-a-mapped"),
        pytest.param(endpoint("AAAA", "192.0.2.1"), "192.0.2.1", id="1.6-aaaa-ipv4"),
        pytest.param(endpoint("AAAA", "fe80::1%eth0"), "fe80::1%eth0", id="1.6-aaaa-zone"),
        pytest.param(endpoint("MX", "10"), "10", id="1.6-mx-one-field"),
        pytest.param(endpoint("MX", "10 a.test b"), "10 a.test b", id="1.6-mx-three-fields"),
        pytest.param(endpoint("MX", "65536 a.test"), "65536 a.test", id="1.6-mx-too-large"),
        pytest.param(endpoint("MX", "+1 a.test"), "+1 a.test", id="1.6-mx-sign"),
        pytest.param(endpoint("MX", "1٣ a.test"), "1٣ a.test", id="1.6-mx-digits-of-another-script"),
        pytest.param(endpoint("MX", "9" * 5000 + " a.test"), "9" * 5000 + " a.test", id="1.6-mx-huge"),
        pytest.param(endpoint("SRV", "0 50 30022 h.test"), "0 50 30022 h.test", id="1.6-srv-without-dot"),
        pytest.param(endpoint("SRV", "0 50 h.test."), "0 50 h.test.", id="1.6-srv-three-fields"),
        pytest.param(endpoint("SRV", "0 50 70000 h.test."), "0 50 70000 h.test.", id="1.6-srv-port-too-large"),
        pytest.param(endpoint("SRV", "0 5 1 h.", properties=NO_ALIAS), "alias on SRV", id="1.6-srv-alias-any-value"),
        pytest.param(endpoint("TXT", "x", properties=ALIAS), "alias on TXT", id="1.6-txt-alias"),
        pytest.param(endpoint("PTR", "h.test"), "a.test", id="1.6-ptr-outside-arpa"),
        pytest.param(endpoint("PTR", "h.test", name="in-addr.arpa"), "in-addr.arpa", id="1.6-ptr-at-the-root"),
        pytest.param(endpoint("PTR", name="1.ip6.arpa"), "no target", id="1.6-ptr-without-targets"),
        pytest.param(endpoint("PTR", "h.test", " ", name="1.ip6.arpa"), " ", id="1.6-ptr-blank-target"),
        pytest.param(endpoint("PTR", "192.0.2.1", name="1.ip6.arpa"), "192.0.2.1", id="1.6-ptr-address"),
    ],
)
def test_the_problem_of_an_invalid_desired_record_contains_the_invalid_value(
    invalid: DesiredRecord, value: str
) -> None:
    found = validate_record(invalid)
    assert found is not None
    assert found.value == value
    assert found.allowed
