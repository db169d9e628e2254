"""Run extdns on a case of the corpus with the strict Route 53."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.spec import build_settings
from tests.corpus.recordsets import normalize_record_sets
from tests.route53 import service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.corpus.case import Case, Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a run.

    Attributes:
        exit: the exit code.
        zones: the record sets after the run, by zone id, normalized.
        writes: the number of requests that change records.
        error: the message of a usage error, "" if there was none.
    """

    exit: int
    zones: Zones
    writes: int = 0
    error: str = ""


def run(case: Case, *, compat: bool, cluster: str) -> tuple[Result, Result]:
    """Run extdns on *case* twice, each time as a new process would; *cluster* is the flag that names the objects."""
    fake, _ = service()
    fake.reset()
    fake.api.health_checks |= case.health_checks
    ids = [fake.add_zone(**zone) for zone in case.zones]
    flags = [*case.flags, "--once", "--provider=aws", "--metrics-address=127.0.0.1:0", cluster]
    flags += ["--compat"] if compat else []
    return _run_and_measure(case, flags, ids), _run_and_measure(case, flags, ids)


def _run_and_measure(case: Case, flags: Sequence[str], ids: Sequence[str]) -> Result:
    fake, _ = service()
    before = len(fake.log.calls())
    code, error = _run_once(case, flags)
    writes = sum(call.action == "ChangeResourceRecordSets" for call in fake.log.calls()[before:])
    zones = {zone_id: normalize_record_sets(fake.shown(zone_id)) for zone_id in ids}
    return Result(exit=code, zones=zones, writes=writes, error=error)


def _run_once(case: Case, flags: Sequence[str]) -> tuple[int, str]:
    _, clients = service()
    try:
        config = parse(flags, case.environ)
        settings = build_settings(build_context(config))
        writer = None if config.control.dry_run else Route53Writer(clients, conditional=settings.conditional)
        running = assembly.assemble(config, service=(Route53Reader(settings, clients), writer))
    except UsageError as exc:
        return 1, str(exc)
    running.controller.run(once=True)
    assert running.controller.is_complete
    return compute_exit_code(running.engine), ""
