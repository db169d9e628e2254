"""A DNS service in memory that adjusts desired records itself, so that each must be shown to it first."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from extdns.model.change import AdjustedRecords
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from tests.fakes.faulty import FaultyProvider


@dataclass(kw_only=True)
class AdjustingProvider(FaultyProvider):
    """Gives every record a TTL of an hour, once it was shown the record; implements `AdjustingReader`.

    Attributes:
        requests: the records of each request.
        request_failures: the errors of the next requests.
        failing_names: the names whose records cannot be adjusted.
    """

    requests: list[tuple[DesiredRecord, ...]] = field(default_factory=list)
    request_failures: deque[Exception] = field(default_factory=deque)
    failing_names: set[DnsName] = field(default_factory=set)
    _known: set[DesiredRecord] = field(default_factory=set)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        known = [replace(one, ttl_s=3600) for one in desired if one in self._known]
        found = super().adjust(known, zone)
        return replace(found, unknown=tuple(one for one in desired if one not in self._known))

    def load_adjustments(self, desired: Sequence[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        self.requests.append(tuple(desired))
        if self.request_failures:
            raise self.request_failures.popleft()
        failed = {one: f"cannot adjust {one.name}" for one in desired if one.name in self.failing_names}
        self._known.update(one for one in desired if one not in failed)
        return failed
