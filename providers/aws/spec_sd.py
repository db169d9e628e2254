"""The provider `aws-sd`, from the flags of the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from providers.aws import iam_policy, spec
from providers.aws.flags import AwsFlags
from providers.aws.region import check_region
from providers.common.api_calls import RateLimiter
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec


def build(context: ProviderContext[AwsFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.aws.cloudmap.client import CloudMapApi
    from providers.aws.cloudmap.provider import CloudMapReader, CloudMapSettings, CloudMapWriter

    common, flags = spec.build_settings(context), context.flags
    settings = CloudMapSettings(
        zone_filter=replace(common.zone_filter, ids=(), match_parent=False),
        shows_descriptions=context.ownership_names is not None,
        removes_empty=flags.aws_sd_service_cleanup,
        tags=flags.aws_sd_create_tag,
    )
    account = replace(common.accounts[0], profile="")  # as with external-dns
    api = CloudMapApi(account, common.attempts, RateLimiter(rate=account.calls.rate_limit))
    return DnsService(CloudMapReader(settings, api), CloudMapWriter(settings, api))


def describe_permissions(context: ProviderContext[AwsFlags], _: Mapping[str, str]) -> str:
    """Return the IAM policy of the role that reads and writes the namespaces."""
    return iam_policy.render(iam_policy.build_cloud_map_policy(tags=bool(context.flags.aws_sd_create_tag)))


_POLICY: Final = "the policy that allows it: extdns permissions --provider=aws-sd [flags]"

PROVIDER: Final = ProviderSpec(
    name="aws-sd",
    flags=AwsFlags,
    build=build,
    describe_permissions=describe_permissions,
    conditional=False,
    check_environment=check_region,
    other_names=("cloud-map", "cloudmap", "servicediscovery"),
    remedies={**spec.PROVIDER.remedies, "ListNamespaces: AccessDenied": _POLICY},
    no_zones=lambda _: (
        "there is no namespace: the service accepts the credentials, and lists no namespace with DNS in the region",
        "set AWS_REGION to the region of the namespace, or create one first",
    ),
    sdk=spec.PROVIDER.sdk,
)
