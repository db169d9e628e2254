"""What writes the status of objects of a live cluster (spec sources 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.clusters import is_live
from extdns.controller.clock import SystemClock

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import StatusWriter


def status_writer(config: Config) -> StatusWriter | None:
    """What writes the status of DNSEndpoints; None if none are read, there is no cluster, or nothing may be written."""
    if config.control.dry_run or not is_live(config) or "crd" not in config.sources.names:
        return None
    from extdns.app.apiservers import api_server
    from extdns.kube.statuses.writer import Writer
    from extdns.model.dnsendpoint import DNS_ENDPOINT

    return Writer(api_server(config.cluster)[0], DNS_ENDPOINT, SystemClock())
