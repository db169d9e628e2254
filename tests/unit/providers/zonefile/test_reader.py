"""Read zone files; an invalid file affects only its own zone."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.errors import ProviderError
from extdns.model import rrtype
from extdns.model.change import Refusal
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.model.zone import AccountFailure, Zone
from providers.common.plain_records import adjust_record
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader
from tests.conformance.provider import build_desired

SOA = "@ 60 SOA n h 1 1 1 1 1\n"


def reader(folder: Path, **files: str) -> ZoneFileReader:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return ZoneFileReader(ZoneFolder(folder), page_names=2)


def zone(name: str, file: str) -> Zone:
    return Zone(name=DnsName(name), id=file, account=file)


def test_each_zone_file_is_a_zone_with_its_own_account(tmp_path: Path) -> None:
    found = reader(tmp_path, b__zone=SOA, db__a=SOA).list_zones()
    assert found.zones == (zone("a", "db.a"), zone("b", "b.zone"))
    assert found.failed == ()


def test_a_file_without_soa_fails_and_other_zones_are_still_listed(tmp_path: Path) -> None:
    found = reader(tmp_path, a__zone=SOA, b__zone="b. 60 A 192.0.2.1\n").list_zones()
    assert found.zones == (zone("a", "a.zone"),)
    message = "b.zone: there is no SOA record with the name of a zone; allowed: one SOA record in each file"
    assert found.failed == (AccountFailure(account="b.zone", message=message, permanent=True),)


def test_an_unclosed_quote_makes_only_its_own_zone_unreadable(tmp_path: Path) -> None:
    files = reader(tmp_path, a__zone=SOA + 'x 60 TXT "1.2.3\n', b__zone=SOA + "x 60 A 192.0.2.1\n")
    found = files.list_zones()
    assert found.zones == (zone("a", "a.zone"), zone("b", "b.zone"))
    with pytest.raises(ProviderError, match=r"^a\.zone:2: 'x 60 TXT \"1\.2\.3' is not valid; allowed: quotes that"):
        files.read_page(found.zones[0], None)
    with pytest.raises(ProviderError, match=r"^a\.zone:2: "):
        files.read_names(found.zones[0], [DnsName("x.a")])
    assert len(files.read_page(found.zones[1], None).records) == 1


def test_an_invalid_record_makes_only_its_own_name_unreadable(tmp_path: Path) -> None:
    files = reader(tmp_path, a__zone=SOA + "x 60 A 1.2.3\ny 60 A 192.0.2.1\n")
    (found,) = files.list_zones().zones
    invalid, right = files.read_page(found, None).records
    assert (invalid.name, invalid.type, right.name) == ("x.a", rrtype.UNREADABLE, "y.a")
    assert invalid.targets == ("a.zone:2: '1.2.3' is not valid; allowed: an IPv4 address",)
    assert files.read_names(found, [invalid.name]) == (invalid,)


def test_two_files_that_contain_the_same_zone_are_both_reported_as_failed(tmp_path: Path) -> None:
    found = reader(tmp_path, a__zone=SOA, db__a=SOA, b__zone=SOA).list_zones()
    assert [each.name for each in found.zones] == ["b"]
    assert [(failure.account, failure.permanent) for failure in found.failed] == [("a.zone", True), ("db.a", True)]
    assert found.failed[0].message == "a.zone: another file in the folder also holds a; allowed: one file for each zone"


@pytest.mark.parametrize(
    ("code", "permanent"), [pytest.param(errno.EACCES, True, id="right"), pytest.param(errno.EIO, False, id="disk")]
)
def test_a_file_that_cannot_be_read_fails_and_other_zones_are_still_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, permanent: bool
) -> None:
    def fail(path: Path) -> bytes:
        if path.name == "a.zone":
            raise OSError(code, "no")
        return whole(path)

    files = reader(tmp_path, a__zone=SOA, b__zone=SOA)
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", fail)
    found = files.list_zones()
    assert [each.name for each in found.zones] == ["b"]
    assert [(failure.account, failure.permanent) for failure in found.failed] == [("a.zone", permanent)]


def test_a_page_never_splits_the_records_of_a_name(tmp_path: Path) -> None:
    text = SOA + "".join(f"{name} 60 {data}\n" for name in "dcba" for data in ("A 192.0.2.1", "TXT x"))
    files = reader(tmp_path, z__zone=text)
    (found,) = files.list_zones().zones
    first = files.read_page(found, None)
    assert [(record.name, record.type) for record in first.records] == [
        ("a.z", "A"),
        ("a.z", "TXT"),
        ("b.z", "A"),
        ("b.z", "TXT"),
    ]
    second = files.read_page(found, first.after)
    assert ([record.name for record in second.records], second.after) == (["c.z", "c.z", "d.z", "d.z"], None)


# Adjust desired records to zone files


ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
ALIAS = StringMap.from_items({"alias": "true"})


@pytest.mark.parametrize(
    ("desired_record", "targets"),
    [
        pytest.param(build_desired("w.example.org", "TXT", "v=spf1 -all"), ('"v=spf1 -all"',), id="TXT-without-quotes"),
        pytest.param(build_desired("w.example.org", "TXT", '"a"  "b"'), ('"a" "b"',), id="TXT-blanks"),
        pytest.param(
            build_desired("w.example.org", "SRV", "0  5 443 web.test."), ("0 5 443 web.test.",), id="SRV-blanks"
        ),
        pytest.param(build_desired("w.example.org", "SRV", "0 5 443 web"), ("0 5 443 web.",), id="SRV-without-dot"),
        pytest.param(build_desired("w.example.org", "NAPTR", "1 2 s x y ."), ('1 2 "s" "x" "y" .',), id="NAPTR-quotes"),
        pytest.param(build_desired("w.example.org", "MX", "10 mail.test."), ("10 mail.test",), id="MX-dot"),
        pytest.param(
            build_desired("w.example.org", "TXT", '"b"', "a", '"a"'), ('"a"', '"b"'), id="equal-after-all-and-sorted"
        ),
    ],
)
def test_targets_are_changed_to_the_form_in_which_they_will_be_read_back(
    desired_record: DesiredRecord, targets: tuple[str, ...]
) -> None:
    assert adjust_record(desired_record, ZONE) == replace(desired_record, targets=targets)


def test_properties_are_dropped_from_a_record_and_everything_else_is_kept() -> None:
    desired_record = DesiredRecord(
        name=DnsName("w.example.org"),
        type="A",
        targets=("192.0.2.1",),
        labels=StringMap.from_items({"resource": "service/a/b"}),
        properties=ALIAS.set("aws/weight", "1"),
    )
    assert adjust_record(desired_record, ZONE) == replace(desired_record, properties=StringMap.from_items())


@pytest.mark.parametrize(
    ("desired_record", "detail"),
    [
        pytest.param(build_desired("w.example.org", "CAA", '0 issue "x"'), "CAA is not among the types", id="type"),
        pytest.param(
            build_desired("w.example.net", "A", "192.0.2.1"),
            "lies outside zone example.org (example.org.zone)",
            id="zone",
        ),
        pytest.param(
            build_desired("w.example.org", "A", "192.0.2.1", set_identifier="blue"), "'blue'", id="set-identifier"
        ),
        pytest.param(
            replace(build_desired("w.example.org", "A", "lb.test"), properties=ALIAS),
            "zone files have no aliases",
            id="alias",
        ),
        pytest.param(
            build_desired("w.example.org", "CNAME", "a.test", "b.test"),
            "can have only one target, not 2: a.test, b.test",
            id="two-cnames",
        ),
        pytest.param(
            build_desired("w.example.org", "DNAME", "a.test", "b.test"),
            "a DNAME can have only one target",
            id="two-dnames",
        ),
        pytest.param(
            build_desired("_x.example.org", "A", "192.0.2.1"), "_x.example.org is not a host name", id="underscore"
        ),
        pytest.param(
            build_desired("x-.example.org", "AAAA", "2001:db8::1"), "is not a host name", id="hyphen-at-the-end"
        ),
        pytest.param(build_desired("a.*.example.org", "MX", "10 a.test"), "is not a host name", id="inner-wildcard"),
    ],
)
def test_records_that_a_zone_file_cannot_hold_are_refused(desired_record: DesiredRecord, detail: str) -> None:
    found = adjust_record(desired_record, ZONE)
    assert isinstance(found, Refusal)
    assert (found.desired, found.reason) == (desired_record, Reason.UNSUPPORTED)
    assert detail in found.detail


@pytest.mark.parametrize(
    "desired_record",
    [
        pytest.param(build_desired("w.example.org", "A", "192.0.2.1", "lb.test"), id="A"),
        pytest.param(build_desired("w.example.org", "A", "2001:db8::1"), id="A-of-v6"),
        pytest.param(build_desired("w.example.org", "MX", "ten mail.test"), id="MX"),
        pytest.param(build_desired("w.example.org", "MX", "10 _mail.test"), id="MX-host"),
        pytest.param(build_desired("w.example.org", "NS", "_ns.test"), id="NS-host"),
        pytest.param(build_desired("w.example.org", "SRV", "0 5 443 a_b.test."), id="SRV-host"),
        pytest.param(build_desired("w.example.org", "TXT", '"open'), id="TXT"),
    ],
)
def test_an_invalid_target_is_refused(desired_record: DesiredRecord) -> None:
    found = adjust_record(desired_record, ZONE)
    assert isinstance(found, Refusal)
    assert found.reason is Reason.INVALID_TARGET
    assert "is not valid; allowed: " in found.detail


def test_ptr_records_must_point_to_host_names_only_in_reverse_zones() -> None:
    zone = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    assert isinstance(adjust_record(build_desired("1.2.0.192.in-addr.arpa", "PTR", "_x.test"), zone), Refusal)
    assert isinstance(adjust_record(build_desired("1.2.0.192.in-addr.arpa", "PTR", "x.test"), zone), DesiredRecord)
    assert isinstance(adjust_record(build_desired("_dns-sd.example.org", "PTR", "_x.test"), ZONE), DesiredRecord)


def test_null_mx_and_null_srv_records_are_accepted() -> None:
    null = adjust_record(build_desired("w.example.org", "MX", "0 ."), ZONE)
    assert isinstance(null, DesiredRecord)
    assert null.targets == ("0 .",)
    assert isinstance(adjust_record(build_desired("w.example.org", "SRV", "0 0 0 ."), ZONE), DesiredRecord)
