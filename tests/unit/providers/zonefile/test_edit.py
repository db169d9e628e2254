"""Add and remove records in zone files without changing anything else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import date

import dns.rdatatype
import dns.zone
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.model.change import Write
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.zonefile.edit import advance_serial, apply_file_change, is_before
from providers.zonefile.master import FileChange, MasterFile
from providers.zonefile.parse import parse_master_file
from providers.zonefile.writer import plan_file_change
from tests.conformance.provider import create, delete, update
from tests.zonefiles import zone_texts

ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
TODAY = date(2026, 11, 21)
SOA = "@ 3600 IN SOA ns1 hostmaster 41 7200 900 1209600 300\n"
NEXT = SOA.replace(" 41 ", " 42 ")
BEGIN = "; BEGIN extdns: the lines from here on are written by extdns\n"
END = "; END extdns\n"
OWNERSHIP = '"heritage=external-dns,external-dns/owner=me"'


def read(text: str) -> MasterFile:
    master = parse_master_file(text, ZONE.id, str)
    assert master.problem == ""
    return master


def change(master: MasterFile, writes: Sequence[Write]) -> MasterFile:
    found = plan_file_change(master, ZONE, writes)
    assert isinstance(found, FileChange), found
    return apply_file_change(master, found, TODAY)


def held(master: MasterFile, label: str, rtype: str) -> Record:
    (record,) = [r for r in master.records.by_name[DnsName(f"{label}.example.org")] if r.type == rtype]
    return record


def test_the_first_record_of_extdns_adds_a_section_at_the_end_of_the_zone_file() -> None:
    before = "; mine\n" + SOA + "a 60 A 192.0.2.1 ; also mine\n"
    writes = [create("web.example.org", "A", "192.0.2.9", "192.0.2.10"), create("a-web.example.org", "TXT", OWNERSHIP)]
    assert change(read(before), writes).text == (
        "; mine\n" + NEXT + "a 60 A 192.0.2.1 ; also mine\n" + BEGIN
        + f"a-web.example.org. 300 IN TXT {OWNERSHIP}\n"
        "web.example.org. 300 IN A 192.0.2.10\n"
        "web.example.org. 300 IN A 192.0.2.9\n" + END
    )  # fmt: skip


def test_deleting_the_last_record_of_extdns_removes_its_section_and_restores_the_zone_file() -> None:
    before = SOA + "a 60 A 192.0.2.1\n"
    there = change(read(before), [create("web.example.org", "A", "192.0.2.9")])
    assert change(there, [delete(held(there, "web", "A"))]).text == before.replace(" 41 ", " 43 ")


def test_new_records_are_inserted_into_the_section_in_sorted_order() -> None:
    master = read(SOA)
    for label in ("m", "z", "b"):
        master = change(master, [create(f"{label}.example.org", "A", "192.0.2.1", ttl_s=60)])
    one_go = change(read(SOA), [create(f"{label}.example.org", "A", "192.0.2.1", ttl_s=60) for label in "zbm"])
    assert master.text.replace(" 44 ", " 42 ") == one_go.text
    assert [line.split(".")[0] for line in one_go.text.splitlines()[2:-1]] == ["b", "m", "z"]


def test_an_update_of_a_record_elsewhere_in_the_file_moves_it_into_the_section() -> None:
    master = read(SOA + "web 60 A 192.0.2.1\nb 60 A 192.0.2.2\n")
    after = change(master, [update(held(master, "web", "A"), "192.0.2.3")])
    assert after.text == NEXT + "b 60 A 192.0.2.2\n" + BEGIN + "web.example.org. 60 IN A 192.0.2.3\n" + END


def test_deleting_a_record_set_removes_all_of_its_lines_and_no_others() -> None:
    master = read(SOA + 'web 60 A 192.0.2.1\nweb 60 TXT ( "x" ; why\n "y" )\nWEB.example.org. 60 A 192.0.2.2\n')
    assert change(master, [delete(held(master, "web", "A"))]).text == NEXT + 'web 60 TXT ( "x" ; why\n "y" )\n'
    assert "why" not in change(master, [delete(held(master, "web", "TXT"))]).text


def test_a_line_that_took_its_name_from_a_deleted_line_gets_that_name() -> None:
    master = read(SOA + "web 60 A 192.0.2.1\n\t60 TXT x ; kept\n  60 MX 10 m\n")
    after = change(master, [delete(held(master, "web", "A"))])
    assert after.text == NEXT + "web.example.org.\t60 TXT x ; kept\n  60 MX 10 m\n"


def test_a_line_that_took_its_ttl_from_a_deleted_line_gets_that_ttl() -> None:
    master = read(SOA + "web 60 A 192.0.2.1\nb A 192.0.2.2\n A 192.0.2.3\n")
    after = change(master, [delete(held(master, "web", "A"))])
    assert after.text == NEXT + "b 60 A 192.0.2.2\n A 192.0.2.3\n"


def test_a_soa_that_took_its_ttl_from_a_deleted_line_gets_that_ttl() -> None:
    master = read("@ 60 TXT x\n IN SOA n h 41 1 1 1 1\n")
    record = master.records.by_name[DnsName("example.org")][0]
    assert change(master, [delete(record)]).text == "example.org. 60 IN SOA n h 42 1 1 1 1\n"


def test_lines_after_the_section_of_extdns_keep_their_name_and_ttl() -> None:
    master = read(SOA + "a 60 A 192.0.2.1\n" + BEGIN + END + " TXT mine\n")
    after = change(master, [create("z.example.org", "A", "192.0.2.9")])
    section = BEGIN + "z.example.org. 300 IN A 192.0.2.9\n" + END
    assert after.text == NEXT + "a 60 A 192.0.2.1\n" + section + "a.example.org. 60 TXT mine\n"


def test_comments_in_the_section_of_extdns_are_unchanged_by_an_edit() -> None:
    section = BEGIN + "; a note\nb.example.org. 60 IN A 192.0.2.1\n" + END
    master = read(SOA + section)
    after = change(master, [create("c.example.org", "A", "192.0.2.2"), delete(held(master, "b", "A"))])
    assert after.text == NEXT + BEGIN + "; a note\nc.example.org. 300 IN A 192.0.2.2\n" + END


def test_an_edit_adds_a_missing_line_end_to_the_last_line_of_the_zone_file() -> None:
    after = change(read(SOA + "a 60 A 192.0.2.1"), [create("b.example.org", "A", "192.0.2.2")])
    assert after.text == NEXT + "a 60 A 192.0.2.1\n" + BEGIN + "b.example.org. 300 IN A 192.0.2.2\n" + END


def test_added_lines_have_the_same_line_ending_as_the_zone_file() -> None:
    after = change(read(SOA.replace("\n", "\r\n")), [create("b.example.org", "A", "192.0.2.2")])
    assert after.text.count("\r\n") == after.text.count("\n") == 4


def test_bytes_of_a_zone_file_that_are_not_utf8_are_unchanged_by_an_edit() -> None:
    before = SOA + "; gr\xfc\xdfe \x00\x01\n"
    after = change(read(before), [create("b.example.org", "A", "192.0.2.2")])
    assert after.text.startswith(before.replace(" 41 ", " 42 "))


@pytest.mark.parametrize(
    "soa",
    [
        pytest.param("@ 60 SOA n h 41 1 1 1 1 ; 41\n", id="one-line"),
        pytest.param("@ 60 SOA 41 41 ( ; 41\n 41 ; 41\n 41 41 41 41 )\n", id="parentheses"),
        pytest.param("@ ( 60 IN SOA n h\n 41 1 1 1 41 )\n", id="early-parenthesis"),
    ],
)
def test_an_edit_changes_only_the_serial_in_the_soa(soa: str) -> None:
    after = change(read(soa), [create("b.example.org", "A", "192.0.2.2")]).text
    numbered = next(entry for entry in read(after).entries if entry.serial != (0, 0))
    assert numbered.text[slice(*numbered.serial)] == "42"
    start, end = numbered.serial
    assert numbered.text[:start] + "41" + numbered.text[end:] == soa


@st.composite
def histories(draw: st.DrawFn) -> tuple[MasterFile, list[MasterFile], set[tuple[str, str]]]:
    """Generate a zone file, the file after each of several batches, and the keys that the batches change."""
    master = read(draw(zone_texts()))
    states, touched = [master], set[tuple[str, str]]()
    for _ in range(draw(st.integers(1, 4))):
        there = [
            record for records in master.records.by_name.values() for record in records if record.type in {"A", "TXT"}
        ]
        writes = [
            update(record, *new) if new else delete(record)
            for record in draw(
                st.lists(st.sampled_from(there), max_size=3, unique_by=lambda r: r.key) if there else st.just([])
            )
            for new in [draw(st.sampled_from([(), ("192.0.2.8",) if record.type == "A" else ('"new"',)]))]
        ]
        for label in draw(st.sets(st.sampled_from(["n", "x.n", "*", "zz"]), max_size=3)):
            name = DnsName(f"{label}.example.org")
            if not any(record.type == "A" for record in master.records.by_name.get(name, ())):
                writes.append(create(name, "A", "192.0.2.7"))
        found = plan_file_change(master, ZONE, writes)
        if isinstance(found, FileChange) and writes:
            touched |= {(write.key.name, write.key.type) for write in writes}
            master = apply_file_change(master, found, TODAY)
            states.append(master)
    return states[0], states, touched


def oracle(text: str) -> dict[tuple[str, str], tuple[int, str]]:
    zone = dns.zone.from_text(text, origin="example.org.", relativize=False, check_origin=False)
    return {
        (name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(found.rdtype)): (
            found.ttl,
            str(sorted(found)),
        )
        for name, found in zone.iterate_rdatasets()
        if found.rdtype != dns.rdatatype.SOA
    }


@settings(max_examples=40)
@given(histories())
def test_an_edit_changes_no_record_of_others_advances_the_serial_and_keeps_in_memory_what_the_file_says(
    history: tuple[MasterFile, list[MasterFile], set[tuple[str, str]]],
) -> None:
    first, states, touched = history
    foreign = {key: value for key, value in oracle(first.text).items() if key not in touched}
    for state in states:
        now = oracle(state.text)
        assert {key: now.get(key) for key in foreign} == foreign
        again = read(state.text)
        assert again.records.by_name == state.records.by_name
        assert [e for e in again.entries if e.owner] == [e for e in state.entries if e.owner]
    serials = [int(state.text[slice(*_absolute_serial(state))]) for state in states]
    assert all(is_before(earlier, later) for earlier, later in itertools.pairwise(serials))


def _absolute_serial(master: MasterFile) -> tuple[int, int]:
    offset = 0
    for entry in master.entries:
        if entry.serial != (0, 0):
            return offset + entry.serial[0], offset + entry.serial[1]
        offset += len(entry.text)
    raise AssertionError(master)


@settings(max_examples=40)
@given(zone_texts(), st.lists(st.sets(st.sampled_from("klmno"), min_size=1), max_size=4))
def test_lines_of_other_tools_in_a_zone_file_are_unchanged_byte_for_byte(text: str, batches: list[set[str]]) -> None:
    text = text.replace("BEGIN extdns", "x").replace("END extdns", "x")
    master = read(text)
    for batch in batches:
        ours = {name.partition(".")[0] for name in master.records.names} & set("klmno")
        writes = [
            delete(held(master, label, "A")) if label in ours else create(f"{label}.example.org", "A", "192.0.2.7")
            for label in sorted(batch)
        ]
        master = change(master, writes)
    start, end = _absolute_serial(read(text))
    now_start, now_end = _absolute_serial(master)
    now = master.text[:now_start] + text[start:end] + master.text[now_end:]
    assert now.startswith(text)
    assert now[len(text) :].removeprefix("\n").startswith(BEGIN) or now in {text, text + "\n"}


INVALID = ("a 60 A 192.0.2.999\n", "  60 WEB x\n", "a 9999999999 A x\n", "a ( CH\n A ) ; why\r\n", "a 5\n")


@pytest.mark.parametrize("invalid", INVALID)
@pytest.mark.parametrize("where", ["alone", "in-our-section"])
def test_a_line_that_cannot_be_read_is_unchanged_byte_for_byte_by_an_edit(invalid: str, where: str) -> None:
    begin, end = (BEGIN, END) if where == "in-our-section" else ("", "")
    before = f"{SOA}a 60 A 192.0.2.1\n{begin}a 60 A 192.0.2.2\n{invalid}  60 A 192.0.2.3\nc 60 A 192.0.2.1\n{end}"
    there = change(read(before), [create("b.example.org", "A", "192.0.2.9"), delete(held(read(before), "c", "A"))])
    assert f"a 60 A 192.0.2.2\n{invalid}  60 A 192.0.2.3\n" in there.text
    assert "c 60" not in there.text
    again = parse_master_file(there.text, ZONE.id, str).records.by_name[DnsName("a.example.org")]
    assert [(r.type, len(r.targets)) for r in again] == [("?", 1), ("A", 3)]


def test_a_record_that_took_its_ttl_from_an_invalid_line_keeps_it() -> None:
    before = read("@ 9 SOA n h 41 1 1 1 1\na 60 A 192.0.2.1\nb 70 WEB x\nc A 192.0.2.1\n")
    after = change(before, [delete(held(before, "a", "A"))])
    assert after.text == "@ 9 SOA n h 42 1 1 1 1\nb 70 WEB x\nc A 192.0.2.1\n"


# Advance SOA serials


@given(st.integers(0, 2**32 - 1), st.dates(date(1970, 1, 1), date(2199, 12, 31)))
def test_the_next_serial_of_the_soa_is_greater_as_rfc_1982_defines_it_whatever_the_date(
    serial: int, today: date
) -> None:
    following = advance_serial(serial, today)
    assert 0 < following < 2**32
    assert is_before(serial, following)


@pytest.mark.parametrize(
    ("serial", "following"),
    [
        pytest.param(1, 2, id="count"),
        pytest.param(0, 1, id="zero"),
        pytest.param(2026112000, 2026112100, id="date-of-yesterday"),
        pytest.param(2026112100, 2026112101, id="date-of-today"),
        pytest.param(2026112199, 2026112200, id="hundredth-change-of-a-day"),
        pytest.param(2027010101, 2027010102, id="date-to-come"),
        pytest.param(2026133101, 2026133102, id="no-such-month"),
        pytest.param(2026022901, 2026022902, id="no-such-day"),
        pytest.param(1795305600, 1795305601, id="time-stamp"),
        pytest.param(4294967295, 1, id="wraps-past-zero"),
        pytest.param(4294967294, 4294967295, id="last"),
    ],
)
def test_the_next_serial_stays_a_date_if_it_was_one_and_a_counter_otherwise(serial: int, following: int) -> None:
    assert advance_serial(serial, TODAY) == following


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        pytest.param(1, 1, False, id="equal"),
        pytest.param(1, 2, True, id="next"),
        pytest.param(2, 1, False, id="before"),
        pytest.param(4294967295, 0, True, id="wrapped"),
        pytest.param(0, 2**31 - 1, True, id="farthest"),
        pytest.param(0, 2**31, False, id="undefined"),
    ],
)
def test_serials_are_compared_as_rfc_1982_defines_it(earlier: int, later: int, expected: bool) -> None:
    assert is_before(earlier, later) is expected
