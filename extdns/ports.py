"""The ports: the protocols between packages, each with only the methods that its caller needs.

See docs/design/architecture.md, "Ports".

The engine calls only what does no I/O: `Source`, `ClusterView`, `Registry` and `ZoneReader.adjust`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from extdns.errors import ExtdnsError

if TYPE_CHECKING:
    from extdns.model.change import AdjustedRecords, Batch, Blocked, BulkUpdate, ChangeSet, Decision, Outcome
    from extdns.model.claim import Claim
    from extdns.model.cluster import ClusterChange, KindState
    from extdns.model.dns_name import DnsName
    from extdns.model.evidence import HeldSet
    from extdns.model.kind import Kind, KubernetesObject, ObjectKey
    from extdns.model.object_status import ObjectStatus, PolicyStatus, ReleasedObject
    from extdns.model.record import DesiredRecord, OwnedRecord, Record
    from extdns.model.saved_state import Approval, Saved
from extdns.model.capabilities import Capabilities
from extdns.model.zone import RateLimitStatus, Zone, ZoneList, ZonePage


class Clock(Protocol):
    """Time, passed in so that tests can move it."""

    def now(self) -> datetime:
        """Return the time of day in UTC, for display and saved state."""
        ...

    def monotonic_s(self) -> float:
        """Return the seconds of a clock that never goes back, for pauses and windows."""
        ...


class NotSyncedError(ExtdnsError):
    """A lookup needs a kind that was not listed completely yet, so the result of the lookup is unknown."""

    def __init__(self, kind: Kind) -> None:
        """Build the message, and store *kind*."""
        super().__init__(f"{kind.name} objects are not listed yet")
        self.kind = kind


class ClusterView(Protocol):
    """Read-only lookups in the cluster, for sources.

    Every method raises `NotSyncedError` until the kind has been listed completely once. The first lookup of a kind
    starts listing it.
    """

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Return one object, None if there is none."""
        ...

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """Return the objects with all *labels*, sorted by namespace and name; namespace "" means all."""
        ...


@runtime_checkable
class OnDemandView(Protocol):
    """A `ClusterView` some of whose objects exist only because they were looked up."""

    def forget(self, key: ObjectKey) -> None:
        """Remove the object at *key* if it is one of these: no claim depends on it any more."""
        ...


class Source(Protocol):
    """Finds the claims of one object of one kind; pure."""

    @property
    def name(self) -> str:
        """The name of the source as in `--source`."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of object that the source reads."""
        ...

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of *obj* in a stable order. An invalid hostname gives an `InvalidClaim`."""
        ...


class Cluster(Protocol):
    """Where objects and their changes are read: a live API server, or manifests."""

    @property
    def view(self) -> ClusterView:
        """Lookups of objects as they are after the changes that `take` has returned so far."""
        ...

    def require(self, kind: Kind) -> KindState:
        """Start listing *kind* if it is not listed yet, and return its state."""
        ...

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether the object at *key* exists now; None if that cannot be determined.

        Raises:
            ApiError: the check failed, for a reason that a person should see.
        """
        ...

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Return the changes since the last call. Wait up to *timeout_s* for the first; return () if none came."""
        ...

    def close(self) -> None:
        """Stop watching. Calling it again has no effect."""
        ...


class Registry(Protocol):
    """Determine who owns a record, and add ownership records to changes; pure."""

    @property
    def owner(self) -> str:
        """Our owner id, "" if the registry has no ownership records (noop)."""
        ...

    @property
    def covers_all_zones(self) -> bool:
        """Whether an ownership record covers the records of a name in all its zones, not only in its own zone."""
        ...

    def is_ownership_text(self, target: str) -> bool:
        """Return whether the TXT value *target* would be read as an ownership record, of any owner."""
        ...

    def ownership_name(self, name: DnsName) -> DnsName | None:
        """Return a name at which an ownership record of a record at *name* would be written; None if there is none."""
        ...

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:
        """Return the related names of *name*: its ownership names, and other names that may share one of them.

        *zone* is the zone of *name*.
        """
        ...

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:
        """Return those of *records* that are not ownership records, each with its ownership, sorted by record key.

        *records* must be all records of some names of *zone* and of their related names.
        """
        ...

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet | Blocked:
        """Return *change_set* with the writes of its records and ownership records, or why it cannot be written.

        *current* has all records of its name and of the related names.
        """
        ...


class ZoneReader(Protocol):
    """Reads from a DNS service. `adjust` is pure; the other methods raise `ProviderError`.

    The type of a record that cannot be read begins with `rrtype.UNREADABLE`.
    """

    @property
    def capabilities(self) -> Capabilities:
        """What the service guarantees."""
        ...

    def list_zones(self) -> ZoneList:
        """List all accessible zones that pass the provider's filters."""
        ...

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return what the service would hold for the records *desired* at one name of *zone*."""
        ...

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return one page of the zone: the one at the cursor *after*, or the first page if that is None."""
        ...

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*."""
        ...


@runtime_checkable
class AdjustingReader(Protocol):
    """A `ZoneReader` whose service adjusts records itself: `adjust` knows a result only after `load_adjustments`."""

    def load_adjustments(self, desired: Sequence[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        """Show *desired* to the service, so that `adjust` has results for them. Raises `ProviderError`.

        Return, by record, the message of the service for each record that it could not adjust although it adjusted
        others.
        """
        ...


@runtime_checkable
class RateLimited(Protocol):
    """A `ZoneReader` whose service limits the rate of calls. Safe from any thread."""

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return the state of the rate limit of each account and API action."""
        ...


