"""The provider `google`, from its flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from extdns.model.zone import Permission, Zone
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec
from providers.google.flags import GoogleFlags
from providers.google.record_sets import ROUTING_POLICY
from providers.google.settings import GoogleSettings


def build(context: ProviderContext[GoogleFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.google.client import build_api
    from providers.google.provider import CloudDnsReader, CloudDnsWriter, read_limits

    settings = build_settings(context)
    api = build_api(settings)
    reader = CloudDnsReader(settings, api) if context.offline else CloudDnsReader(settings, api, read_limits(api))
    return DnsService(reader, CloudDnsWriter(api))


def build_settings(context: ProviderContext[GoogleFlags]) -> GoogleSettings:
    """Return the settings of the provider."""
    flags = context.flags
    return GoogleSettings(
        project=flags.google_project,
        endpoint=flags.google_api_endpoint,
        zone_ids=context.zone_ids,
        visibility=flags.google_zone_visibility,
        domains=context.plan.build_domain_filter(),
        max_changes=flags.google_batch_change_size,
        pause_s=flags.google_batch_change_interval_s,
        calls=context.calls,
    )


def check_permissions(
    context: ProviderContext[GoogleFlags], zones: Iterable[Zone]
) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether the credentials may change it."""
    from providers.google.client import build_api
    from providers.google.provider import check_permission

    api = build_api(build_settings(context))
    yield from ((zone, check_permission(api, zone)) for zone in zones)


def describe_permissions(_context: ProviderContext[GoogleFlags], _environ: Mapping[str, str]) -> str:
    """Return the role that contains what is needed, and what that is."""
    from providers.google.provider import PERMISSIONS

    return "\n".join(
        (
            "the role roles/dns.admin on the project, or one with these permissions:",
            "dns.managedZones.list (.get is enough if --zone-id-filter has complete names or numbers)",
            "dns.projects.get (without it, the default quotas are assumed)",
            "dns.resourceRecordSets.list",
            *PERMISSIONS,
        )
    )


PROVIDER: Final = ProviderSpec(
    name="google",
    flags=GoogleFlags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=describe_permissions,
    properties=(ROUTING_POLICY,),
    other_names=("clouddns", "gcp", "google-clouddns"),
    remedies={
        "DefaultCredentialsError": (
            "give credentials to the process: workload identity, or GOOGLE_APPLICATION_CREDENTIALS"
        )
    },
    sdk={"google": "client", "requests": "client"},
)
