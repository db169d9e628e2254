"""The provider `aws-sd`, from the flags of the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from extdns.model.zone import Permission, Zone
from providers.aws import iam_policy, spec
from providers.aws.flags import AwsFlags
from providers.aws.region import check_region
from providers.common.api_calls import CallFailedError, RateLimiter
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec

if TYPE_CHECKING:
    from providers.aws.cloudmap.client import CloudMapApi
    from providers.aws.settings import AwsAccount, AwsSettings

_COMMAND: Final = "extdns permissions --provider=aws-sd"


def build(context: ProviderContext[AwsFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.aws.cloudmap.provider import CloudMapReader, CloudMapSettings, CloudMapWriter

    common, flags = spec.build_settings(context), context.flags
    settings = CloudMapSettings(
        zone_filter=replace(common.zone_filter, ids=(), match_parent=False),
        shows_descriptions=context.ownership_names is not None,
        removes_empty=flags.aws_sd_service_cleanup,
        tags=flags.aws_sd_create_tag,
    )
    api, _ = _connect(common)
    return DnsService(CloudMapReader(settings, api), CloudMapWriter(settings, api))


def _connect(settings: AwsSettings) -> tuple[CloudMapApi, AwsAccount]:
    """Return what calls Cloud Map, and with which account: as with external-dns, without a profile."""
    from providers.aws.cloudmap.client import CloudMapApi

    account = replace(settings.accounts[0], profile="")
    return CloudMapApi(account, settings.attempts, RateLimiter(rate=account.calls.rate_limit)), account


def check_permissions(context: ProviderContext[AwsFlags], zones: Iterable[Zone]) -> Iterator[tuple[Zone, Permission]]:
    """Yield each namespace with whether the credentials may change it."""
    from providers.aws.permissions import PermissionCheck, list_cloud_map_simulations

    api, account = _connect(spec.build_settings(context))
    try:
        namespaces = {one.id: one for one in api.list_namespaces()}
    except CallFailedError as exc:
        unknown = Permission(granted=None, detail=str(exc))
        yield from ((zone, unknown) for zone in zones)
        return
    writes = iam_policy.list_cloud_map_writes(tags=bool(context.flags.aws_sd_create_tag))
    check = PermissionCheck(
        account,
        os.environ.get(spec.ROLE, ""),
        lambda zone, partition: list_cloud_map_simulations(namespaces[zone.id], writes, partition),
        _COMMAND,
    )
    yield from ((zone, check.check(zone)) for zone in zones if zone.id in namespaces)


def describe_permissions(context: ProviderContext[AwsFlags], _: Mapping[str, str]) -> str:
    """Return the IAM policy of the role that reads and writes the namespaces."""
    return iam_policy.render(iam_policy.build_cloud_map_policy(tags=bool(context.flags.aws_sd_create_tag)))


PROVIDER: Final = ProviderSpec(
    name="aws-sd",
    flags=AwsFlags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=describe_permissions,
    conditional=False,
    check_environment=check_region,
    other_names=("cloud-map", "cloudmap", "servicediscovery"),
    remedies={
        **spec.PROVIDER.remedies,
        "ListNamespaces: AccessDenied": f"the policy that allows it: {_COMMAND} [flags]",
    },
    no_zones=lambda _: (
        "there is no namespace: the service accepts the credentials, and lists no namespace with DNS in the region",
        "set AWS_REGION to the region of the namespace, or create one first",
    ),
    sdk=spec.PROVIDER.sdk,
)
