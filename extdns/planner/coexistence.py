"""Which records can coexist at one name (law 6; RFC 1034 section 3.6.2).

A CNAME excludes every other type, whatever the set identifiers. Within one type, simple records exclude routed ones,
and each routing policy excludes the others. A simple A and a weighted AAAA can coexist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, Create, Delete, Update
from extdns.model.claim import Provenance
from extdns.model.evidence import Evidence
from extdns.model.reason import Category, Reason
from extdns.model.record import SIMPLE, DesiredRecord, OwnedRecord, Record, RecordKey, get_routing
from extdns.planner.proposal import UP_TO_DATE, Candidate, NameRow, Proposal

Content = DesiredRecord | Record
Form = tuple[str, str]
"""The type and the routing of a record."""


def can_coexist(contents: Iterable[Content]) -> bool:
    """Return whether one name may hold all of *contents* at the same time."""
    return not any(exclude(*both) for both in combinations(list_forms(contents), 2))


def list_forms(contents: Iterable[Content]) -> set[Form]:
    """Return the form of each of *contents*, on which alone it depends what it can coexist with."""
    return set(map(_get_form, contents))


def _get_form(content: Content) -> Form:
    return content.type, get_routing(content)


def exclude(one: Form, other: Form) -> bool:
    """Return whether records of two different forms cannot be at one name at the same time."""
    return one[0] == other[0] or rrtype.EXCLUSIVE in {one[0], other[0]}


def find_contents(proposals: Iterable[Proposal]) -> list[Content]:
    """Return the records before and after each of *proposals*."""
    found: list[Content] = []
    for one in proposals:
        if one.current:
            found.append(one.current.record)
        if one.candidate:
            found.append(one.candidate.desired)
    return found


def choose_routings(table: Sequence[NameRow]) -> tuple[tuple[NameRow, ...], tuple[Candidate, ...]]:
    """Choose one routing for each type of a name. Return the rows, and the candidates removed from them.

    A routing is simple, or a routing policy. The first of these is chosen: the routing of a record of ours, if an
    object requests that routing; the routing of any existing record, because no other can coexist with it; the routing
    that the oldest object requests. Candidates for new records with another routing are removed. A candidate for an
    existing record stays in its row: `drop_incompatible` decides whether the record may change its routing.
    """
    rows = [row for row in table if row.winners]
    if len(rows) <= 1:
        return tuple(table), ()
    rejected: dict[str, set[str]] = {}  # types by set identifier
    for rtype in sorted({rtype for row in rows for rtype in row.winners}):
        requested = [(row, get_routing(row.winners[rtype].desired)) for row in rows if rtype in row.winners]
        if len({routing for _, routing in requested}) > 1:
            chosen = _choose_routing(rtype, requested, [row.current[rtype] for row in table if rtype in row.current])
            for row, routing in requested:
                if routing != chosen and rtype not in row.current:
                    rejected.setdefault(row.set_identifier, set()).add(rtype)
    if not rejected:
        return tuple(table), ()
    chosen_rows: list[NameRow] = []
    incompatible: list[Candidate] = []
    for row in table:
        types = rejected.get(row.set_identifier)
        rest, dropped = _without_types(row, types) if types else (row, ())
        chosen_rows.append(rest)
        incompatible += dropped
    return tuple(chosen_rows), tuple(incompatible)


def _without_types(row: NameRow, types: set[str]) -> tuple[NameRow, tuple[Candidate, ...]]:
    """Remove the candidates of *types* from *row*. Return the new row and the removed candidates."""
    winners = {rtype: winner for rtype, winner in row.winners.items() if rtype not in types}
    if not winners:
        return replace(row, winners={}, yielding_cnames=(), other_candidates=()), row.candidates
    others = tuple(one for one in row.other_candidates if one.desired.type not in types)
    return replace(row, winners=winners, other_candidates=others), tuple(
        one for one in (*row.winners.values(), *row.other_candidates) if one.desired.type in types
    )


def _choose_routing(rtype: str, requested: Iterable[tuple[NameRow, str]], current: Sequence[OwnedRecord]) -> str:
    existing = {get_routing(owned.record) for owned in current}
    ours = {get_routing(owned.record) for owned in current if owned.is_ours}

    def build_sort_key(one: tuple[NameRow, str]) -> tuple[object, ...]:
        row, routing = one
        oldest = min(requester.ref.age_sort_key for requester in row.winners[rtype].requested_by)
        return (routing not in ours, routing not in existing, oldest, row.set_identifier)

    return min(requested, key=build_sort_key)[1]


def find_exchanged(proposals: Sequence[Proposal]) -> set[RecordKey]:
    """Return the keys of deleted records whose place a requested record takes, so that both change together."""
    deletes = [one.outcome for one in proposals if isinstance(one.outcome, Delete)]
    forms: set[Form] = set()
    by_set: dict[str, set[Form]] = {}
    by_namespace: dict[str, set[Form]] = {}
    by_resource: dict[str, set[Form]] = {}
    new_addresses: set[tuple[str, str]] = set()  # by set identifier and resource
    for one in proposals if deletes else ():
        if one.candidate:
            form = _get_form(one.candidate.desired)
            forms.add(form)
            by_set.setdefault(one.key.set_identifier, set()).add(form)
            for requester in one.candidate.requested_by:
                by_namespace.setdefault(requester.ref.key.namespace, set()).add(form)
            resources = {requester.ref.key.resource for requester in one.candidate.requested_by}
            for resource in resources:
                by_resource.setdefault(resource, set()).add(form)
            if one.current is None and one.key.type in rrtype.ADDRESSES:
                new_addresses.update((one.key.set_identifier, resource) for resource in resources)

    def is_exchanged(change: Delete) -> bool:
        current, record, resource = change.current, change.current.record, change.current.resource
        if _is_excluded(record, by_resource.get(resource, ())):
            return True
        if change.evidence is not Evidence.REPLACED:
            return False
        # If the address record of the other type exists, the object requests less than before, which needs evidence.
        is_address_exchanged = record.type in rrtype.ADDRESSES and (record.set_identifier, resource) in new_addresses
        of_namespace = by_namespace.get(current.namespace, set()) if resource else forms
        return is_address_exchanged or _is_excluded(record, by_set.get(record.set_identifier, set()) | of_namespace)

    return {change.key for change in deletes if is_exchanged(change)}


def _is_excluded(record: Record, forms: Iterable[Form]) -> bool:
    own = _get_form(record)
    return any(form != own and exclude(own, form) for form in forms)


def is_requested_by_resource(current: OwnedRecord, requested_by: Iterable[Provenance]) -> bool:
    """Return whether the resource of *current*, the object in its ownership record, is one of *requested_by*."""
    return any(requester.ref.key.resource == current.resource for requester in requested_by)


def is_requested_by_namespace(current: OwnedRecord, requested_by: Iterable[Provenance]) -> bool:
    """Return whether one of *requested_by* is in the namespace of the resource of *current*, or that is unknown."""
    return not current.resource or any(one.ref.key.namespace == current.namespace for one in requested_by)


def drop_incompatible(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Block changes that cannot coexist with other records, and deletes of records whose replacement is not written.

    Blocking one change may affect others, so the rules are repeated until no more changes are blocked.
    """
    current = list(proposals)
    while len(current) > 1:
        checked = _apply_first_rule(current)
        if checked == current:
            break
        current = checked
    return current


