"""Runs the program on a case, as a user would, with the in-memory provider in the place of Route 53."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.ending import exit_code
from extdns.errors import UsageError
from providers.inmemory.provider import InMemoryProvider
from tests.corpus.recordsets import set_of, settled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from extdns.config import Config
    from extdns.model.record import Record
    from extdns.model.zone import Zone
    from tests.corpus.case import Case, Zones


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run ended.

    Attributes:
        exit: the exit code.
        zones: record sets afterwards, by zone id and settled.
        error: the message, if the program did not start.
    """

    exit: int
    zones: Zones
    error: str = ""


def run(case: Case, *, compat: bool, empty: Path) -> Result:
    """One pass over *case*; *empty* is an empty folder, the cluster of cases without objects."""
    memory = InMemoryProvider(seed=case.before)
    flags = [*case.flags, "--once", "--provider=inmemory", "--metrics-address=127.0.0.1:0"]
    flags += [f"--manifests={case.objects if case.objects.exists() else empty}", *(["--compat"] if compat else [])]
    try:
        config = _as_on_route53(parse(flags, case.environ))
        running = assembly.assemble(config, service=(memory, None if config.control.dry_run else memory))
    except UsageError as exc:
        return Result(exit=1, zones=_held(case, memory), error=str(exc))
    running.controller.run(once=True)
    assert running.controller.complete
    return Result(exit=exit_code(running.engine), zones=_held(case, memory))


def _as_on_route53(config: Config) -> Config:
    """Let annotations for `aws` count: which ones do is all that the name of the provider decides after the start."""
    return replace(config, control=replace(config.control, provider="aws"))


def _held(case: Case, memory: InMemoryProvider) -> Zones:
    return {zone.id: settled(map(set_of, _records(memory, zone))) for zone in case.before}


def _records(memory: InMemoryProvider, zone: Zone) -> Iterator[Record]:
    after = None
    while True:
        page = memory.page(zone, after)
        yield from page.records
        after = page.after
        if after is None:
            return
