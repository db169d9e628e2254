"""Cloud DNS as a `ZoneWriter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.change import Batch
from extdns.model.outcome import Applied, Outcome, Refused
from extdns.model.zone import Zone
from providers.google import codec
from providers.google.answers import outcome
from providers.remote.failure import CallFailedError

if TYPE_CHECKING:
    from providers.google.client import Client


class CloudDnsWriter:
    """Sends changes, each once."""

    def __init__(self, client: Client) -> None:
        """Write with *client*."""
        self._client = client

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one change; it is `pending` for a moment, and applied all the same."""
        writes = batch.writes
        if not writes:
            return Applied(records=())
        routed = sorted({write.new.name for write in writes if write.new and write.new.set_identifier})
        if routed:
            return Refused(message="Cloud DNS has no set identifiers", culprits=tuple(routed))
        deletions = [codec.record_set(write.old) for write in writes if write.old]
        additions = [codec.record_set(write.new) for write in writes if write.new]
        try:
            reference = self._client.change(zone.id, f"zone {zone}", additions, deletions)
        except CallFailedError as exc:
            return outcome(exc, additions, deletions)
        made = (codec.record(one) for one in additions)
        return Applied(records=tuple(record for record in made if record is not None), reference=reference)