def _apply_first_rule(current: Sequence[Proposal]) -> list[Proposal]:
    """Apply the first rule that blocks a change, and return the new proposals."""
    kept = _list_one_of_each_form((one, one.current.record) for one in current if one.current and _is_unchanged(one))
    made = _list_one_of_each_form((one, new) for one in current if (new := _get_written(one)))
    unwritten = [one for one in current if _find_write_block(one)]
    for rule, others in (
        (_block_incompatible_with_current, kept),
        (_block_in_place_of_others, _list_replaced(current)),
        (_block_without_successors, unwritten),
        (_block_incompatible_writes, made),
    ):
        checked = [rule(proposal, others) for proposal in current]
        if checked != current:
            return checked
    return list(current)


def _list_one_of_each_form(found: Iterable[tuple[Proposal, Content]]) -> list[Proposal]:
    """Return the first proposal for each form of a record, because a name can have thousands of set identifiers."""
    return list({(new.type, get_routing(new)): one for one, new in reversed([*found])}.values())[::-1]


def _block_incompatible_with_current(proposal: Proposal, kept: Iterable[Proposal]) -> Proposal:
    """Block *proposal* if it writes a record that cannot coexist with a record that stays: one of *kept*."""
    if (written := _get_written(proposal)) is None or not _has_changed_routing_or_type(proposal):
        return proposal
    for other in kept:
        if other.current and not can_coexist((written, other.current.record)):
            return replace(proposal, outcome=_find_reason_to_wait(written, other))
    return proposal


def _list_replaced(current: Iterable[Proposal]) -> list[Proposal]:
    """Return the first delete of a replaced record for each form and namespace."""
    deletes = [(one, one.outcome) for one in current if isinstance(one.outcome, Delete)]
    replaced = [(one, made.current) for one, made in deletes if made.evidence is Evidence.REPLACED]
    return list({(_get_form(old.record), old.namespace): one for one, old in reversed(replaced)}.values())


