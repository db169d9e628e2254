"""Changes of unknown outcome, until a later read shows whether they were made (docs/design/audit-log.md)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from extdns.documents import audit
from extdns.documents.audit import AuditLine, RecordId
from extdns.documents.document import RecordData, build_record_data
from extdns.engine.inputs import Input, NamesRead, PageRead
from extdns.engine.zones import ZoneCache, Zones
from extdns.flags.process import MAX_WRITE_S
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from extdns.ports import Clock

_DECODER: Final = msgspec.json.Decoder(AuditLine)


class _LineState(msgspec.Struct):
    """The fields that say whether the outcome of an audit line is unknown. Only such lines are decoded completely."""

    id: str
    phase: audit.Phase
    outcome: str


_STATE_DECODER: Final = msgspec.json.Decoder(_LineState)


class _Read(NamedTuple):
    """What was read of a zone: the names, None for all; and the changes of unknown outcome when the read began."""

    zone: Zone
    names: frozenset[str] | None
    ids: frozenset[str]


class UnknownOutcomes:
    """The changes without a known outcome, until a read of the zone or a later change shows what it holds.

    Any thread may add changes; reads are observed and resolved on the engine's thread.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._lines: dict[str, AuditLine] = {}
        # by zone id: the changes without an outcome when the round of pages began
        self._rounds: dict[str, frozenset[str]] = {}
        self._reads: list[_Read] = []

    def add(self, lines: Iterable[AuditLine]) -> None:
        """Add the changes in *lines*, whose outcome is unknown."""
        with self._lock:
            self._lines.update({line.id: line for line in lines})

    def load(self, lines: Iterable[bytes]) -> None:
        """Add the changes of earlier processes, from all lines that they wrote. Skip what cannot be decoded."""
        found: dict[str, bytes] = {}
        for text in lines:
            with suppress(msgspec.DecodeError, ValueError):
                state = _STATE_DECODER.decode(text)
                if audit.is_open(state.phase, state.outcome):
                    found[state.id] = text
                else:
                    found.pop(state.id, None)
        for text in found.values():
            with suppress(msgspec.DecodeError, ValueError):
                line = _DECODER.decode(text)
                if datetime.fromisoformat(line.at).tzinfo:
                    self.add((line,))

    def resolve_by(self, applied: Iterable[AuditLine]) -> list[AuditLine]:
        """Return audit lines that resolve earlier changes of the records that *applied* changed.

        Each of *applied* states as `before` what the zone held, and so what the earlier change did.
        """
        if not self._lines:
            return []
        found: list[AuditLine] = []
        for later in applied:
            states = {record_id: before for record_id, before, _ in audit.list_states(later)}
            lines = [line for line in self._list_open(later.zone.id) if line.record_id in states]
            found += self._resolve(lines, states, is_final=True)
        return found

    def observe_read(self, item: Input) -> None:
        """Store which names of which zone were read, if there are changes to resolve."""
        match item:
            case PageRead(zone=zone, after=after, page=page) if self._lines:
                if after is None:
                    self._rounds[zone.id] = frozenset(line.id for line in self._list_open(zone.id))
                if page.after is None and (ids := self._rounds.pop(zone.id, None)):
                    self._reads.append(_Read(zone, None, ids))
            case NamesRead(zone=zone, names=names) if self._lines:
                ids = frozenset(line.id for line in self._list_open(zone.id))
                self._reads.append(_Read(zone, frozenset(names), ids))
            case _:
                pass

    def resolve_read(self, zones: Zones) -> list[AuditLine]:
        """Return audit lines for the outcomes that reads since the last call show. *zones* have what was read."""
        reads, self._reads = self._reads, []
        found: list[AuditLine] = []
        for read in reads:
            if zone_state := zones.find(read.zone):
                for line in self._list_open(read.zone.id):
                    if line.id in read.ids:
                        states = dict(_list_states(line, zone_state.cache, read.names))
                        found += self._resolve((line,), states, is_final=False)
        return found

    def _resolve(
        self, lines: Iterable[AuditLine], states: Mapping[RecordId, RecordData | None], *, is_final: bool
    ) -> Iterator[AuditLine]:
        """Yield the resolutions of *lines* that follow if the zone holds *states*.

        Unless *is_final*, a change that is not made yet, and whose call is so recent that it may still be applied, is
        not resolved.
        """
        now = self._clock.now()
        for line in lines:
            found = audit.compare(line, states)
            may_still_apply = now - datetime.fromisoformat(line.at) < timedelta(seconds=MAX_WRITE_S)
            if found and (is_final or found != "before" or not may_still_apply):
                with self._lock:
                    self._lines.pop(line.id, None)
                yield audit.resolve(line, found, at=audit.format_time(now))

    def _list_open(self, zone_id: str) -> list[AuditLine]:
        with self._lock:
            return [line for line in self._lines.values() if line.zone.id == zone_id]


def _list_states(
    line: AuditLine, cache: ZoneCache, names: frozenset[str] | None
) -> Iterator[tuple[RecordId, RecordData | None]]:
    """Yield what *cache* has for each record that *line* changes, if it is at one of *names* (None: at any name)."""
    for record_id, _, _ in audit.list_states(line):
        name, type_, set_identifier = record_id
        if names is None or name in names:
            records = cache.records(DnsName(name))
            same = (one for one in records if (one.type, one.set_identifier) == (type_, set_identifier))
            record = next(same, None)
            yield record_id, build_record_data(record) if record else None
