"""The provider `aws`, from its flags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.flags.secret_files import read_secret
from extdns.flags.unchecked_kinds import ZONE_ID
from extdns.model.record import ALIAS
from extdns.model.zone import Permission, Zone
from providers.aws import iam_policy
from providers.aws.flags import AwsFlags
from providers.aws.policy_scope import build_policy_scope
from providers.aws.record_sets import EVALUATE_HEALTH, HEALTH_CHECK, HOSTED_ZONE, PROPERTY_NAMES, TARGET_ZONE
from providers.aws.region import check_region
from providers.aws.settings import AwsAccount, AwsSettings, Route53ZoneFilter
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec

if TYPE_CHECKING:
    from providers.aws.client import Route53Api

ROLE: Final = "AWS_ROLE_ARN"
_ZONE_ID: Final = re.compile(r"[a-z/]*[A-Z0-9]{1,32}", re.ASCII)


def build(context: ProviderContext[AwsFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.aws.provider import Route53Reader, Route53Writer

    settings = build_settings(context)
    accounts: dict[str, Route53Api] = {}
    if not context.offline:
        from providers.aws.client import build_apis

        accounts = build_apis(settings)
    return DnsService(Route53Reader(settings, accounts), Route53Writer(accounts, conditional=settings.conditional))


def read_external_id(flags: AwsFlags) -> str:
    """Return the external id of `--aws-assume-role`, "" if there is none."""
    value, path = flags.aws_assume_role_external_id, flags.aws_assume_role_external_id_file
    return read_secret("aws-assume-role-external-id", value, path)


def build_settings(context: ProviderContext[AwsFlags]) -> AwsSettings:
    """Return the settings of the provider; offline, without the external id."""
    flags = context.flags
    external_id = "" if context.offline else read_external_id(flags)
    return AwsSettings(
        accounts=tuple(
            AwsAccount(
                profile=profile,
                role=flags.aws_assume_role,
                external_id=external_id,
                calls=context.calls,
            )
            for profile in dict.fromkeys(flags.aws_profile or ("",))
        ),
        zone_filter=Route53ZoneFilter(
            ids=context.zone_ids,
            visibility=flags.aws_zone_type,
            domains=context.plan.build_domain_filter(),
            match_parent=flags.aws_zone_match_parent,
            tags=flags.aws_zone_tags,
        ),
        prefer_cname=flags.aws_prefer_cname,
        evaluate_target_health=flags.aws_evaluate_target_health,
        conditional=flags.aws_conditional_writes,
        attempts=flags.aws_api_retries,
        max_changes=flags.aws_batch_change_size,
        max_bytes=flags.aws_batch_change_size_bytes,
        max_values=flags.aws_batch_change_size_values,
        pause_s=flags.aws_batch_change_interval_s,
    )


def check_permissions(context: ProviderContext[AwsFlags], zones: Iterable[Zone]) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether the credentials of its account may change it."""
    from providers.aws.permissions import PermissionCheck, list_route53_simulations

    scope = build_policy_scope(context)
    accounts = {
        account: PermissionCheck(
            access, os.environ.get(ROLE, ""), partial(list_route53_simulations, scope), "extdns iam-policy"
        )
        for account, access in build_settings(context).accounts_by_name.items()
    }
    yield from ((zone, accounts[zone.account].check(zone)) for zone in zones)


def describe_permissions(context: ProviderContext[AwsFlags], environ: Mapping[str, str]) -> str:
    """Return the IAM policy of the role that reads and writes the zones."""
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or ""
    scope = build_policy_scope(context, region)
    if context.table:
        scope = replace(scope, table=(context.table.region or region or "*", context.table.name))
    return iam_policy.render(iam_policy.build_policy(scope))


def describe_zone(zone: Zone) -> dict[str, str | None]:
    """Return the fields of a log line about *zone*, as external-dns writes them."""
    return {"zoneName": f"{zone.name}.", "zoneID": f"/hostedzone/{zone.id}", "profile": zone.account or None}


PROVIDER: Final = ProviderSpec(
    name="aws",
    flags=AwsFlags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=describe_permissions,
    properties=(ALIAS, EVALUATE_HEALTH, HEALTH_CHECK, HOSTED_ZONE, TARGET_ZONE, *sorted(PROPERTY_NAMES)),
    conditional_switch="aws-conditional-writes",
    parent_zone_switch="aws-zone-match-parent",
    zone_id_kind=replace(
        ZONE_ID,
        noun="the id of a hosted zone",
        allowed=(
            "the id of a hosted zone, such as Z0123456789ABC, or its end; to select zones by name, use --domain-filter"
        ),
        is_effective=lambda value: not value or _ZONE_ID.fullmatch(value) is not None,
    ),
    zone_fields=describe_zone,
    check_environment=check_region,
    other_names=("amazon", "r53", "route-53", "route53"),
    remedies={
        "NoCredentialsError": "give credentials to the process; for a role on EKS: extdns iam-policy --help",
        "InvalidClientTokenId": "correct the access key, such as AWS_ACCESS_KEY_ID",
        "SignatureDoesNotMatch": (
            "correct the secret key, such as AWS_SECRET_ACCESS_KEY; if it is right, set the clock of the machine"
        ),
        "ExpiredToken": "renew the credentials, such as AWS_SESSION_TOKEN",
        "ProfileNotFound": (
            "correct --aws-profile or AWS_PROFILE, or give the file that has the profile in AWS_CONFIG_FILE"
        ),
        "ListHostedZones: AccessDenied": "the policy that allows it: extdns iam-policy [flags]",
    },
    sdk={"boto3": "client", "botocore": "client"},
)
