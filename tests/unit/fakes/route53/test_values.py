"""The syntax of record values (developer guide, "Supported DNS record types")."""

from __future__ import annotations

import pytest

from tests.unit.fakes.route53.raw_client import RawClient, build_simple

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
        pytest.param("SRV", "0 0 0 .", id="SRV-with-null-target"),
        pytest.param("TXT", '"Sample text."', id="TXT"),
        pytest.param("TXT", '"one" "two"', id="TXT-of-two-strings"),
        pytest.param("TXT", r'"a \"quoted\" word and \303\251"', id="TXT-with-escapes"),
        pytest.param("TXT", f'"{"a" * 255}"', id="TXT-of-255-bytes"),
        pytest.param("TXT", '"' + r"\101" * 255 + '"', id="TXT-of-255-escaped-bytes"),
        pytest.param("TXT", '""', id="TXT-of-an-empty-string"),
    ],
)
def test_a_valid_value_is_stored_unchanged(raw_client: RawClient, kind: str, value: str) -> None:
    raw_client.create(build_simple(NAME, kind, value))
    (shown,) = raw_client.fake.shown(raw_client.zone_id)
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
def test_an_invalid_value_is_refused_with_its_problem(
    raw_client: RawClient, kind: str, value: str, problem: str
) -> None:
    code, message = raw_client.refusal(("CREATE", build_simple(NAME, kind, value)))
    assert code == "InvalidChangeBatch"
    assert message.startswith(f"[Invalid Resource Record: 'FATAL problem: {problem}")
    assert message.endswith(f" encountered with '{value}'']")


def test_every_invalid_value_of_a_batch_is_reported(raw_client: RawClient) -> None:
    """The response has one message for each invalid value. The valid record set of the batch is not created."""
    message = raw_client.refusal(
        ("CREATE", build_simple("good.example.com")),
        ("CREATE", build_simple("bad.example.com", "A", "1.2.3")),
        ("CREATE", build_simple("worse.example.com", "TXT", "x", "y")),
    )[1]
    assert message.count("FATAL problem") == 3


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            build_simple(NAME, "CNAME", "a.test", "b.test"), id="«more than one value for all … except CNAME and SOA»"
        ),
        pytest.param(build_simple(NAME, "A", *(f"192.0.{n // 250}.{n % 250}" for n in range(401))), id="401-values"),
    ],
)
def test_several_values_of_a_cname_or_more_than_400_values_are_refused(
    raw_client: RawClient, record: dict[str, object]
) -> None:
    assert raw_client.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_a_duplicate_value_is_refused(raw_client: RawClient) -> None:
    """Observed at the real service: kubernetes-sigs/external-dns issue 1929."""
    message = raw_client.refusal(("CREATE", build_simple(NAME, "A", "192.0.2.1", "192.0.2.1", "192.0.2.1")))[1]
    assert message == "[Duplicate Resource Record: '192.0.2.1', Duplicate Resource Record: '192.0.2.1']"
