"""What the engine gathers before a name is planned.

A lookup of something that was not gathered raises KeyError. So no decision rests on an unknown fact: the name gets a
failure decision and a retry (law 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from extdns.model.change import Blocked, Decision, Wait
from extdns.model.claim import NameClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.kind import Kind, ObjectKey
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.rules.rule_input import RuleNamespace, RuleObject


class ObjectFacts(Value, frozen=True, kw_only=True):
    """What is known about one object for which a record of the name may have been made.

    Attributes:
        is_known: whether a source has observed the object, and not later that it is gone.
        exists: whether the object exists, by the last GET request; None if there was none.
        failure: why the object cannot be read or its claims cannot be computed, "" if they can.
        missing: the objects that its claims depend on, and that are missing from a complete list.
        hidden: the invalid hostname or misspelled annotation of the object that may stand for the name.
    """

    is_known: bool
    exists: bool | None
    failure: str
    missing: tuple[ObjectKey, ...]
    hidden: Blocked | None


class DeleteFacts(Value, frozen=True, kw_only=True):
    """What the delete guard has decided about the delete of one record of ours.

    Attributes:
        is_unguarded: whether deletes are made at once, as external-dns does.
        is_approved: whether a person approved the delete.
        insufficient: the evidence that does not allow the delete without approval.
        hold: why the delete is held, None if it is not. A transfer is made although a hold exists.
        granted: the delete that was granted, None if none was.
        is_saved: whether the saved state contains the grant.
        waiting: what every delete waits for besides its grace period; "" for nothing.
        waiting_by_absence: the same for a delete by absence, which may also wait because there is no saved state.
    """

    is_unguarded: bool = False
    is_approved: bool = False
    insufficient: frozenset[Evidence] = frozenset()
    hold: Blocked | None = None
    granted: PendingDelete | None = None
    is_saved: bool = False
    waiting: str = ""
    waiting_by_absence: str = ""


UNGUARDED: Final = DeleteFacts(is_unguarded=True)


class Facts(Value, frozen=True, kw_only=True, gc=True):
    """Everything that evidence for deletes at one name is found in, and what the delete guard says about them.

    Attributes:
        ended: by set identifier and then by resource, sorted, the evidence that the claim of an object has ended since
            the start, or why its end is not evidence.
        hosts: the claims to the names in our PTR records, of the namespaces that may have them there.
        unread: waits for the zones of these names that were not read.
        kinds_down: the kinds that sources read and that are not synced, sorted by name.
        dependencies_down: the kinds of dependencies that were synced before and are not now, sorted by name.
        unreadable_manifest: a part of the manifests that cannot be read and may contain any object; "" for none.
        failing: by the namespaces of our records, one object whose claims cannot be computed and that may request them,
            with the error; by "", one of any namespace.
        hidden: why any object may request the name: an invalid hostname or a misspelled annotation; None if none may.
        deletes: what the delete guard says about each record of ours.
    """

    ended: Mapping[str, Mapping[str, Evidence | Blocked]]
    objects: Mapping[ObjectKey, ObjectFacts]
    hosts: Mapping[DnsName, tuple[NameClaim, ...]]
    unread: tuple[Wait, ...]
    kinds_down: Mapping[Kind, Phase]
    dependencies_down: tuple[Kind, ...]
    unreadable_manifest: str
    failing: Mapping[str, tuple[ObjectKey, str]]
    hidden: Blocked | None
    deletes: Mapping[RecordKey, DeleteFacts]

    def list_ended(self, set_identifier: str) -> Mapping[str, Evidence | Blocked]:
        """Return by resource, sorted, how the claims with a set identifier ended."""
        return self.ended.get(set_identifier, {})

    def find_ended(self, set_identifier: str, resource: str) -> Evidence | Blocked | None:
        """Return how the claim of *resource* with a set identifier ended; None if it did not.

        With *resource* "", claims of any object count: return a `Blocked` if there is one, else the weakest evidence.
        """
        ends = self.list_ended(set_identifier)
        if resource:
            return ends.get(resource)
        return min(ends.values(), key=lambda end: (isinstance(end, Evidence), end is not Evidence.ABSENT), default=None)


class ObjectInput(NamedTuple):
    """An object as rules see it, with its namespace; None for what is unknown."""

    object: RuleObject | None
    namespace: RuleNamespace | None


class RuleFacts(Value, frozen=True, kw_only=True, gc=True):
    """What rules see besides records.

    Attributes:
        requesters: the objects of all claims.
        resources: the objects of our records, by the resource in their ownership records.
        hosts: the last decisions about the names in requested PTR records.
    """

    requesters: Mapping[ObjectKey, ObjectInput]
    resources: Mapping[str, ObjectInput]
    hosts: Mapping[DnsName, tuple[Decision, ...]]


NO_PAUSES: Final[Mapping[tuple[str, RecordKey], Blocked]] = MappingProxyType({})


class NameView(Value, frozen=True, kw_only=True, gc=True):
    """Everything that is needed to plan one name in one zone.

    Attributes:
        parent: the zone that holds the ownership records of the name, if it is the name of *zone*; None if *zone* does.
        lacks_ownership_name: whether external-dns would keep the ownership records of the name in no managed zone, or
            DNS allows none because the name is too long.
        claims: all claims to the name.
        current: its records, with their ownership.
        expected: the records of the name and its related names, as they are once the queued changes were written.
        elsewhere: its records in other zones that have ownership records in common with this one.
        leftovers: ownership records in *parent* that cover no record of ours, and by which another would be.
        block: why nothing at the name may change, None if it may.
        other_cluster: the id of the cluster from which the objects come, if it is another one than before; else "".
        former: the last decisions about it.
        may_be_merged: the keys of the records that stay if they equal what external-dns merges from several namespaces.
        pauses: by zone id and key, why what the name writes there cannot be sent to that zone now.
        rules: what rules see; None without rules.
        facts: what evidence is found in; None until it was gathered, because it can matter.
    """

    zone: Zone
    name: DnsName
    parent: Zone | None = None
    lacks_ownership_name: bool = False
    claims: tuple[NameClaim, ...] = ()
    current: tuple[OwnedRecord, ...] = ()
    expected: tuple[Record, ...] = ()
    elsewhere: tuple[OwnedRecord, ...] = ()
    leftovers: tuple[Record, ...] = ()
    block: Blocked | None = None
    other_cluster: str = ""
    former: tuple[Decision, ...] = ()
    may_be_merged: frozenset[RecordKey] = frozenset()
    pauses: Mapping[tuple[str, RecordKey], Blocked] = NO_PAUSES
    rules: RuleFacts | None = None
    facts: Facts | None = None
