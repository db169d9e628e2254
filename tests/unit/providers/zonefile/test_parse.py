"""What a master file says, compared with what dnspython reads in it."""

from __future__ import annotations

import dns.zone
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.zonefile.master import TtlFrom
from providers.zonefile.parse import MAX_DEPTH, origin_of
from tests.unit.providers.zonefile.scene import SOA, read, records
from tests.zonefiles import zone_texts


@given(zone_texts())
def test_the_same_is_read_as_by_dnspython(text: str) -> None:
    zone = dns.zone.from_text(text, origin="example.org.", relativize=False, check_origin=False)
    theirs = {
        (name.to_text(omit_final_dot=True).lower(), str(rdataset.rdtype.name), rdataset.ttl, len(rdataset))
        for name, rdataset in zone.iterate_rdatasets()
        if rdataset.rdtype.name != "SOA"
    }
    assert {(r.name, r.type, r.ttl_s, len(r.targets)) for r in records(read(text))} == theirs


@given(zone_texts())
def test_the_text_is_kept(text: str) -> None:
    assert read(text).text == text


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_any_text_is_read_or_faulted_and_never_raises(text: str) -> None:
    master = read(text)
    assert master.text == text
    assert master.fault


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
def test_any_words_are_read_or_faulted_and_never_raise(text: str) -> None:
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
def test_the_file_name_is_the_origin(label: str, origin: str) -> None:
    assert origin_of(label) == origin


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@ 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="file-name"),
        pytest.param("$ORIGIN example.net.\n@ 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="origin"),
        pytest.param("example.net. 60 SOA n h 1 1 1 1 1\nwww 60 A 192.0.2.1\n", id="owner-of-the-soa"),
        pytest.param("www 60 A 192.0.2.1\nexample.net. 60 SOA n h 1 1 1 1 1\n", id="owner-of-a-late-soa"),
    ],
)
def test_the_zone_is_the_owner_of_the_soa_and_names_are_relative_to_it(text: str) -> None:
    master = read(text, label="example.net.zone" if text.startswith("@") else "internal.zone")
    assert master.zone == "example.net"
    assert [record.name for record in records(master)] == ["www.example.net"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a 60 A 192.0.2.1\na 30 A 192.0.2.2\n", {"a": 30}, id="least-of-different-ttls"),
        pytest.param("a 30 A 192.0.2.1\na 60 A 192.0.2.1\n", {"a": 30}, id="least-of-one-record-given-twice"),
        pytest.param("a IN 60 A 192.0.2.1\nb 60 IN A 192.0.2.1\n", {"a": 60, "b": 60}, id="class-and-ttl-in-any-order"),
        pytest.param("a 60 A 192.0.2.1\nb A 192.0.2.1\n", {"a": 60, "b": 60}, id="ttl-of-the-one-before"),
        pytest.param("b A 192.0.2.1\n", {"b": 3600}, id="ttl-of-the-soa"),
        pytest.param("$TTL 5\na 60 A 192.0.2.1\nb A 192.0.2.1\n", {"a": 60, "b": 5}, id="default-ttl"),
    ],
)
def test_ttls_carry_over(text: str, expected: dict[str, int]) -> None:
    found = records(read(SOA + text))
    assert {record.name.removesuffix(".example.org"): record.ttl_s for record in found} == expected


def test_without_any_ttl_the_last_field_of_the_soa_counts() -> None:
    master = read("@ SOA n h 1 1 1 1 77\na A 192.0.2.1\nb 60 A 192.0.2.1\nc A 192.0.2.1\n")
    assert [record.ttl_s for record in records(master)] == [77, 60, 77]
    assert TtlFrom.PREVIOUS not in {entry.ttl_from for entry in master.entries}


def test_names_that_values_cannot_hold_and_names_outside_are_left_out() -> None:
    text = "a\\.b 60 A 192.0.2.1\ngr\xfcn 60 A 192.0.2.1\nwww.example.net. 60 A 192.0.2.1\nok 60 A 192.0.2.1\n"
    assert [record.name for record in records(read(SOA + text))] == ["ok.example.org"]


