"""Zones, which names belong to them, and the rate limits and permissions of a DNS service."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.value import Value, group_by


class Zone(Value, frozen=True, kw_only=True, order=True):
    """One zone of one account.

    Attributes:
        id: unique among all zones of the process.
        account: the account or profile that holds it, "" if there is only one.
        private: whether only some networks can see it (split horizon).
    """

    name: DnsName
    id: str
    account: str = ""
    private: bool = False

    def __str__(self) -> str:
        """Return `example.org (Z2ABC)`, as used in messages."""
        return self.name if self.id == self.name else f"{self.name} ({self.id})"


class AccountFailure(Value, frozen=True, kw_only=True):
    """An account whose zones could not be listed.

    Attributes:
        permanent: whether only a person can fix the failure, such as a missing permission.
        lacks_credentials: whether there are no valid credentials.
    """

    account: str
    message: str
    permanent: bool = False
    lacks_credentials: bool = False


class ZoneList(Value, frozen=True, kw_only=True):
    """The zones that could be listed, sorted, and the accounts that failed.

    Attributes:
        calls: the number of calls that the list took.
        excluded: the names of the zones that the filters exclude, sorted.
    """

    zones: tuple[Zone, ...]
    failed: tuple[AccountFailure, ...] = ()
    calls: int = 1
    excluded: tuple[str, ...] = ()


class ZonePage(Value, frozen=True, kw_only=True):
    """One page of a zone.

    Attributes:
        records: the records of the page, in the service's order.
        after: the opaque cursor of the next page, None on the last one.
    """

    records: tuple[Record, ...]
    after: str | None = None


class RateLimitStatus(Value, frozen=True, kw_only=True):
    """The state of one token bucket of API calls.

    Attributes:
        account: the account, "" if there is only one.
        action: the API action, as the service names it; "" for all calls of the account together.
        calls_left: calls that may be made at once; negative if earlier calls took more than was available.
        per_s: tokens added each second now.
        throttle_count: how often the service throttled since the start.
    """

    account: str
    action: str
    calls_left: float
    per_s: float
    throttle_count: int


class Permission(Value, frozen=True, kw_only=True):
    """Whether a zone may be changed.

    Attributes:
        granted: None if that is not known.
        detail: what is allowed or missing and how that was determined, or why it is not known.
        remedy: what to do about it, "" if there is nothing to do.
    """

    granted: bool | None
    detail: str
    remedy: str = ""


_NOT_AT_WILDCARDS: Final = frozenset({rrtype.NS, rrtype.DNAME})


def find_placement_problem(endpoint: DesiredRecord, zone: Zone, *, flattens_apex: bool = False) -> str:
    """Return why *zone* cannot hold *endpoint*, "" if it can (RFC 1034 3.6.2, RFC 4592 4.2 and 4.4).

    *flattens_apex* is whether the service answers a CNAME at the name of a zone with the addresses of its target.
    """
    name, rtype = endpoint.name, endpoint.type
    if not name.within(zone.name):
        return f"{name} lies outside zone {zone}"
    if not endpoint.targets:
        return f"{rtype} needs a target"
    if rtype == rrtype.CNAME and name == zone.name and not flattens_apex:
        return f"a CNAME is not allowed at the apex of {zone}, which has SOA and NS"
    if rtype in _NOT_AT_WILDCARDS and name.is_wildcard:
        return f"{rtype} is not allowed at a wildcard"
    return ""


_REMEMBERED_PARENTS: Final = 4096


class ZonePlacement:
    """An index of the zones of all accounts by name; immutable."""

    def __init__(self, zones: Iterable[Zone], *, longest_only: bool = False) -> None:
        """Index *zones* by name. *longest_only*: see `Capabilities.longest_match_only`."""
        self._longest_only = longest_only
        self._by_name: dict[str, list[Zone]] = group_by(sorted(zones), lambda zone: zone.name)
        self._above = lru_cache(maxsize=_REMEMBERED_PARENTS)(self._search)

    def find_zones(self, name: DnsName) -> tuple[Zone, ...]:
        """Return the zones of *name*: all private zones that contain it, and the longest-matching public ones; sorted.

        With `longest_only`, return only the zones of the longest match, public or private. Zones of equal name are all
        returned, because each has records of its own.
        """
        return self._search(name) if name in self._by_name else self._above(name[name.find(".") + 1 :])

    def _search(self, name: str) -> tuple[Zone, ...]:
        found: list[Zone] = []
        public = False
        ancestor = name
        while ancestor:
            if zones := self._by_name.get(ancestor):
                found += [zone for zone in zones if zone.private or not public]
                if self._longest_only:
                    break
                public = public or any(not zone.private for zone in zones)
            ancestor = ancestor.partition(".")[2]
        return tuple(sorted(found))
