"""Run extdns on a case of the corpus with octodns-bind and BIND. Cases about features of Route 53 do not apply."""

from __future__ import annotations

import atexit
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import dns.message
import dns.query
import dns.rdatatype
import dns.update
import dns.xfr
import dns.zone

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from providers.rfc2136.client import build_key
from tests.corpus.clouddns import find_route53_feature
from tests.corpus.product import Result
from tests.corpus.recordsets import RecordSet, normalize_record_sets
from tests.nameservers import HOST
from tests.octodns_config import describe_bind, write_config
from tests.updatable import KEY, UpdatableServer, require_updatable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.corpus.case import Case, Zones

ZONES: Final = (
    *("example.org", "acme.test", "z.test", "sub.z.test", "notacme.test", "corp.test"),
    "2.0.192.in-addr.arpa",
)
"""The zones of the server; the first one holds the address of the name server."""
_WITH_HOST: Final = frozenset({"CNAME", "MX", "NS", "PTR", "SRV"})


def find_obstacle(case: Case) -> str:
    """Return why *case* does not apply to one DNS server without Route 53's features, "" if it does."""
    names = [zone["name"] for zone in case.zones]
    if len(set(names)) < len(names) or any(zone["private"] for zone in case.zones):
        return "zones of one name, or private zones"
    return find_route53_feature(case)


def capitalize_flags(zones: Zones) -> Zones:
    """Return *zones* with the flags of NAPTR in capitals, as octoDNS writes them; they mean the same (RFC 3403 4.1)."""
    return {zone_id: [_capitalize(found) for found in sets] for zone_id, sets in zones.items()}


def _capitalize(found: RecordSet) -> RecordSet:
    if found["Type"] != "NAPTR":
        return found
    values = [
        re.sub(r'"[a-z]"', lambda flag: flag.group().upper(), value, count=1) for value in found["ResourceRecords"]
    ]
    return {**found, "ResourceRecords": values}


@cache
def start_bind() -> UpdatableServer:
    """Return the server that all cases share."""
    require_updatable("named")  # before there is a folder, which nobody would remove
    folder = tempfile.TemporaryDirectory(prefix="extdns-dns-")
    server = UpdatableServer("named", Path(folder.name) / "server", zones=ZONES)
    atexit.register(folder.cleanup)
    server.start()
    atexit.register(server.kill)
    return server


def run(case: Case, *, cluster: str, folder: Path) -> tuple[Result, Result]:
    """Run extdns on *case* twice, each time as a new process would; *cluster* is the flag that names the objects."""
    server = start_bind()
    server.reset()
    for zone in case.zones:
        message = dns.update.UpdateMessage(zone["name"], keyring=build_key(KEY))
        for found in zone["records"]:
            for value in found["ResourceRecords"]:
                message.add(f"{found['Name'].rstrip('.')}.", int(found["TTL"]), found["Type"], _to_data(found, value))
        server.update(message)
    path = write_config(folder, describe_bind(server), [zone["name"] for zone in case.zones])
    flags = [*case.flags, "--once", "--provider=octodns", f"--octodns-config={path}", cluster]
    flags.append("--metrics-address=127.0.0.1:0")
    return _run_and_measure(case, flags), _run_and_measure(case, flags)


def _to_data(found: RecordSet, value: object) -> str:
    text = str(value["Value"] if isinstance(value, dict) else value)
    return f"{text.removesuffix('.')}." if found["Type"] in _WITH_HOST else text


def _run_and_measure(case: Case, flags: Sequence[str]) -> Result:
    before = {zone["name"]: _read_serial(zone["name"]) for zone in case.zones}
    code, error = _run_once(flags, case.environ)
    return Result(
        exit=code,
        zones={zone["zone_id"]: normalize_record_sets(_read_zone(zone["name"])) for zone in case.zones},
        writes=sum(_read_serial(name) != serial for name, serial in before.items()),
        error=error,
    )


def _run_once(flags: Sequence[str], environ: Mapping[str, str]) -> tuple[int, str]:
    try:
        running = assembly.assemble(parse(flags, environ))
    except UsageError as exc:
        return 1, str(exc)
    running.controller.run(once=True)
    assert running.controller.is_complete
    return compute_exit_code(running.engine), ""


def _read_serial(zone: str) -> int:
    query = dns.message.make_query(zone, dns.rdatatype.SOA)
    found = dns.query.udp(query, HOST, timeout=20.0, port=start_bind().address.port)
    (soa,) = (data.to_text() for rrset in found.answer for data in rrset)
    return int(soa.split()[2])


def _read_zone(name: str) -> list[RecordSet]:
    """Return the record sets of a zone with the field names of Route 53, without SOA and NS of its apex."""
    zone = dns.zone.Zone(name, relativize=False)
    query, _ = dns.xfr.make_query(zone, keyring=build_key(KEY))
    dns.query.inbound_xfr(HOST, zone, query, port=start_bind().address.port)
    return [
        {
            "Name": owner.to_text(),
            "Type": dns.rdatatype.to_text(rdataset.rdtype),
            "TTL": rdataset.ttl,
            "ResourceRecords": [{"Value": data.to_text()} for data in rdataset],
        }
        for owner, rdataset in zone.iterate_rdatasets()
        if owner != zone.origin or rdataset.rdtype not in {dns.rdatatype.SOA, dns.rdatatype.NS}
    ]