def test_types_that_are_not_published_are_read_all_the_same() -> None:
    text = 'a 60 CAA 0 issue "ca.example"\na 60 HTTPS 1 . alpn=h2\na 60 TYPE65534 \\# 1 00\n'
    assert [record.type for record in records(read(SOA + text))] == ["CAA", "HTTPS", "TYPE65534"]


def test_generated_records_are_read_and_stay_where_they_are() -> None:
    master = read(SOA + "$TTL 5\n$GENERATE 1-3/2 h$ A 192.0.2.$\n$GENERATE 1-1 m 60 IN MX 10 ignored\n")
    assert master.fault.startswith("example.org.zone:4: ")
    master = read(SOA + "$TTL 5\n$GENERATE 1-3/2 h$ A 192.0.2.$\n$GENERATE 1-1 a\\.$ A 192.0.2.$\n")
    assert {(r.name, r.targets, r.ttl_s) for r in records(master)} == {
        ("h1.example.org", ("192.0.2.1",), 5),
        ("h3.example.org", ("192.0.2.3",), 5),
    }
    assert set(master.fixed.values()) == {"example.org.zone:3 ($GENERATE)"}


def test_included_records_are_read_with_their_origin_and_stay_where_they_are() -> None:
    files = {"hosts.inc": "a 60 A 192.0.2.1\n$ORIGIN deep\n\\.x 60 A 192.0.2.1\n"}
    master = read(SOA + 'b 60 A 192.0.2.1\n$INCLUDE "hosts.inc" sub\n  60 AAAA 2001:db8::1\n', files=files)
    assert [(r.name, r.type) for r in records(master)] == [
        ("a.sub.example.org", "A"),
        ("b.example.org", "A"),
        ("b.example.org", "AAAA"),
    ]
    assert list(master.fixed.values()) == ["hosts.inc:1"]


def test_an_included_file_takes_no_owner_from_the_lines_before_it() -> None:
    text = f"{SOA}a 60 A 192.0.2.1\n$INCLUDE x\n"
    assert read(text, files={"x": "  60 A 192.0.2.1\n"}).fault.startswith("x:1: ")


def test_an_included_file_takes_no_ttl_from_the_lines_before_it() -> None:
    text = f"{SOA}a 60 A 192.0.2.1\n$INCLUDE x\n"
    wrong, _ = sorted(records(read(text, files={"x": "b A 192.0.2.1\n"})), key=lambda record: record.ttl_s)
    assert wrong.targets[0].startswith("x:1: 'b A 192.0.2.1' is not valid; allowed: a TTL")


def test_files_that_include_each_other_come_to_an_end() -> None:
    master = read(SOA + "$INCLUDE x\n", files={"x": "$INCLUDE x\n" * 50})
    assert f"at most {MAX_DEPTH} deep" in master.fault


@pytest.mark.parametrize("rtype", ["RRSIG", "NSEC", "NSEC3"])
def test_a_zone_signed_in_its_file_is_read_and_not_changed(rtype: str) -> None:
    data = {
        "RRSIG": "A 13 2 60 20300101000000 20200101000000 1 example.org. AAAA",
        "NSEC": "b.example.org. A RRSIG",
        "NSEC3": "1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A",
    }[rtype]
    master = read(f"{SOA}a 60 {rtype} {data}\n")
    assert master.fault == ""
    assert master.frozen.startswith(f"example.org.zone:2: the zone is signed in its file ({rtype})")


def test_an_included_soa_is_read_and_not_changed() -> None:
    master = read("$INCLUDE soa.inc\n", files={"soa.inc": SOA})
    assert (master.zone, master.fault) == ("example.org", "")
    assert master.frozen.startswith("soa.inc:1: the SOA stands in an included file")
