"""Whose the records of requested names are, and a warning if they are not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.documents.scope_warnings import ScopeWarning
from extdns.documents.snapshot import is_ownership_record
from extdns.documents.text import join_first
from extdns.engine.decisions import CHANGING
from extdns.errors import sanitize
from extdns.model.reason import Reason
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.engine.engine import Engine

_MAX_NAMES: Final = 5
_NOT_OURS: Final = (Reason.OWNED_BY_OTHER, Reason.FOREIGN_RECORD)


class Ownership(Value, frozen=True, kw_only=True):
    """Whose the records are, as one pass read them.

    Attributes:
        requested: the number of requested names.
        ours: the number of records that are ours.
        others: the number of records with another owner.
        owners: the owner ids of these, sorted.
        owned_by_others: the requested names that have a record with another owner, sorted.
        not_ours: these, and the requested names that have a record without an owner, sorted.
        leaves_nothing: whether for that reason no requested name has a record of ours, or gets one.
        has_ownership_records: whether there are ownership records that can be recognised, of any owner.
    """

    requested: int
    ours: int
    others: int
    owners: tuple[str, ...]
    owned_by_others: tuple[str, ...]
    not_ours: tuple[str, ...]
    leaves_nothing: bool
    has_ownership_records: bool


def measure_ownership(engine: Engine) -> Ownership:
    """Return whose the records are that the pass of *engine* read."""
    decisions = tuple(engine.decisions)
    owners = [one.current.owner for one in decisions if one.current and one.current.owner and not one.current.is_ours]
    requested = [one for one in decisions if one.requested_by]
    foreign = [one for one in requested if one.reason in _NOT_OURS]
    becomes_ours = any(one.action in CHANGING or (one.current and one.current.is_ours) for one in requested)
    return Ownership(
        requested=len(engine.claims.names()),
        ours=sum(engine.decisions.owned.values()),
        others=len(owners),
        owners=tuple(sorted(set(owners))),
        owned_by_others=tuple(sorted({one.name for one in foreign if one.reason is Reason.OWNED_BY_OTHER})),
        not_ours=tuple(sorted({one.name for one in foreign})),
        leaves_nothing=bool(foreign) and not becomes_ours,
        has_ownership_records=any(
            is_ownership_record(one) for zone in engine.zones for one in zone.cache.all_records()
        ),
    )


def find_ownership_warning(config: Config, found: Ownership) -> ScopeWarning | None:
    """Return the warning that requested names, or all records, are not ours, None if there is nothing to warn about."""
    owner = sanitize(config.registry.txt_owner_id)
    of = f" (owned by {', '.join(map(sanitize, found.owners))})" if found.owned_by_others else ""
    if found.leaves_nothing:
        names = join_first(found.not_ours, _MAX_NAMES)
        text = f"records that are not ours{of} stand in the way of all that is requested: {names}"
    elif found.has_ownership_records and not found.ours:
        text = f"there are ownership records, but no record of owner id {owner}"
    elif found.owned_by_others:
        names = join_first(found.owned_by_others, _MAX_NAMES)
        text = f"records that are not ours{of} stand in the way of some requested names: {names}"
    else:
        return None
    return ScopeWarning(
        text=text,
        next=f"compare --txt-owner-id={owner}, --txt-prefix and --txt-suffix with: extdns owners [flags]",
        leaves_nothing=found.leaves_nothing,
    )
