"""Azure DNS, public and private."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import NUMBER, text

_flag = partial(Flag, providers=("azure", "azure-dns", "azure-private-dns"), state=ABSENT)

FLAGS: Final = (
    _flag(
        name="azure-config-file",
        kind=text("PATH"),
        default="/etc/kubernetes/azure.json",
        help="configuration file with the credentials",
    ),
    _flag(name="azure-resource-group", kind=text("NAME"), help="resource group; wins over the configuration file"),
    _flag(name="azure-subscription-id", kind=text("ID"), help="subscription; wins over the configuration file"),
    _flag(
        name="azure-user-assigned-identity-client-id",
        kind=text("ID"),
        help="client id of the user-assigned identity; wins over the configuration file",
    ),
    _flag(
        name="azure-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        help="how long the list of zones is kept",
    ),
    _flag(
        name="azure-maxretries-count",
        kind=NUMBER,
        default=3,
        help="most retries of one API call; below 0 is none",
    ),
)
