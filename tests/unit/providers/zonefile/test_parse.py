"""Parse zone files, compared with dnspython."""

from __future__ import annotations

import dns.zone
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.dns_name import DnsName
from providers.zonefile.master import TtlSource
from providers.zonefile.parse import MAX_DEPTH, find_origin
from tests.unit.providers.zonefile.zone_text import SOA, read, records
from tests.zonefiles import zone_texts


@given(zone_texts())
def test_a_zone_file_is_parsed_as_dnspython_parses_it(text: str) -> None:
    zone = dns.zone.from_text(text, origin="example.org.", relativize=False, check_origin=False)
    theirs = {
        (name.to_text(omit_final_dot=True).lower(), str(rdataset.rdtype.name), rdataset.ttl, len(rdataset))
        for name, rdataset in zone.iterate_rdatasets()
        if rdataset.rdtype.name != "SOA"
    }
    assert {(r.name, r.type, r.ttl_s, len(r.targets)) for r in records(read(text))} == theirs


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_parsing_any_text_as_a_zone_file_raises_no_exception(text: str) -> None:
    master = read(text)
    assert master.text == text
    assert master.problem


@given(
    st.lists(
        st.sampled_from(
            [
                "$ORIGIN",
                "$TTL",
                "$INCLUDE",
                "$GENERATE",
                "@",
                "SOA",
                "A",
                "TXT",
                "IN",
                "60",
                "x",
                ".",
                "1-3",
                "\\#",
                '"',
                "(",
                ")",
                ";",
                "\\",
                "\n",
                "\n ",
                "\xff",
            ]
        ),
        max_size=30,
    ).map(" ".join)
)
def test_parsing_any_words_as_a_zone_file_raises_no_exception(text: str) -> None:
    assert read(SOA + text, files={"x": SOA}).text == SOA + text


@pytest.mark.parametrize(
    ("label", "origin"),
    [
        pytest.param("example.org.zone", "example.org.", id="name.zone"),
        pytest.param("db.example.org", "example.org.", id="db.name"),
        pytest.param("db.example.org.zone", "db.example.org.", id="zone-counts-before-db"),
        pytest.param("Example.ORG.zone", "example.org.", id="case"),
        pytest.param("no name.zone", ".", id="no-name"),
    ],
)
def test_names_in_a_zone_file_are_relative_to_the_zone_name_in_its_file_name_at_first(label: str, origin: str) -> None:
    assert find_origin(label) == origin


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@ 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="file-name"),
        pytest.param("$ORIGIN example.net.\n@ 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="origin"),
        pytest.param("example.net. 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="owner-of-the-soa"),
        pytest.param("www 60 A 192.0.2.1\nexample.net. 60 SOA n h 1 1 1 1 1\n", id="owner-of-a-late-soa"),
    ],
)
def test_a_zone_file_contains_the_zone_that_its_soa_names_and_other_names_are_relative_to_it(text: str) -> None:
    master = read(text, label="example.net.zone" if text.startswith("@") else "internal.zone")
    assert master.zone == "example.net"
    assert [record.name for record in records(master)] == ["www.example.net"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a 60 A 192.0.2.1\na 30 A 192.0.2.2\n", {"a": 30}, id="lowest-of-different-ttls"),
        pytest.param("a 30 A 192.0.2.1\na 60 A 192.0.2.1\n", {"a": 30}, id="lowest-ttl-of-duplicate-records"),
        pytest.param("a IN 60 A 192.0.2.1\nb 60 IN A 192.0.2.1\n", {"a": 60, "b": 60}, id="class-and-ttl-in-any-order"),
        pytest.param("a 60 A 192.0.2.1\nb A 192.0.2.1\n", {"a": 60, "b": 60}, id="ttl-of-the-one-before"),
        pytest.param("b A 192.0.2.1\n", {"b": 3600}, id="ttl-of-the-soa"),
        pytest.param("$TTL 5\na 60 A 192.0.2.1\nb A 192.0.2.1\n", {"a": 60, "b": 5}, id="default-ttl"),
    ],
)
def test_a_record_without_ttl_takes_that_of_the_line_before_and_of_different_ttls_the_lowest_counts(
    text: str, expected: dict[str, int]
) -> None:
    found = records(read(SOA + text))
    assert {record.name.removesuffix(".example.org"): record.ttl_s for record in found} == expected


def test_without_another_ttl_the_minimum_of_the_soa_is_the_ttl() -> None:
    master = read("@ SOA n h 1 1 1 1 77\na A 192.0.2.1\nb 60 A 192.0.2.1\nc A 192.0.2.1\n")
    assert [record.ttl_s for record in records(master)] == [77, 60, 77]
    assert TtlSource.PREVIOUS not in {entry.ttl_source for entry in master.entries}


