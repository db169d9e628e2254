"""Whether the DNS service lets zones be changed, as far as it tells without a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.services import cloud_dns_settings
from extdns.model.grant import Grant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extdns.config import Config
    from extdns.model.zone import Zone


def grants(config: Config, zones: Iterable[Zone]) -> Iterator[tuple[Zone, Grant]]:
    """Each of *zones*, and whether it may be changed; nothing where there is nobody to grant it."""
    match config.control.provider:
        case "google":
            from providers.google.client import client
            from providers.google.grants import grant

            project = client(cloud_dns_settings(config))
            yield from ((zone, grant(project, zone)) for zone in zones)
        case "aws":
            remedy = "the policy that allows it: extdns iam-policy [flags]"
            yield from ((zone, Grant(granted=None, detail="only a change can tell", remedy=remedy)) for zone in zones)
        case _:
            return
