"""What a person set that decides plans."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model import rrtype
from extdns.model.domains import DomainFilter
from extdns.planner.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """Settings of the planner.

    Attributes:
        owner: our owner id, "" where the registry proves nothing (noop).
        migrate_from: an older owner id whose records are taken over when claimed, "" for none.
        managed_types: record types in scope, exclusions already taken out.
        source_order: names of the sources in the order of `--source`; earlier ones win ties.
        provider: as `--provider` spells it; decides which provider-specific properties stay.
        min_ttl_s: TTL for endpoints without one, 0 for none.
        compat: do as the reference does where design 5 marks a difference.
    """

    owner: str
    migrate_from: str = ""
    policy: Policy = Policy.SYNC
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen
    managed_types: frozenset[str] = frozenset({rrtype.A, rrtype.AAAA, rrtype.CNAME})
    source_order: tuple[str, ...] = ()
    provider: str = ""
    min_ttl_s: int = 0
    prefer_alias: bool = False
    compat: bool = False
