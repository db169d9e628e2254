"""The flags of the providers `azure`, `azure-dns` and `azure-private-dns`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.usage_errors import usage_error

DEFAULT_FILE: Final = "/etc/kubernetes/azure.json"
NAMES: Final = ("azure", "azure-dns", "azure-private-dns")


class AzureFlags(FlagSection, topic="Providers azure, azure-dns and azure-private-dns", providers=NAMES):
    """The flags of the three providers."""

    azure_config_file: str = flag(
        "configuration file with the credentials", default=DEFAULT_FILE, metavar="PATH", in_plan=False
    )
    azure_resource_group: str = flag("resource group; overrides the configuration file", metavar="NAME")
    azure_subscription_id: str = flag("subscription; overrides the configuration file", metavar="ID")
    azure_user_assigned_identity_client_id: str = flag(
        "client id of the user-assigned identity; overrides the configuration file", metavar="ID", in_plan=False
    )
    zone_name_filter: tuple[str, ...] = flag(
        "manage only zones with this name, or below it; --domain-filter then limits only the names in them",
        default=(),
        metavar="NAME",
        topic="Names, types and zones",
    )

    def validate(self) -> None:
        """Check that a configuration file is given."""
        if not self.azure_config_file:
            raise usage_error("no Azure config file specified", "give --azure-config-file=PATH")


SECTION: Final = AzureFlags
