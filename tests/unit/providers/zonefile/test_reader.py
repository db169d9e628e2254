"""Read zone files; an invalid file affects only its own zone."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from extdns.errors import ProviderError
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.zone import AccountFailure, Zone
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader

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


def test_listing_zones_of_a_deleted_folder_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "zones"
    folder.mkdir()
    files = reader(folder)
    folder.rmdir()
    with pytest.raises(ProviderError, match="listing"):
        files.list_zones()


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


def test_reading_a_page_again_returns_the_records_after_an_edit_of_the_file(tmp_path: Path) -> None:
    files = reader(tmp_path, z__zone=SOA + "a 60 A 192.0.2.1\n")
    (found,) = files.list_zones().zones
    assert len(files.read_page(found, None).records) == 1
    (tmp_path / "z.zone").write_text(SOA + "a 60 A 192.0.2.1\nb 60 A 192.0.2.1\n")
    assert len(files.read_page(found, None).records) == 2


def test_the_soa_is_not_read_as_a_record(tmp_path: Path) -> None:
    files = reader(tmp_path, z__zone=SOA + "@ 60 NS n\n")
    (found,) = files.list_zones().zones
    assert [record.type for record in files.read_page(found, None).records] == ["NS"]
    assert [record.type for record in files.read_names(found, [DnsName("z")])] == ["NS"]
