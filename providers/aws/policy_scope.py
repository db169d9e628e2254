"""What an IAM policy must allow, from the flags."""

from __future__ import annotations

from extdns.model.dns_name import DnsName
from extdns.model.selection import parse_suffixes
from providers.aws import iam_policy
from providers.aws.flags import AwsFlags
from providers.common.provider_spec import ProviderContext


def build_policy_scope(context: ProviderContext[AwsFlags], region: str = "") -> iam_policy.PolicyScope:
    """Return what the IAM policy must allow; *region* selects the AWS partition."""
    plan, ownership_names = context.plan, context.ownership_names
    types = plan.find_managed_types()
    domains, excluded = parse_suffixes(plan.domain_filter), parse_suffixes(plan.exclude_domains)
    if plan.regex_domain_filter is not None or plan.regex_domain_exclusion is not None:
        domains = excluded = ()  # no IAM condition can express a regular expression
    own = [DnsName(domain) for domain in domains if not domain.startswith(".")]  # others stand for what is below them
    marks = (
        [mark for name in own for rtype in types for mark in ownership_names(name, rtype)] if ownership_names else []
    )
    return iam_policy.PolicyScope(
        partition=iam_policy.find_partition(region),
        zone_ids=context.zone_ids,
        names=iam_policy.build_name_patterns(domains, marks),
        excluded_names=iam_policy.build_name_patterns(excluded, ()),
        types=iam_policy.list_changed_types(types, with_ownership=ownership_names is not None),
        conditional=context.flags.aws_conditional_writes,
        filters_by_tag=bool(context.flags.aws_zone_tags),
    )
