"""Which zones are ours to manage (spec plan 4.2, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Filters on zones; all must let a zone pass.

    Attributes:
        ids: ends of zone ids, with or without `/hostedzone/`; one must fit, () lets all pass.
        visibility: `public`, `private`, "" for both.
        domains: the filter that names pass, applied to the zone's own name.
        match_parent: whether zones above one of the domains pass, too.
        tags: each `key` or `key=value`; all must be on the zone.
    """

    ids: tuple[str, ...] = ()
    visibility: str = ""
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen
    match_parent: bool = False
    tags: tuple[str, ...] = ()

    def passes(self, zone_id: str, name: DnsName, *, private: bool) -> bool:
        """Tell whether a zone passes, its tags aside."""
        if not self.picks(zone_id):
            return False
        if self.visibility and (self.visibility == "private") != private:
            return False
        return self.domains.passes(name) or (self.match_parent and self._is_parent(name))

    def picks(self, zone_id: str) -> bool:
        """Tell whether the id of a zone is among those asked for."""
        return not self.ids or f"/hostedzone/{zone_id}".endswith(self.ids)

    def _is_parent(self, name: DnsName) -> bool:
        domains = self.domains
        if domains.include_pattern or domains.exclude_pattern:
            return True  # patterns have no suffixes to be above of
        if not DomainFilter(exclude=domains.exclude).passes(name):
            return False
        return any(not suffix.startswith(".") and suffix.endswith(f".{name}") for suffix in domains.include)

    def wears(self, tags: Mapping[str, str]) -> bool:
        """Tell whether a zone with *tags* has those asked for."""
        return all(_has(tags, wanted) for wanted in self.tags)


def _has(tags: Mapping[str, str], wanted: str) -> bool:
    """Tell whether *tags* hold the key *wanted*, with its value if it gives one (spec plan 4.2)."""
    key, _, value = (part.strip() for part in wanted.partition("="))
    return not key or (key in tags and value in {"", tags[key]})
