"""The syntax of values: developer guide, "Supported DNS record types"."""

from __future__ import annotations

import pytest

from tests.fakes.route53.probe import Probe, simple

NAME = "www.example.com"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param("A", "192.0.2.1", id="A"),
        pytest.param("AAAA", "2001:0db8:85a3:0:0:8a2e:0370:7334", id="AAAA"),
        pytest.param("CAA", '0 issue "ca.example.net; account=123456"', id="CAA"),
        pytest.param("CNAME", "hostname.example.com", id="CNAME"),
        pytest.param("CNAME", "192.0.2.1", id="CNAME-that-looks-like-an-address"),
        pytest.param("MX", "10 mail.example.com.", id="MX"),
        pytest.param("NAPTR", '100 50 "u" "E2U+sip" "!^(\\\\+441632960083)$!sip:\\\\1@example.com!" .', id="NAPTR"),
        pytest.param("NS", "ns-1.example.com", id="NS"),
        pytest.param("PTR", "hostname.example.com", id="PTR"),
        pytest.param("SPF", '"v=spf1 ip4:192.168.0.1/16-all"', id="SPF"),
        pytest.param("SRV", "10 5 80 hostname.example.com", id="SRV"),
        pytest.param("SRV", "0 0 0 .", id="SRV-of-no-service"),
        pytest.param("TXT", '"Sample text."', id="TXT"),
        pytest.param("TXT", '"one" "two"', id="TXT-of-two-strings"),
        pytest.param("TXT", r'"a \"quoted\" word and \303\251"', id="TXT-with-escapes"),
        pytest.param("TXT", f'"{"a" * 255}"', id="TXT-of-255-bytes"),
        pytest.param("TXT", '"' + r"\101" * 255 + '"', id="TXT-of-255-escaped-bytes"),
        pytest.param("TXT", '""', id="TXT-of-an-empty-string"),
    ],
)
def test_a_value_is_taken_and_shown_as_given(probe: Probe, kind: str, value: str) -> None:
    probe.create(simple(NAME, kind, value))
    (shown,) = probe.fake.shown(probe.zone_id)
    assert shown["ResourceRecords"] == [{"Value": value}]


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        pytest.param(
            "A", "ns-738.awsdns-28.net.", "ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)", id="A"
        ),
        pytest.param("A", "2001:db8::1", "ARRDATAIllegalIPv4Address", id="A-of-IPv6"),
        pytest.param("AAAA", "192.0.2.1", "AAAARRDATAIllegalIPv6Address", id="AAAA-of-IPv4"),
        pytest.param("CAA", "0 issue ca.test", "CAARRDATA", id="CAA-without-quotes"),
        pytest.param("CAA", '256 issue "ca.test"', "CAARRDATA", id="CAA-flag-over-255"),
        pytest.param("CNAME", "a..test", "DomainLabelEmpty (Domain label is empty)", id="CNAME-with-empty-label"),
        pytest.param("CNAME", f"{'a' * 64}.test", "DomainLabelTooLong", id="CNAME-with-long-label"),
        pytest.param("MX", "mail.example.com", "MXRRDATAPriorityRequired", id="MX-without-priority"),
        pytest.param("MX", "70000 mail.example.com", "MXRRDATAPriorityRequired", id="MX-priority-over-16-bits"),
        pytest.param("NAPTR", '100 50 "u" "E2U+sip" .', "NAPTRRRDATA", id="NAPTR-of-five-fields"),
        pytest.param("NS", "", "DomainNameEmpty", id="NS-empty"),
        pytest.param("SRV", "10 5 hostname.example.com", "SRVRRDATA", id="SRV-of-three-fields"),
        pytest.param("SRV", "10 5 70000 hostname.example.com", "SRVRRDATA", id="SRV-port-over-16-bits"),
        pytest.param(
            "TXT",
            "heritage=external-dns",
            "InvalidCharacterString (Value should be enclosed in quotation marks)",
            id="TXT-without-quotes",
        ),
        pytest.param("TXT", '"a" b', "InvalidCharacterString", id="TXT-half-quoted"),
        pytest.param("TXT", '"a', "InvalidCharacterString", id="TXT-not-closed"),
        pytest.param("TXT", f'"{"a" * 256}"', "CharacterStringTooLong (Value is too long)", id="TXT-of-256-bytes"),
        pytest.param(
            "TXT", " ".join(['"' + "a" * 250 + '"'] * 16), "CharacterStringTooLong", id="over-4000-characters"
        ),
        pytest.param("TXT", '"é"', "UnsupportedCharacter", id="TXT-not-ascii"),
    ],
)
def test_a_value_is_refused(probe: Probe, kind: str, value: str, problem: str) -> None:
    code, message = probe.refusal(("CREATE", simple(NAME, kind, value)))
    assert code == "InvalidChangeBatch"
    assert message.startswith(f"[Invalid Resource Record: 'FATAL problem: {problem}")
    assert message.endswith(f" encountered with '{value}'']")


def test_each_bad_value_is_told(probe: Probe) -> None:
    """One message an error; the good one beside them is not made."""
    message = probe.refusal(
        ("CREATE", simple("good.example.com")),
        ("CREATE", simple("bad.example.com", "A", "1.2.3")),
        ("CREATE", simple("worse.example.com", "TXT", "x", "y")),
    )[1]
    assert message.count("FATAL problem") == 3


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            simple(NAME, "CNAME", "a.test", "b.test"), id="«more than one value for all … except CNAME and SOA»"
        ),
        pytest.param(simple(NAME, "A", *(f"192.0.{n // 250}.{n % 250}" for n in range(401))), id="401-values"),
    ],
)
def test_values_together_are_refused(probe: Probe, record: dict[str, object]) -> None:
    assert probe.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_a_value_may_not_be_there_twice(probe: Probe) -> None:
    """Seen of the service: kubernetes-sigs/external-dns issue 1929."""
    message = probe.refusal(("CREATE", simple(NAME, "A", "192.0.2.1", "192.0.2.1", "192.0.2.1")))[1]
    assert message == "[Duplicate Resource Record: '192.0.2.1', Duplicate Resource Record: '192.0.2.1']"
