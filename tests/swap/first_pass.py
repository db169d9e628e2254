"""The first full pass of extdns on zones that external-dns left: its plan, and the zones after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.config import parse
from extdns.engine.decisions import CHANGING, is_held_decision
from extdns.model.change import Action, Decision
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.spec import build_settings
from tests.corpus.recordsets import RecordSet, normalize_record_sets
from tests.route53 import service

Zones = Mapping[str, Sequence[RecordSet]]
"""Record sets by zone id, normalized and sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPass:
    """The plan and the result of the first full pass.

    Attributes:
        planned: every create, update and delete of a dry run, and every delete that would wait for approval.
        zones: the record sets of each zone after a pass that writes.
    """

    planned: tuple[Decision, ...]
    zones: Zones

    @property
    def creates(self) -> list[str]:
        """The planned creates, as `name type`."""
        return [f"{found.name} {found.type}" for found in self.planned if found.action is Action.CREATE]

    @property
    def losses(self) -> list[str]:
        """The planned updates and deletes, including held ones, one text for each."""
        return [_describe(found) for found in self.planned if found.action is not Action.CREATE]


def make_first_pass(
    *flags: str, environ: Mapping[str, str], zones: Iterable[Mapping[str, Any]], health_checks: Iterable[str] = ()
) -> FirstPass:
    """Plan the changes of *zones* in a dry run, then make them in a second run.

    *zones* are keyword arguments of `Route53.add_zone`.
    """
    fake, _ = service()
    fake.reset()
    fake.api.health_checks |= set(health_checks)
    ids = [fake.add_zone(**zone) for zone in zones]
    planned = _run(flags, environ, writes=False)
    _run(flags, environ, writes=True)
    return FirstPass(planned=planned, zones={zone_id: normalize_record_sets(fake.shown(zone_id)) for zone_id in ids})


def find_missing(before: Zones, after: Zones) -> list[RecordSet]:
    """Return the record sets of *before* that *after* does not contain unchanged."""
    return [found for zone_id, records in before.items() for found in records if found not in after[zone_id]]


def _run(flags: Sequence[str], environ: Mapping[str, str], *, writes: bool) -> tuple[Decision, ...]:
    _, clients = service()
    arguments = (*flags, "--once", "--provider=aws", "--metrics-address=127.0.0.1:0")
    config = parse(arguments if writes or "--dry-run" in arguments else (*arguments, "--dry-run"), environ)
    settings = build_settings(build_context(config))
    writes = not config.control.dry_run
    writer = Route53Writer(clients, conditional=settings.conditional) if writes else None
    running = assembly.assemble(config, service=(Route53Reader(settings, clients), writer))
    running.controller.run(once=True)
    assert running.controller.is_complete
    return tuple(found for found in running.engine.decisions if found.action in CHANGING or is_held_decision(found))


def _describe(found: Decision) -> str:
    current = found.current.record.targets if found.current else ()
    desired = found.desired.targets if found.desired else ()
    action = "held delete" if is_held_decision(found) else found.action
    return f"{action} {found.name} {found.type} {found.set_identifier} {current} -> {desired} [{found.reason}]"
