"""Events on the objects of a live cluster (design 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.clusters import is_live
from extdns.controller.clock import SystemClock
from extdns.controller.leased import LeasedAnnouncer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.config import Config
    from extdns.model.cluster import Kind
    from extdns.ports import Announcer, Lease


def announcer(config: Config, kinds: Mapping[str, Kind], lease: Lease | None = None) -> Announcer | None:
    """What puts Events on objects; None if there is nothing to put, nowhere to put it, or nothing may be written.

    Args:
        config: what the flags say.
        kinds: by the first part of a `resource` label, the kind that a source reads.
        lease: whoever holds it tells; None if nobody else does.
    """
    chosen = config.log.events_emit
    if config.control.dry_run or not is_live(config) or (config.control.compat and not chosen):
        return None
    from extdns.app.apiservers import api_server
    from extdns.kube.events import announcer as room
    from extdns.kube.events.notes import ERROR, Notes

    notes = Notes(
        owner=config.registry.txt_owner_id,
        kinds=kinds,
        chosen=chosen,
        problems=not config.control.compat or ERROR in chosen,
    )
    found = room.Announcer(api_server(config.cluster)[0], notes, SystemClock())
    return LeasedAnnouncer(found, lease) if lease else found
