"""Settings of the Route 53 provider: accounts, zone filter, aliases and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from providers.common.api_calls import CallOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsAccount:
    """Credentials of one AWS account.

    Attributes:
        profile: the profile in the shared AWS configuration, "" for the SDK's default credential chain.
        role: ARN of a role to assume with these credentials, "" for none.
        external_id: the external id that the role's trust policy requires, "" for none; a secret.
    """

    profile: str = ""
    role: str = ""
    external_id: str = field(default="", repr=False)
    calls: CallOptions = field(default_factory=CallOptions, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route53ZoneFilter:
    """Selects hosted zones; a zone must match all filters.

    Attributes:
        ids: suffixes of zone ids, with or without `/hostedzone/`; one must match, () matches all.
        visibility: `public`, `private`, "" for both.
        match_parent: whether parent zones of the domains match, too.
        tags: each `key` or `key=value`; the zone must have all of them.
    """

    ids: tuple[str, ...] = ()
    visibility: str = ""
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen
    match_parent: bool = False
    tags: tuple[str, ...] = ()

    def matches(self, zone_id: str, name: DnsName, *, private: bool) -> bool:
        """Return whether a zone matches all filters but `tags`, which are not checked."""
        if not self.matches_id(zone_id):
            return False
        if self.visibility and (self.visibility == "private") != private:
            return False
        return self.domains.matches(name) or (self.match_parent and self._is_parent(name))

    def matches_id(self, zone_id: str) -> bool:
        """Return whether *zone_id* ends with one of `ids`, or `ids` is empty."""
        return not self.ids or f"/hostedzone/{zone_id}".endswith(self.ids)

    def _is_parent(self, name: DnsName) -> bool:
        domains = self.domains
        if domains.include_pattern or domains.exclude_pattern:
            return True  # a regular expression has no parent domains
        if not DomainFilter(exclude=domains.exclude).matches(name):
            return False
        return any(not suffix.startswith(".") and suffix.endswith(f".{name}") for suffix in domains.include)

    def matches_tags(self, tags: Mapping[str, str]) -> bool:
        """Return whether a zone with *tags* matches."""
        return all(_matches_tag(tags, condition) for condition in self.tags)


def _matches_tag(tags: Mapping[str, str], condition: str) -> bool:
    """Return whether *tags* satisfy *condition*, a `key` or `key=value` (docs/spec/plan.md 4.2)."""
    key, _, value = (part.strip() for part in condition.partition("="))
    return not key or (key in tags and value in {"", tags[key]})


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsSettings:
    """Settings of the provider.

    Attributes:
        accounts: the accounts, at least one.
        prefer_cname: whether a CNAME to a load balancer stays a CNAME instead of becoming an alias.
        evaluate_target_health: whether an alias follows the health of its target, unless an annotation decides.
        conditional: whether an update deletes the exact current record instead of overwriting it with UPSERT.
        attempts: attempts of a read, the first included; 0 for the maximum of 10.
        page_items: record sets in a page, at most 300.
        max_bytes: the most characters of values in a batch.
        pause_s: the least time between two batches of an account, 0 for none.
    """

    accounts: tuple[AwsAccount, ...] = (AwsAccount(),)
    zone_filter: Route53ZoneFilter = Route53ZoneFilter()
    prefer_cname: bool = False
    evaluate_target_health: bool = True
    conditional: bool = True
    attempts: int = 3
    page_items: int = 300
    max_changes: int = 1000
    max_bytes: int = 32000
    max_values: int = 1000
    pause_s: float = 0.0

    @property
    def accounts_by_name(self) -> dict[str, AwsAccount]:
        """The accounts by the name in `Zone.account`: the profile, or "" if there is only one account."""
        several = len(self.accounts) > 1
        return {account.profile if several else "": account for account in self.accounts}
