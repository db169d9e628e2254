"""Zone files as a `ZoneWriter`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, assert_never

from extdns.errors import ForbiddenError, ProviderError, RetryableError, UsageError, shown
from extdns.model.change import Batch
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater
from extdns.model.zone import Zone
from providers.zonefile.batch import Effect, effect
from providers.zonefile.edit import edited
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.master import Master

if TYPE_CHECKING:
    from extdns.ports import Clock


class ZoneFileWriter:
    """Writes zone files whole, one batch at a time in the folder."""

    def __init__(self, folder: ZoneFolder, clock: Clock) -> None:
        """Write into *folder*; *clock* gives the day for serials that are dates.

        Raises:
            UsageError: files in the folder cannot be replaced.
        """
        if not os.access(folder.path, os.W_OK | os.X_OK):
            raise UsageError(
                f"--zonefile-dir={shown(str(folder.path))}: no right to write; allowed: a folder that can be written"
            )
        self._folder = folder
        self._clock = clock

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Read the file again, compare, and replace it; a file in which nothing changes stays as it is."""
        try:
            with self._folder.locked():
                return self._submit(zone, batch)
        except ForbiddenError as exc:
            return Forbidden(message=str(exc))
        except ProviderError as exc:
            return TryLater(message=str(exc))

    def _submit(self, zone: Zone, batch: Batch) -> Outcome:
        master = self._folder.zone(zone)
        found = effect(master, zone, batch.writes)
        match found:
            case Conflict() | Refused():
                return found
            case Effect():
                if found.removed or found.added:
                    self._change(zone, master, found)
                return Applied(records=found.written)
            case _:
                assert_never(found)

    def _change(self, zone: Zone, master: Master, change: Effect) -> None:
        if master.frozen:
            raise RetryableError(master.frozen)
        self._folder.replace(zone.id, edited(master, change, self._clock.now().date()))
