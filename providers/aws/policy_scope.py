"""What an IAM policy must allow, from the flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from extdns.flags.records import PlanFlags
from extdns.model.dns_name import DnsName
from extdns.model.selection import parse_suffixes
from providers.aws import iam_policy
from providers.aws.flags import AwsFlags

OwnershipNames = Callable[[DnsName, str], Iterable[str]]


def build_policy_scope(
    plan: PlanFlags, aws: AwsFlags, ownership_names: OwnershipNames | None, region: str = ""
) -> iam_policy.PolicyScope:
    """Return what the IAM policy must allow; *region* selects the AWS partition."""
    return iam_policy.PolicyScope(
        partition=iam_policy.find_partition(region),
        zone_ids=tuple(filter(None, plan.zone_id_filter)),
        names=tuple(_find_name_patterns(plan, ownership_names)),
        excluded_names=_find_excluded_patterns(plan),
        types=iam_policy.list_changed_types(plan.find_managed_types(), with_ownership=ownership_names is not None),
        conditional=aws.aws_conditional_writes,
        filters_by_tag=bool(aws.aws_zone_tags),
    )


def _has_patterns(plan: PlanFlags) -> bool:
    """Return whether names are selected by regular expressions, which no IAM condition can express."""
    return plan.regex_domain_filter is not None or plan.regex_domain_exclusion is not None


def _find_name_patterns(plan: PlanFlags, ownership_names: OwnershipNames | None) -> Iterator[str]:
    found = () if _has_patterns(plan) else parse_suffixes(plan.domain_filter)
    if found:
        yield from iam_policy.build_name_patterns(found, _find_ownership_names(found, plan, ownership_names))


def _find_ownership_names(
    found: Sequence[str], plan: PlanFlags, ownership_names: OwnershipNames | None
) -> Iterator[str]:
    """Yield the names of the ownership records of the domains *found* for each managed type.

    A domain that begins with a dot has none: it stands only for the names below it.
    """
    if ownership_names is None:
        return
    for domain in found:
        if not domain.startswith("."):
            for rtype in plan.find_managed_types():
                yield from ownership_names(DnsName(domain), rtype)


def _find_excluded_patterns(plan: PlanFlags) -> tuple[str, ...]:
    return () if _has_patterns(plan) else iam_policy.build_name_patterns(parse_suffixes(plan.exclude_domains), ())
