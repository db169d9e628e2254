"""Master files as text, and what is read of them."""

from __future__ import annotations

from extdns.errors import RetryableError
from extdns.model.record import Record
from providers.zonefile.master import Master
from providers.zonefile.parse import parse

SOA = "@ 3600 IN SOA ns1 hostmaster 1 7200 900 1209600 300\n"


def read(text: str, *, label: str = "example.org.zone", files: dict[str, str] | None = None) -> Master:
    def include(name: str) -> str:
        if files is None or name not in files:
            raise RetryableError(f"reading {name}: No such file or directory")
        return files[name]

    return parse(text, label, include)


def records(master: Master) -> list[Record]:
    assert master.fault == ""
    return [record for name in sorted(master.records) for record in master.records[name]]
