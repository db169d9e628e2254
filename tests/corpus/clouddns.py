"""Runs the program on a case against the strict Cloud DNS; cases that are about Route 53 do not apply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extdns.app import assembly
from extdns.app.services import cloud_dns_settings
from extdns.config import parse
from extdns.controller.ending import exit_code
from extdns.errors import UsageError
from providers.google.reader import CloudDnsReader
from providers.google.writer import CloudDnsWriter
from tests.clouddns import service
from tests.corpus.product import Result
from tests.corpus.recordsets import RecordSet, settled
from tests.fakes.clouddns.log import CHANGE
from tests.fakes.clouddns.records import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.corpus.case import Case

_ONLY_ROUTE53: Final = ("AliasTarget", "SetIdentifier", "HealthCheckId")
# What no record set tells.
BY_NAME: Final[Mapping[str, str]] = {
    "098-hosted-zone-pin": "aws/hosted-zone-id pins a record to a zone of Route 53 alone",
    "357-nodeport-alias": "an alias to an address, which Route 53 refuses; Cloud DNS has no aliases and publishes it",
}


def why_not(case: Case) -> str:
    """What of Route 53 *case* is about, "" if it applies to Cloud DNS as well."""
    flag = next((flag for flag in case.flags if flag.startswith("--aws-")), "")
    if flag:
        return flag
    held = json.dumps([case.zones, case.outcomes], default=list)
    return next((field for field in _ONLY_ROUTE53 if f'"{field}"' in held), "") or BY_NAME.get(case.id, "")


def run(case: Case, *, compat: bool, cluster: str) -> tuple[Result, Result]:
    """Two passes over *case*, each by a process of its own; *cluster* is the flag that names its objects."""
    fake, _ = service()
    fake.reset()
    names = [
        fake.add_zone(zone["name"], name=zone["zone_id"], private=zone["private"], records=map(_sent, zone["records"]))
        for zone in case.zones
    ]
    flags = [*case.flags, "--once", "--provider=google", "--metrics-address=127.0.0.1:0", cluster]
    flags += ["--compat"] if compat else []
    return _pass(case, flags, names), _pass(case, flags, names)


def _pass(case: Case, flags: Sequence[str], names: Iterable[str]) -> Result:
    fake, _ = service()
    fake.log.clear()
    code, error = _started(case, flags)
    writes = len(fake.log.calls(CHANGE))
    zones = {name: settled(_recorded(encode(found)) for found in fake.records(name)) for name in names}
    return Result(exit=code, zones=zones, writes=writes, error=error)


def _started(case: Case, flags: Sequence[str]) -> tuple[int, str]:
    _, client = service()
    try:
        config = parse(flags, case.environ)
        writer = None if config.control.dry_run else CloudDnsWriter(client)
        running = assembly.assemble(config, service=(CloudDnsReader(cloud_dns_settings(config), client), writer))
    except UsageError as exc:
        return 1, str(exc)
    running.controller.run(once=True)
    assert running.controller.complete
    return exit_code(running.engine), ""


def _recorded(found: RecordSet) -> RecordSet:
    """A record set of Cloud DNS in the field names of Route 53."""
    return {
        "Name": found["name"],
        "Type": found["type"],
        "TTL": found["ttl"],
        "ResourceRecords": [{"Value": value} for value in found["rrdatas"]],
    }


def _sent(found: RecordSet) -> dict[str, Any]:
    """The other way round; host names become absolute."""
    values = [value["Value"] if isinstance(value, dict) else value for value in found["ResourceRecords"]]
    if found["Type"] in {"CNAME", "MX", "NS", "PTR", "SRV"}:
        values = [f"{value.removesuffix('.')}." for value in values]
    name = found["Name"].replace("\\052", "*").rstrip(".") + "."
    return {"name": name, "type": found["Type"], "ttl": int(found["TTL"]), "rrdatas": values}
