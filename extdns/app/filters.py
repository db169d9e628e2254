"""Which names and types are managed, for whoever has to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.domains import DomainFilter, suffixes

if TYPE_CHECKING:
    from extdns.config import Config, Plan


def domains(config: Config) -> DomainFilter:
    """The filter of the four domain flags."""
    plan = config.plan
    return DomainFilter(
        include=suffixes(plan.domain_filter),
        exclude=suffixes(plan.exclude_domains),
        include_pattern=plan.regex_domain_filter.pattern if plan.regex_domain_filter else None,
        exclude_pattern=plan.regex_domain_exclusion.pattern if plan.regex_domain_exclusion else None,
    )


def managed_types(plan: Plan) -> frozenset[str]:
    """The types of records that are managed."""
    return frozenset(plan.managed_record_types) - frozenset(plan.exclude_record_types)
