"""Parse texts as zone files for tests."""

from __future__ import annotations

from extdns.errors import RetryableError
from extdns.model.record import Record
from providers.zonefile.master import MasterFile
from providers.zonefile.parse import parse_master_file

SOA = "@ 3600 IN SOA ns1 hostmaster 1 7200 900 1209600 300\n"


def read(text: str, *, label: str = "example.org.zone", files: dict[str, str] | None = None) -> MasterFile:
    def include(name: str) -> str:
        if files is None or name not in files:
            raise RetryableError(f"reading {name}: No such file or directory")
        return files[name]

    return parse_master_file(text, label, include)


def records(master: MasterFile) -> list[Record]:
    assert master.problem == ""
    return [record for name in sorted(master.records.names) for record in master.records.by_name[name]]
