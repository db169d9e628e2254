"""Keep a copy of one zone up to date by AXFR and IXFR, and convert it to records (docs/design/rfc2136.md)."""

from __future__ import annotations

from operator import attrgetter
from threading import Lock
from typing import Final

import dns.name
import dns.node
import dns.rdataset
import dns.rdatatype
import dns.zone

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import Record, canonicalize_targets
from providers.common import rdata
from providers.common.api_calls import CallFailedError
from providers.common.zone_contents import NO_CONTENTS, ZoneContents
from providers.rfc2136.client import DnsClient

_MAINTAINED: Final = frozenset(
    {"SOA", "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "DNSKEY", "CDS", "CDNSKEY", "KEY", "TYPE65534"}
)
"""The types of records that the server maintains by itself."""


class ZoneCopy:
    """The copy of one zone; safe from any thread. Reading raises only `CallFailedError`."""

    def __init__(self, zone: DnsName, client: DnsClient) -> None:
        self._name = rdata.build_name(zone)
        self._client = client
        self._lock = Lock()
        self._discard()
        self._converted: dict[dns.name.Name, tuple[dns.node.Node, DnsName | None, tuple[Record, ...]]] = {}
        self._records = NO_CONTENTS

    def read(self) -> ZoneContents:
        """Return the records that the zone has now. Takes one query, or two if an IXFR fails."""
        with self._lock:
            try:
                return self._update()
            except CallFailedError:
                if not self._zone.nodes:
                    raise
                self._discard()
                return self._update()

    def read_completely(self) -> ZoneContents:
        """Return the records that the zone has now, read by AXFR: the serial may not show all edits."""
        with self._lock:
            self._discard()
            return self._update()

    def _discard(self) -> None:
        self._zone = dns.zone.Zone(self._name, relativize=False)

    def _update(self) -> ZoneContents:
        before = self._zone.nodes
        self._client.update_copy(self._zone)
        if self._zone.nodes is not before:
            self._records = self._convert()
        return self._records

    def _convert(self) -> ZoneContents:
        """Return all records. Nodes that have not changed since the last call are not converted again."""
        converted: dict[dns.name.Name, tuple[dns.node.Node, DnsName | None, tuple[Record, ...]]] = {}
        for name, node in self._zone.nodes.items():
            known = self._converted.get(name)
            converted[name] = known if known is not None and known[0] is node else (node, *_convert_node(name, node))
        self._converted = converted
        by_name = {name: records for _, name, records in converted.values() if name is not None and records}
        return ZoneContents(by_name)


def _convert_node(owner: dns.name.Name, node: dns.node.Node) -> tuple[DnsName | None, tuple[Record, ...]]:
    name = rdata.to_dns_name(owner.to_text())
    if name is None:
        return None, ()
    found = [_convert_rdataset(name, rdataset) for rdataset in node.rdatasets]
    return name, tuple(sorted((record for record in found if record is not None), key=attrgetter("key")))


def _convert_rdataset(name: DnsName, rdataset: dns.rdataset.Rdataset) -> Record | None:
    rtype = dns.rdatatype.to_text(rdataset.rdtype)
    if rtype in _MAINTAINED:
        return None
    try:
        targets = canonicalize_targets(rtype, (rdata.convert_rdata(rtype, data) for data in rdataset))
        exact = _find_exact(rtype, targets, rdataset)
    except Exception as exc:  # noqa: BLE001 - dnspython can raise any exception for odd data; it concerns one record
        problem = f"{rtype}: {sanitize(str(exc))}"
        return Record(name=name, type=f"{rrtype.UNREADABLE}{rtype}", targets=(problem,), ttl_s=rdataset.ttl)
    return Record(name=name, type=rtype, targets=targets, ttl_s=rdataset.ttl, exact=exact)


def _find_exact(rtype: str, targets: tuple[str, ...], rdataset: dns.rdataset.Rdataset) -> object:
    """Return the sorted wire data of *rdataset* if *targets* cannot be turned back into it; else None.

    None is also returned for addresses, which can always be turned back, and for types that extdns never writes.
    """
    if rtype in rrtype.ADDRESSES or rtype not in rrtype.OWNABLE:
        return None
    try:
        same = {rdata.build_rdata(rtype, target) for target in targets} == set(rdataset)
    except InvalidValueError:
        same = False
    return None if same else tuple(sorted(data.to_wire() or b"" for data in rdataset))
