"""The providers `azure`, `azure-dns` and `azure-private-dns`, from their flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.errors import UsageError
from extdns.flags.flag import Setting
from extdns.model import rrtype
from extdns.model.selection import DomainFilter, parse_suffixes
from extdns.model.zone import Permission, Zone
from providers.azure.flags import DEFAULT_FILE, AzureFlags
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec

if TYPE_CHECKING:
    from providers.azure.client import AzureApi
    from providers.azure.settings import AzureSettings

_FILE: Final = "azure-config-file"


def build(context: ProviderContext[AzureFlags], *, private: bool) -> DnsService:
    """Build the reader and the writer. Offline, the file is not read."""
    from providers.azure.provider import AzureReader, AzureWriter

    settings, api = _connect(context, private=private)
    names = context.ownership_names
    return DnsService(AzureReader(settings, api, names), AzureWriter(api, names))


def _connect(context: ProviderContext[AzureFlags], *, private: bool) -> tuple[AzureSettings, AzureApi]:
    from providers.azure.client import AzureApi
    from providers.azure.configuration import AzureConfig, read_config
    from providers.azure.credentials import IdentityTokens, require_identity
    from providers.azure.settings import AzureSettings

    if not context.offline:
        require_identity()
    try:
        config = AzureConfig(useManagedIdentityExtension=True) if context.offline else read_config(context.flags)
        url = config.find_cloud().url
        tokens = IdentityTokens(config)
    except UsageError as exc:
        raise UsageError(f"--{_FILE}={context.flags.azure_config_file}: {exc}") from exc
    names = parse_suffixes(context.flags.zone_name_filter)
    settings = AzureSettings(
        url=url,
        subscription=config.subscriptionId,
        group=config.resourceGroup,
        private=private,
        zone_ids=context.zone_ids,
        zone_names=DomainFilter(include=names) if names else None,
        domains=context.plan.build_domain_filter(),
        calls=context.calls,
    )
    return settings, AzureApi(settings, tokens)


def check_permissions(
    context: ProviderContext[AzureFlags], zones: Iterable[Zone], *, private: bool
) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether the credentials may change it."""
    from providers.azure.permissions import check_permission

    _, api = _connect(context, private=private)
    types = context.plan.find_managed_types()
    yield from ((zone, check_permission(api, zone, types)) for zone in zones)


def describe_permissions(context: ProviderContext[AzureFlags], _: Mapping[str, str], *, private: bool) -> str:
    """Return the roles that contain what is needed, and what that is."""
    from providers.azure.adjust import TYPES
    from providers.azure.permissions import describe_actions

    types = context.plan.find_managed_types() & TYPES[private]
    return describe_actions(types | {rrtype.TXT} if context.ownership_names else types, private=private)


def find_warnings(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Return a warning about the keys of the configuration file that have no effect."""
    from providers.azure.configuration import AzureConfig, find_unknown_keys

    path = settings[_FILE].value if _FILE in settings else DEFAULT_FILE
    unknown = find_unknown_keys(path)
    known = ", ".join(AzureConfig.__struct_fields__)
    return (f"{path} has keys without effect: {', '.join(unknown)}\n  known: {known}",) if unknown else ()


def build_spec(name: str, *, private: bool = False) -> ProviderSpec[AzureFlags]:
    """Return the spec of the provider *name*."""
    role = "Private DNS Zone Contributor" if private else "DNS Zone Contributor"
    return ProviderSpec(
        name=name,
        flags=AzureFlags,
        build=partial(build, private=private),
        check_permissions=partial(check_permissions, private=private),
        describe_permissions=partial(describe_permissions, private=private),
        find_warnings=find_warnings,
        properties=("azure/tags",),
        remedies={
            "AADSTS700016": "correct the client id: the tenant has no such application",
            "AADSTS7000215": "correct aadClientSecret: it must be the value of a secret, not its id",
            "AADSTS70021": "let the federated credential of the identity name this ServiceAccount and cluster",
            "Identity not found": "assign the identity to the nodes, or correct its client id",
            "ResourceGroupNotFound": "correct the resource group: --azure-resource-group, or resourceGroup in the file",
            "SubscriptionNotFound": "correct the subscription: --azure-subscription-id, or subscriptionId in the file",
            "AuthorizationFailed": f"assign the role {role} on the zone, and Reader on the resource group",
        },
        sdk={"azure": "credentials"},
    )


PROVIDER: Final = build_spec("azure")
