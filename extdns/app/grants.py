"""Whether the DNS service lets zones be changed, as far as it tells without a change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from extdns.app.policies import scope
from extdns.app.services import cloud_dns_settings, route53_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from extdns.config import Config
    from extdns.model.grant import Grant
    from extdns.model.zone import Zone
    from providers.aws.grants import Grants

_ROLE: Final = "AWS_ROLE_ARN"


def grants(config: Config, zones: Iterable[Zone]) -> Iterator[tuple[Zone, Grant]]:
    """Each of *zones*, and whether it may be changed; nothing where there is nobody to grant it."""
    match config.control.provider:
        case "google":
            from providers.google.client import client
            from providers.google.grants import grant

            project = client(cloud_dns_settings(config))
            yield from ((zone, grant(project, zone)) for zone in zones)
        case "aws":
            accounts = _accounts(config)
            yield from ((zone, accounts[zone.account].of(zone)) for zone in zones)
        case _:
            return


def _accounts(config: Config) -> Mapping[str, Grants]:
    """Whom to ask, by the name that its zones bear."""
    from providers.aws.grants import Grants
    from providers.aws.identity import Identity

    needed = scope(config.plan, config.registry, config.aws)
    return {
        account: Grants(Identity(access), needed, filter(None, (access.role, os.environ.get(_ROLE))))
        for account, access in route53_settings(config).by_name.items()
    }
