"""Evidence for deletes, and deletes that wait (docs/design/delete-safety.md)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from extdns.model.record import OwnedRecord
from extdns.model.value import Value
from extdns.model.zone import Zone


class Evidence(StrEnum):
    """The observation that allows a delete. The value is the reason code."""

    OBJECT_DELETED = "object-deleted"
    HOSTNAME_REMOVED = "hostname-removed"
    FILTERED_OUT = "filtered-out"
    DEPENDENCY_CHANGED = "dependency-changed"
    NO_ENDPOINTS = "no-endpoints"
    ABSENT = "absent"
    ORPHAN_GONE = "orphan-gone"
    ORPHAN_UNCLAIMED = "orphan-unclaimed"
    UNRESOLVED_EXPIRED = "unresolved-expired"  # the claim has been unresolved for longer than the limit
    POLICY_VIOLATION = "policy-violation"  # a rule with `onViolation: delete` denies the record
    REPLACED = "replaced"  # another record replaces it in the same change set

    @property
    def is_by_absence(self) -> bool:
        """Whether the evidence is the absence of something. Such deletes have a smaller budget."""
        return self in {Evidence.ABSENT, Evidence.ORPHAN_GONE, Evidence.ORPHAN_UNCLAIMED}

    @property
    def is_sufficient(self) -> bool:
        """Whether the evidence allows a delete within the budgets without approval."""
        return self is not Evidence.ORPHAN_UNCLAIMED


class Scope(NamedTuple):
    """The scope of a delete budget: a zone, one namespace in a zone, or all zones (both fields "").

    Attributes:
        zone_id: "" for all zones.
        namespace: the namespace of the resources of the records, "" for all.
    """

    zone_id: str
    namespace: str = ""


ALL_ZONES: Final = Scope("")


def format_scope(zone_name: str, namespace: str) -> str:
    """Return a scope for messages: `zone example.org`, `namespace shop in zone example.org` or `all zones`."""
    where = f"zone {zone_name}" if zone_name else "all zones"
    return f"namespace {namespace} in {where}" if namespace else where


def describe_hold(scope: str, *, by_budget: bool, by_absence: bool) -> str:
    """Describe why deletes are held.

    Args:
        scope: the scope that holds them, as text.
        by_budget: whether its budget was exceeded; if not, the evidence was insufficient.
        by_absence: whether that budget is the smaller one of deletes by absence.
    """
    if not by_budget:
        return "the evidence was insufficient when the hold began"
    deletes, share = ("deletes by absence", "half of ") if by_absence else ("deletes", "")
    is_everywhere = by_absence and scope == format_scope("", "")
    emptied = ", or, with --manifests, no object requested a name" if is_everywhere else ""
    limits = f"{share}--max-delete-count and --max-delete-percent"
    return f"the {deletes} in {scope} within ten minutes exceeded {limits}{emptied}"


class HeldDelete(Value, frozen=True, kw_only=True):
    """A held delete: a record of ours that stays until a person approves the delete, and the evidence for it.

    Attributes:
        cause: why it is held (`describe_hold`).
        since_s: when the hold began (monotonic seconds), None if unknown.
    """

    zone: Zone
    owned: OwnedRecord
    evidence: Evidence
    cause: str = ""
    since_s: float | None = None


class HeldSet(Value, frozen=True, kw_only=True):
    """The deletes that one scope holds and that nobody has approved.

    Attributes:
        zone: the zone of the scope, None for all zones.
        code: the code that approves them; "" until the saved state contains it.
        held: the held deletes, sorted by zone and record key.
    """

    scope: Scope
    zone: Zone | None
    code: str
    held: tuple[HeldDelete, ...]

    def __str__(self) -> str:
        """Return the scope for messages: `zone example.org`, `namespace shop in zone example.org` or `all zones`."""
        return format_scope(self.zone.name if self.zone else "", self.scope.namespace)


class DeleteStatus(Value, frozen=True, kw_only=True):
    """A delete with evidence that was not made yet.

    Attributes:
        grace_ends_s: when its grace period, `--unresolved-timeout` or another wait for a time ends (monotonic seconds);
            None if it waits for something else.
    """

    evidence: Evidence
    grace_ends_s: float | None


class PendingDelete(Value, frozen=True, kw_only=True):
    """A delete that has evidence now.

    Attributes:
        is_transfer: whether the name passes to an object of another namespace. No budget counts transfers.
    """

    owned: OwnedRecord
    evidence: Evidence
    is_transfer: bool = False
