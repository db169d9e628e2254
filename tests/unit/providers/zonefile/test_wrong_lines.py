"""What is wrong in a master file: a record costs its name, what leaves nothing certain costs the zone."""

from __future__ import annotations

import pytest

from extdns.model.name import DnsName
from tests.unit.providers.zonefile.scene import SOA, read, records


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("60 A 192.0.2.999", "'192.0.2.999' is not valid; allowed: an IPv4 address", id="data"),
        pytest.param("60 WEB x", "'WEB' is not valid; allowed: a record type, as A or CNAME", id="type"),
        pytest.param("CH A 192.0.2.1", "'CH' is not valid; allowed: class IN", id="class"),
        pytest.param("60", "'60' is not valid; allowed: [ttl] [class] type data", id="no-type"),
        pytest.param("9999999999 A 192.0.2.1", "'9999999999' is not valid; allowed: a TTL, as 300 or 1h30m", id="ttl"),
        pytest.param("60 MX mail", "'mail' is not valid; allowed: a preference and a host name", id="mx"),
        pytest.param("60 TXT ( x\n y \\999 )", "'\\\\999' is not valid; allowed: a backslash", id="two-lines"),
    ],
)
def test_a_wrong_record_costs_its_name_and_is_named_with_file_line_and_what_is_allowed(line: str, words: str) -> None:
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


def test_all_that_is_wrong_at_a_name_is_told() -> None:
    (record,) = records(read(f"{SOA}a 60 WEB x\na 60 A x\n"))
    assert [target.partition(": ")[0] for target in record.targets] == ["example.org.zone:2", "example.org.zone:3"]


def test_what_a_wrong_record_states_carries_over_all_the_same() -> None:
    found = records(read(f"{SOA}a 60 WEB x\n  A 192.0.2.1\n"))
    assert [(r.name, r.type, r.ttl_s) for r in found] == [("a.example.org", "?", 0), ("a.example.org", "A", 60)]


@pytest.mark.parametrize("line", ["a\\.b 60 WEB x\n", "a.example.net. 60 WEB x\n"], ids=["strange", "outside"])
def test_a_wrong_record_at_a_name_that_is_not_read_is_not_read_either(line: str) -> None:
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
def test_what_leaves_nothing_certain_costs_the_zone(text: str, fault: str) -> None:
    master = read(SOA + text)
    assert master.fault.startswith(fault)
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
            "example.org.zone: there is no SOA record of a zone that can be published",
            id="soa-of-a-strange-name",
        ),
        pytest.param(
            "sub 60 SOA n h 1 1 1 1 1\n",
            "example.org.zone: the owner of its SOA depends on the name of the file",
            id="soa-of-a-relative-name",
        ),
    ],
)
def test_a_file_without_a_usable_soa_says_so(text: str, fault: str) -> None:
    assert read(text).fault.startswith(fault)


def test_the_first_of_several_faults_is_named() -> None:
    assert read(SOA + "a..b 60 A x\n$TTTL 5\n").fault.startswith("example.org.zone:2: ")


def test_a_wrong_record_of_an_included_file_is_named_there() -> None:
    (record,) = records(read(SOA + "$INCLUDE x\n", files={"x": "\na 60 WEB x\n"}))
    assert record.targets[0].startswith("x:2: ")


def test_a_wrong_signature_is_a_signature() -> None:
    assert read(f"{SOA}a 60 RRSIG x\n").frozen.startswith("example.org.zone:2: the zone is signed")
