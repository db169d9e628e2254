"""Settings of the planner, and `--policy` (docs/spec/plan.md 2.8)."""

from __future__ import annotations

from enum import StrEnum

from extdns.model import rrtype
from extdns.model.selection import DomainFilter
from extdns.model.value import Value


class Policy(StrEnum):
    """The value of `--policy`."""

    SYNC = "sync"
    UPSERT_ONLY = "upsert-only"
    CREATE_ONLY = "create-only"


class PlanSettings(Value, frozen=True, kw_only=True):
    """The settings of the planner.

    Attributes:
        owner: our owner id, "" if the registry has no ownership records (noop).
        migrate_from: an earlier owner id whose records are taken over if requested, "" for none.
        managed_types: record types in scope, exclusions already taken out.
        source_order: the names of the sources in the order of `--source`, by which claims are sorted.
        provider: the value of `--provider`, which decides which properties are kept.
        min_ttl_s: the TTL for records without one, 0 for none.
        creates_ptr: whether address records get PTR records; the property `record-type` overrides it for one record.
        merges_namespaces: whether claims of several namespaces to one name are merged instead of being in a contest.
        compat: the value of `--compat`: whether to behave as external-dns (docs/design/differences.md).
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
    creates_ptr: bool = False
    merges_namespaces: bool = False
    compat: bool = False
