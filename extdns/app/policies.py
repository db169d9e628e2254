"""What AWS must allow for the flags: names, types and zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.filters import managed_types
from extdns.app.registries import naming
from extdns.model.domains import suffixes
from extdns.model.name import DnsName
from providers.aws import rights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extdns.config import Aws, Plan, Registry


def scope(plan: Plan, registry: Registry, aws: Aws, region: str = "") -> rights.Scope:
    """What is to be allowed; *region* decides between partitions."""
    return rights.Scope(
        partition=rights.partition(region),
        ids=tuple(filter(None, plan.zone_id_filter)),
        names=tuple(_names(plan, registry)),
        spared=_spared(plan),
        types=rights.changed_types(managed_types(plan), marked=registry.name == "txt"),
        conditional=aws.aws_conditional_writes,
        tags=bool(aws.aws_zone_tags),
    )


def _by_pattern(plan: Plan) -> bool:
    """Whether patterns decide about names, which no condition can say."""
    return plan.regex_domain_filter is not None or plan.regex_domain_exclusion is not None


def _names(plan: Plan, registry: Registry) -> Iterator[str]:
    found = () if _by_pattern(plan) else suffixes(plan.domain_filter)
    if found:
        yield from rights.patterns(found, _marks(found, plan, registry))


def _marks(found: Sequence[str], plan: Plan, registry: Registry) -> Iterator[str]:
    """The names of all ownership records that the domains themselves may have, in old namings, too."""
    if registry.name != "txt":
        return
    forms = naming(registry).forms
    for domain in found:
        if not domain.startswith("."):
            for rtype in managed_types(plan):
                yield from (mark for _, mark in forms(DnsName(domain), rtype, alias=True))


def _spared(plan: Plan) -> tuple[str, ...]:
    return () if _by_pattern(plan) else rights.patterns(suffixes(plan.exclude_domains), ())