def _block_in_place_of_others(proposal: Proposal, replaced: Iterable[Proposal]) -> Proposal:
    """Block *proposal* if it cannot coexist with one of the *replaced* records, and is not what takes its place."""
    if (written := _get_written(proposal)) is None or not _has_changed_routing_or_type(proposal):
        return proposal
    for other in replaced:
        if other.current and not can_coexist((written, other.current.record)) and not _is_successor(proposal, other):
            return replace(proposal, outcome=_block(Reason.INCOMPATIBLE_RECORD, other.current.record))
    return proposal


def _block_incompatible_writes(proposal: Proposal, writing: Iterable[Proposal]) -> Proposal:
    """Block *proposal* if another write, of those *writing*, cannot coexist with it and has precedence.

    A new CNAME yields to other types (docs/spec/plan.md 2.3), and a record whose routing changes yields to the others.
    """
    written = _get_written(proposal)
    if written is None or not (_has_changed_routing(proposal) or _is_new_cname(proposal)):
        return proposal
    for other in writing:
        made = _get_written(other)
        if made and not can_coexist((written, made)):
            return replace(proposal, outcome=_block(Reason.INCOMPATIBLE_RECORD, made))
    return proposal


def _get_written(proposal: Proposal) -> DesiredRecord | None:
    """Return the record that the proposal creates or updates, None if it does neither."""
    return proposal.outcome.desired if isinstance(proposal.outcome, Create | Update) else None


def _is_unchanged(proposal: Proposal) -> bool:
    """Return whether the existing record is neither deleted nor changed to another routing."""
    outcome = proposal.outcome
    return isinstance(outcome, Blocked) or (isinstance(outcome, Update) and not _has_changed_routing(proposal))


def _is_new_cname(proposal: Proposal) -> bool:
    return isinstance(proposal.outcome, Create) and proposal.key.type == rrtype.EXCLUSIVE


def _has_changed_routing_or_type(proposal: Proposal) -> bool:
    return isinstance(proposal.outcome, Create) or _has_changed_routing(proposal)


def _has_changed_routing(proposal: Proposal) -> bool:
    """Return whether the record of *proposal* exists and is requested with another routing."""
    existing, candidate = proposal.current, proposal.candidate
    if existing is None or candidate is None:
        return False
    return get_routing(existing.record) != get_routing(candidate.desired)


def _find_reason_to_wait(new: DesiredRecord, stays: Proposal) -> Blocked:
    """Return why *new* must wait: the reason why the record of *stays*, with which it cannot coexist, is kept."""
    existing, outcome = stays.current, stays.outcome
    assert existing is not None  # noqa: S101 - the caller passes records that stay
    if not isinstance(outcome, Blocked) or outcome is UP_TO_DATE:
        reason = Reason.INCOMPATIBLE_RECORD
    elif outcome.reason is Reason.POLICY_KEEPS:
        reason = Reason.POLICY_KEEPS_TYPE
    elif outcome.reason.row.category is Category.FOREIGN and _is_other_routing(new, existing.record):
        reason = Reason.INCOMPATIBLE_RECORD
    else:
        reason = outcome.reason
    return _block(reason, existing.record, ", which stays")


def _is_other_routing(one: Content, other: Content) -> bool:
    return (get_routing(one) == SIMPLE) != (get_routing(other) == SIMPLE)


def _block(reason: Reason, other: Content, what: str = "") -> Blocked:
    named = f"{other.type} record" + (f" {other.set_identifier!r}" if other.set_identifier else "")
    return Blocked(reason=reason, detail=f"the requested record cannot coexist with the {named}{what}")


def _block_without_successors(proposal: Proposal, unwritten: Iterable[Proposal]) -> Proposal:
    """Block the delete of a replaced record if one of those *unwritten* would replace it (law 6)."""
    if not isinstance(proposal.outcome, Delete) or proposal.outcome.evidence is not Evidence.REPLACED:
        return proposal
    for other in unwritten:
        if (reason := _find_write_block(other)) and _is_successor(other, proposal):
            return replace(
                proposal,
                outcome=Blocked(reason=reason, detail=f"the requested {other.key.type} record cannot replace it"),
            )
    return proposal


def _find_write_block(proposal: Proposal) -> Reason | None:
    """Return why *proposal* may not write its requested record.

    None if it may, if no record is requested, or if the record exists with the requested routing.
    """
    outcome = proposal.outcome
    if not isinstance(outcome, Blocked) or proposal.candidate is None:
        return None
    return outcome.reason if proposal.current is None or _has_changed_routing(proposal) else None


def _is_successor(new: Proposal, old: Proposal) -> bool:
    """Return whether the requested record of *new* has to take the place of *old*.

    One with another set identifier does so only if the namespace of *old* requests it.
    """
    if new.candidate is None or old.current is None:
        return False
    if new.key.set_identifier == old.key.set_identifier:
        return True
    is_excluded = not can_coexist((new.candidate.desired, old.current.record))
    return is_excluded and is_requested_by_namespace(old.current, new.candidate.requested_by)
