"""Events on the objects of a live cluster (design 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.clusters import is_live
from extdns.controller.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.config import Config
    from extdns.model.cluster import Kind
    from extdns.ports import Announcer


def announcer(config: Config, kinds: Mapping[str, Kind]) -> Announcer | None:
    """What puts Events on objects; None if there is nothing to put, nowhere to put it, or nothing may be written.

    Args:
        config: what the flags say.
        kinds: by the first part of a `resource` label, the kind that a source reads.
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
    return room.Announcer(api_server(config.cluster)[0], notes, SystemClock())