class ZoneWriter(Protocol):
    """Write to a DNS service. Absent in dry runs."""

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Submit *batch* in one attempt and return its outcome. Never raises `ProviderError`."""
        ...


class PolicyStatusWriter(Protocol):
    """Writes the problem of each policy to the ConfigMap that contains the policy.

    Safe from any thread; never blocks.
    """

    def write(self, problems: Mapping[str, str]) -> None:
        """Write *problems*: by the id of each policy, what is wrong with it; "" if nothing is."""
        ...

    def close(self, timeout_s: float) -> None:
        """Accept no more problems, and write the queued ones for up to *timeout_s* seconds."""
        ...


class StateStore(Protocol):
    """Load and replace the saved state. Absent if no store is configured. Methods raise `ExtdnsError`."""

    def load(self) -> Saved:
        """Return the saved state of our owner id, and the approvals in the store. Times are seconds since the epoch."""
        ...

    def save(self, saved: Saved) -> None:
        """Replace the saved state of our owner id by *saved*, whose times are seconds since the epoch."""
        ...

    def load_approvals(self) -> tuple[Approval, ...]:
        """Return the approvals that people wrote to the store."""
        ...


class EventRecorder(Protocol):
    """Record Events on objects. Absent in dry runs. Safe from any thread; never blocks."""

    def record_decisions(self, decisions: Sequence[Decision]) -> None:
        """Record Events about those new *decisions* that need one, on the objects that they concern."""
        ...

    def record_invalid_claims(self, claims: Sequence[Claim]) -> None:
        """Record Events about the invalid values among the *claims* of an object."""
        ...

    def record_failure(self, key: ObjectKey, message: str) -> None:
        """Record an Event that the claims of the object could not be computed."""
        ...

    def record_batch(self, batch: Batch) -> None:
        """Record Events about the changes of *batch* that need one; the batch was applied."""
        ...

    def record_bulk_update(self, found: BulkUpdate) -> None:
        """Record Events that the first pass changed many records of ours without saved state."""
        ...

    def record_held_deletes(self, held: HeldSet) -> None:
        """Record Events about the deletes that a scope holds now."""
        ...

    def close(self, timeout_s: float) -> None:
        """Accept no more Events, and send the queued ones for up to *timeout_s* seconds."""
        ...


class StatusWriter(Protocol):
    """Write the status of objects. Absent in dry runs. Safe from any thread; never blocks."""

    @property
    def kind(self) -> Kind:
        """The kind of object whose status is written."""
        ...

    def write(self, object_status: ObjectStatus | PolicyStatus | ReleasedObject) -> None:
        """Write the status of an object unless it has that status already."""
        ...

    def forget(self, key: ObjectKey) -> None:
        """Discard the status for the object at *key* if it was not written yet: the object has changed or is gone."""
        ...

    def close(self, timeout_s: float) -> None:
        """Accept no more statuses, and write the queued ones for up to *timeout_s* seconds."""
        ...


class Lease(Protocol):
    """Let one of several processes write at a time. Absent if there is only one process."""

    def start(self, on_renewal: Callable[[], None]) -> None:
        """Start the election.

        *on_renewal* is called, from any thread, each time this process acquires or renews the lease.
        """
        ...

    def left_s(self) -> float:
        """Return for how many seconds no other process can hold the lease; 0 if this one does not.

        Safe from any thread.
        """
        ...

    @property
    def term(self) -> int:
        """A number that changes if another process may have held the lease. Safe from any thread."""
        ...

    def describe(self) -> Mapping[str, str]:
        """Return the lease, its holder and what fails, as texts for people, by field name."""
        ...

    def close(self, *, release: bool) -> None:
        """End the election.

        With *release*, another process can acquire the lease at once, else when the lease expires.
        """
        ...
