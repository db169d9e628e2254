"""Run extdns on a case of the corpus with the strict Cloud DNS. Cases about features of Route 53 do not apply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from providers.google.provider import CloudDnsReader, CloudDnsWriter
from providers.google.spec import build_settings
from tests.clouddns import service
from tests.corpus.product import Result
from tests.corpus.recordsets import RecordSet, normalize_record_sets
from tests.fakes.clouddns.log import CHANGE
from tests.fakes.clouddns.records import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.corpus.case import Case

_ONLY_ROUTE53: Final = ("AliasTarget", "SetIdentifier", "HealthCheckId")
# Cases about Route 53 whose record sets do not show it.
BY_NAME: Final[Mapping[str, str]] = {
    "098-hosted-zone-pin": "aws/hosted-zone-id pins a record to a zone of Route 53 alone",
    "357-nodeport-alias": "an alias to an address, which Route 53 refuses; Cloud DNS has no aliases and publishes it",
}


def find_route53_feature(case: Case) -> str:
    """Return the feature of Route 53 that *case* depends on, or "" if the case applies to Cloud DNS."""
    flag = next((flag for flag in case.flags if flag.startswith("--aws-")), "")
    if flag:
        return flag
    text = json.dumps([case.zones, case.outcomes], default=list)
    return next((field for field in _ONLY_ROUTE53 if f'"{field}"' in text), "") or BY_NAME.get(case.id, "")


def run(case: Case, *, compat: bool, cluster: str) -> tuple[Result, Result]:
    """Run extdns on *case* twice, each time as a new process would; *cluster* is the flag that names the objects."""
    fake, _ = service()
    fake.reset()
    names = [
        fake.add_zone(
            zone["name"], name=zone["zone_id"], private=zone["private"], records=map(_to_cloud_dns, zone["records"])
        )
        for zone in case.zones
    ]
    flags = [*case.flags, "--once", "--provider=google", "--metrics-address=127.0.0.1:0", cluster]
    flags += ["--compat"] if compat else []
    return _run_and_measure(case, flags, names), _run_and_measure(case, flags, names)


def _run_and_measure(case: Case, flags: Sequence[str], names: Iterable[str]) -> Result:
    fake, _ = service()
    fake.log.clear()
    code, error = _run_once(case, flags)
    writes = len(fake.log.calls(CHANGE))
    zones = {name: normalize_record_sets(_to_route53(encode(found)) for found in fake.records(name)) for name in names}
    return Result(exit=code, zones=zones, writes=writes, error=error)


def _run_once(case: Case, flags: Sequence[str]) -> tuple[int, str]:
    _, client = service()
    try:
        config = parse(flags, case.environ)
        writer = None if config.control.dry_run else CloudDnsWriter(client)
        running = assembly.assemble(
            config, service=(CloudDnsReader(build_settings(build_context(config)), client), writer)
        )
    except UsageError as exc:
        return 1, str(exc)
    running.controller.run(once=True)
    assert running.controller.is_complete
    return compute_exit_code(running.engine), ""


def _to_route53(found: RecordSet) -> RecordSet:
    """Return a record set of Cloud DNS with the field names of Route 53."""
    return {
        "Name": found["name"],
        "Type": found["type"],
        "TTL": found["ttl"],
        "ResourceRecords": [{"Value": value} for value in found["rrdatas"]],
    }


def _to_cloud_dns(found: RecordSet) -> dict[str, Any]:
    """Return a record set of Route 53 with the field names of Cloud DNS, and absolute host names."""
    values = [value["Value"] if isinstance(value, dict) else value for value in found["ResourceRecords"]]
    if found["Type"] in {"CNAME", "MX", "NS", "PTR", "SRV"}:
        values = [f"{value.removesuffix('.')}." for value in values]
    name = found["Name"].replace("\\052", "*").rstrip(".") + "."
    return {"name": name, "type": found["Type"], "ttl": int(found["TTL"]), "rrdatas": values}
