"""Read the records of a webhook, so that one read serves all callers that waited for it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import NamedTuple

from extdns.errors import ProviderError
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone, ZonePlacement
from providers.common.zone_contents import NO_CONTENTS, ZoneContents

Records = Mapping[DnsName, tuple[Record, ...]]


def split_by_zone(records: Records, placement: ZonePlacement) -> dict[str, ZoneContents]:
    """Return *records* by the id of their zone. Those outside all zones are left out."""
    by_zone: dict[str, dict[DnsName, tuple[Record, ...]]] = {}
    for name, found in records.items():
        for zone in placement.find_zones(name):
            by_zone.setdefault(zone.id, {})[name] = found
    return {zone: ZoneContents(found) for zone, found in by_zone.items()}


class _Result(NamedTuple):
    """What the read number *number* returned, or the error that it raised."""

    number: int
    began_s: float
    contents: Mapping[str, ZoneContents]
    error: ProviderError | None = None


class RecordCache:
    """Reads the records of all zones in one call, and keeps them; safe from any thread."""

    def __init__(self, read: Callable[[], bytes], convert: Callable[[bytes], Mapping[str, ZoneContents]]) -> None:
        """Store the functions: *read* returns a body or raises `ProviderError`; *convert* splits a body by zone."""
        self._read = read
        self._convert = convert
        self._lock = Lock()
        self._read_lock = Lock()
        self._begun = 0
        self._too_old = 0  # reads up to this number may lack our last write
        self._result = _Result(0, 0.0, {})
        self._digest = b""

    def get(self, zone: Zone, *, max_age_s: float = 0.0) -> ZoneContents:
        """Return the records of *zone* as of a read that begins after this call.

        With *max_age_s*, the read may also have begun up to so many seconds before this call, but after our last write.

        Raises:
            ProviderError: the read failed.
        """
        with self._lock:
            needed, result = self._begun + 1, self._result
            is_recent = time.monotonic() - result.began_s <= max_age_s
            if max_age_s and is_recent and result.number > self._too_old and not result.error:
                return result.contents.get(zone.id, NO_CONTENTS)
        with self._read_lock:
            if self._result.number < needed:
                self._refresh()
            result = self._result
        if result.error:
            raise result.error
        return result.contents.get(zone.id, NO_CONTENTS)

    def outdate(self) -> None:
        """Record that something was written: later calls of `get` return only the result of a later read."""
        with self._lock:
            self._too_old = self._begun

    def forget(self) -> None:
        """Discard what was read, because the zones changed. Convert the next body even if it is equal."""
        with self._read_lock:
            self._digest = b""
        self.outdate()

    def _refresh(self) -> None:
        with self._lock:
            self._begun = number = self._begun + 1
        began_s, contents, error = time.monotonic(), self._result.contents, None
        try:
            body = self._read()
            digest = hashlib.sha256(body).digest()
            if digest != self._digest:
                contents, self._digest = self._convert(body), digest
        except ProviderError as exc:
            error = exc
        self._result = _Result(number, began_s, contents, error)
