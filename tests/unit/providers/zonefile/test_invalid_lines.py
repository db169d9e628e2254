"""Invalid lines in zone files: an invalid record affects its name, an error that makes the rest uncertain the zone."""

from __future__ import annotations

import pytest

from extdns.model.dns_name import DnsName
from tests.unit.providers.zonefile.zone_text import SOA, read, records


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("60 A 192.0.2.999", "'192.0.2.999' is not valid; allowed: an IPv4 address", id="data"),
        pytest.param("60 WEB x", "'WEB' is not valid; allowed: a record type, such as A or CNAME", id="type"),
        pytest.param("CH A 192.0.2.1", "'CH' is not valid; allowed: class IN", id="class"),
        pytest.param("60", "'60' is not valid; allowed: [ttl] [class] type data", id="no-type"),
        pytest.param(
            "9999999999 A 192.0.2.1", "'9999999999' is not valid; allowed: a TTL, such as 300 or 1h30m", id="ttl"
        ),
        pytest.param("60 MX mail", "'mail' is not valid; allowed: a preference and a host name", id="mx"),
        pytest.param("60 TXT ( x\n y \\999 )", "'\\\\999' is not valid; allowed: a backslash", id="two-lines"),
    ],
)
def test_an_invalid_line_is_reported_with_file_line_number_and_what_is_allowed(line: str, words: str) -> None:
    text = f"{SOA}a 60 A 192.0.2.1\n  {line}\nb 60 A 192.0.2.1\n"
    master = read(text)
    assert [(r.name, r.type) for r in records(master)] == [
        ("a.example.org", "?"),
        ("a.example.org", "A"),
        ("b.example.org", "A"),
    ]
    (message,) = master.records[DnsName("a.example.org")][0].targets
    assert message.startswith(f"example.org.zone:3: {words}")
    assert master.text == text


def test_a_line_with_only_a_name_is_reported_with_the_name() -> None:
    (record,) = records(read(f"{SOA}lonely\n"))
    assert record.targets == ("example.org.zone:2: 'lonely' is not valid; allowed: name [ttl] [class] type data",)


def test_all_invalid_lines_of_a_name_are_reported() -> None:
    (record,) = records(read(f"{SOA}a 60 WEB x\na 60 A x\n"))
    assert [target.partition(": ")[0] for target in record.targets] == ["example.org.zone:2", "example.org.zone:3"]


def test_a_line_after_an_invalid_one_takes_over_its_name_and_ttl() -> None:
    found = records(read(f"{SOA}a 60 WEB x\n  A 192.0.2.1\n"))
    assert [(r.name, r.type, r.ttl_s) for r in found] == [("a.example.org", "?", 0), ("a.example.org", "A", 60)]


@pytest.mark.parametrize("line", ["a\\.b 60 WEB x\n", "a.example.net. 60 WEB x\n"], ids=["strange", "outside"])
def test_an_invalid_line_about_a_name_outside_the_zone_is_ignored(line: str) -> None:
    assert records(read(SOA + line)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("a..b 60 A 192.0.2.1\n", "example.org.zone:2: 'a..b' is not valid; allowed: a name", id="name"),
        pytest.param(
            "  b 60 A 192.0.2.1\n", "example.org.zone:2: 'b 60 A 192.0.2.1' is not valid; allowed: a name", id="blank"
        ),
        pytest.param(
            "  1b A 192.0.2.1\n", "example.org.zone:2: '1b A 192.0.2.1' is not valid; allowed: a name", id="digit"
        ),
        pytest.param("$TTTL 5\n", "example.org.zone:2: '$TTTL 5' is not valid; allowed: $ORIGIN name", id="directive"),
        pytest.param("$ORIGIN\n", "example.org.zone:2: '$ORIGIN' is not valid; allowed: $ORIGIN name", id="no-origin"),
        pytest.param("$INCLUDE gone\n", "example.org.zone:2: reading gone: No such file", id="include"),
        pytest.param(
            "$GENERATE 1-2 h$ A 192.0.2.$\n",
            "example.org.zone:2: '$GENERATE 1-2 h$ A 192.0.2.$' is not valid; allowed: a TTL",
            id="generate-without-ttl",
        ),
        pytest.param(
            'a 60 TXT "x\n', "example.org.zone:2: 'a 60 TXT \"x' is not valid; allowed: quotes that end", id="quote"
        ),
        pytest.param(
            "a 60 TXT ( x\n", "example.org.zone:2: 'a 60 TXT ( x' is not valid; allowed: a closing", id="parenthesis"
        ),
        pytest.param(
            SOA,
            "example.org.zone:2: '@ 3600 IN SOA ns1 hostmaster 1 7200 900 1209600 300' is not valid; allowed: one SOA",
            id="second-soa",
        ),
        pytest.param(
            "other 60 SOA n h 1 1 1 1 1\n",
            "example.org.zone:2: 'other 60 SOA n h 1 1 1 1 1' is not valid; allowed: one SOA",
            id="soa-below",
        ),
    ],
)
def test_an_error_that_makes_later_lines_uncertain_makes_the_zone_unreadable(text: str, fault: str) -> None:
    master = read(SOA + text)
    assert master.problem.startswith(fault)
    assert master.zone == "example.org"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("", "example.org.zone: there is no SOA record", id="empty"),
        pytest.param("a 60 A 192.0.2.1\n", "example.org.zone: there is no SOA record", id="no-soa"),
        pytest.param(
            "  60 A 192.0.2.1\n", "example.org.zone:1: '60' is not valid; allowed: a name at the start", id="no-owner"
        ),
        pytest.param(
            "a A 192.0.2.1\n", "example.org.zone:1: 'a A 192.0.2.1' is not valid; allowed: a TTL", id="no-ttl"
        ),
        pytest.param(
            "@ 60 SOA n h one 1 1 1 1\n",
            "example.org.zone:1: 'n h one 1 1 1 1' is not valid; allowed: SOA data",
            id="soa-data",
        ),
        pytest.param(
            "@ 60 SOA \\# 22 00000000000100000001000000010000000100000001\n", "example.org.zone:1: ", id="soa-rfc3597"
        ),
        pytest.param(
            "a\\.b. 60 SOA n h 1 1 1 1 1\n",
            "example.org.zone: there is no SOA record with the name of a zone; allowed: one SOA record in each file",
            id="soa-of-a-strange-name",
        ),
        pytest.param(
            "sub 60 SOA n h 1 1 1 1 1\n",
            "example.org.zone: the owner of its SOA depends on the name of the file",
            id="soa-of-a-relative-name",
        ),
    ],
)
def test_a_file_without_valid_soa_is_reported(text: str, fault: str) -> None:
    assert read(text).problem.startswith(fault)


def test_only_the_first_error_that_makes_a_zone_unreadable_is_reported() -> None:
    assert read(SOA + "a..b 60 A x\n$TTTL 5\n").problem.startswith("example.org.zone:2: ")


def test_an_invalid_line_in_an_included_file_is_reported_with_that_file() -> None:
    (record,) = records(read(SOA + "$INCLUDE x\n", files={"x": "\na 60 WEB x\n"}))
    assert record.targets[0].startswith("x:2: ")


def test_an_invalid_signature_makes_the_zone_read_only() -> None:
    assert read(f"{SOA}a 60 RRSIG x\n").write_problem.startswith("example.org.zone:2: the file contains a signed zone")
