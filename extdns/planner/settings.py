"""What a person set that decides plans."""

from __future__ import annotations

from extdns.model import rrtype
from extdns.model.domains import DomainFilter
from extdns.model.value import Value
from extdns.planner.policy import Policy


class PlanSettings(Value, frozen=True, kw_only=True):
    """Settings of the planner.

    Attributes:
        owner: our owner id, "" where the registry proves nothing (noop).
        migrate_from: an older owner id whose records are taken over when claimed, "" for none.
        managed_types: record types in scope, exclusions already taken out.
        source_order: names of the sources in the order of `--source`; earlier ones win ties.
        provider: as `--provider` spells it; decides which provider-specific properties stay.
        min_ttl_s: TTL for endpoints without one, 0 for none.
        merges_namespaces: whether claims of several namespaces to one name are merged.
        compat: do as the reference does where design 5 marks a difference.
    """

    owner: str
    migrate_from: str = ""
    policy: Policy = Policy.SYNC
    domains: DomainFilter = DomainFilter()
    managed_types: frozenset[str] = frozenset({rrtype.A, rrtype.AAAA, rrtype.CNAME})
    source_order: tuple[str, ...] = ()
    provider: str = ""
    min_ttl_s: int = 0
    prefer_alias: bool = False
    merges_namespaces: bool = False
    compat: bool = False