def test_records_outside_the_zone_or_with_unsupported_names_are_skipped() -> None:
    text = "a\\.b 60 A 192.0.2.1\ngr\xfcn 60 A 192.0.2.1\nwww.example.net. 60 A 192.0.2.1\nok 60 A 192.0.2.1\n"
    assert [record.name for record in records(read(SOA + text))] == ["ok.example.org"]


def test_records_of_types_that_extdns_does_not_publish_are_read() -> None:
    text = 'a 60 CAA 0 issue "ca.example"\na 60 HTTPS 1 . alpn=h2\na 60 TYPE65534 \\# 1 00\n'
    assert [record.type for record in records(read(SOA + text))] == ["CAA", "HTTPS", "TYPE65534"]


def test_records_from_generate_lines_can_be_read_and_not_changed() -> None:
    master = read(SOA + "$TTL 5\n$GENERATE 1-3/2 h$ A 192.0.2.$\n$GENERATE 1-1 m 60 IN MX 10 ignored\n")
    assert master.problem.startswith("example.org.zone:4: ")
    master = read(SOA + "$TTL 5\n$GENERATE 1-3/2 h$ A 192.0.2.$\n$GENERATE 1-1 a\\.$ A 192.0.2.$\n")
    assert {(r.name, r.targets, r.ttl_s) for r in records(master)} == {
        ("h1.example.org", ("192.0.2.1",), 5),
        ("h3.example.org", ("192.0.2.3",), 5),
    }
    assert set(master.read_only.values()) == {"example.org.zone:3 ($GENERATE)"}


def test_records_from_included_files_can_be_read_and_not_changed_and_have_their_own_origin() -> None:
    files = {"hosts.inc": "a 60 A 192.0.2.1\n$ORIGIN deep\n\\.x 60 A 192.0.2.1\n"}
    master = read(SOA + 'b 60 A 192.0.2.1\n$INCLUDE "hosts.inc" sub\n  60 AAAA 2001:db8::1\n', files=files)
    assert [(r.name, r.type) for r in records(master)] == [
        ("a.sub.example.org", "A"),
        ("b.example.org", "A"),
        ("b.example.org", "AAAA"),
    ]
    assert list(master.read_only.values()) == ["hosts.inc:1"]


def test_an_included_file_does_not_take_over_the_last_name_of_the_including_file() -> None:
    text = f"{SOA}a 60 A 192.0.2.1\n$INCLUDE x\n"
    assert read(text, files={"x": "  60 A 192.0.2.1\n"}).problem.startswith("x:1: ")


def test_an_included_file_does_not_take_over_the_last_ttl_of_the_including_file() -> None:
    text = f"{SOA}a 60 A 192.0.2.1\n$INCLUDE x\n"
    invalid, _ = sorted(records(read(text, files={"x": "b A 192.0.2.1\n"})), key=lambda record: record.ttl_s)
    assert invalid.targets[0].startswith("x:1: 'b A 192.0.2.1' is not valid; allowed: a TTL")


def test_files_that_include_each_other_are_an_error() -> None:
    master = read(SOA + "$INCLUDE x\n", files={"x": "$INCLUDE x\n" * 50})
    assert f"at most {MAX_DEPTH} deep" in master.problem


@pytest.mark.parametrize("rtype", ["RRSIG", "NSEC", "NSEC3"])
def test_a_signed_zone_file_is_read_only(rtype: str) -> None:
    data = {
        "RRSIG": "A 13 2 60 20300101000000 20200101000000 1 example.org. AAAA",
        "NSEC": "b.example.org. A RRSIG",
        "NSEC3": "1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A",
    }[rtype]
    master = read(f"{SOA}a 60 {rtype} {data}\n")
    assert master.problem == ""
    assert master.write_problem.startswith(f"example.org.zone:2: the file contains a signed zone ({rtype})")


def test_a_zone_with_an_included_soa_is_read_only() -> None:
    master = read("$INCLUDE soa.inc\n", files={"soa.inc": SOA})
    assert (master.zone, master.problem) == ("example.org", "")
    assert master.write_problem.startswith("soa.inc:1: the SOA is in an included file")


# Invalid lines in zone files: an invalid record affects its name, an error that makes the rest uncertain the zone


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
    (message,) = master.records.by_name[DnsName("a.example.org")][0].targets
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


def test_an_invalid_signature_makes_the_zone_read_only() -> None:
    assert read(f"{SOA}a 60 RRSIG x\n").write_problem.startswith("example.org.zone:2: the file contains a signed zone")
