"""The seams between rooms (design 4). Each is as narrow as its caller needs.

Pure ports (`Source`, `Registry`, `ZoneReader.adjust`) may be called from the engine; all others do
I/O and are called by the controller alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from extdns.errors import ExtdnsError

if TYPE_CHECKING:
    from extdns.model.adjusted import Adjusted
    from extdns.model.apibudget import ApiBudget
    from extdns.model.change import Batch, Blocked, ChangeSet
    from extdns.model.claim import Claim
    from extdns.model.cluster import ClusterChange, Kind, KindState, ObjectKey
    from extdns.model.decision import Decision
    from extdns.model.held import Held
    from extdns.model.name import DnsName
    from extdns.model.objects import KubernetesObject
    from extdns.model.outcome import Outcome
    from extdns.model.ownership import Owned
    from extdns.model.record import Endpoint, Record
    from extdns.model.saved import Saved
    from extdns.model.standing import Standing
    from extdns.model.zone import Page, Traits, Zone, ZoneList


class Clock(Protocol):
    """Time, passed in so that tests can move it."""

    def now(self) -> datetime:
        """The time of day in UTC, for display and stored state."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never go back, for pauses and windows."""
        ...


class NotReadyError(ExtdnsError):
    """A look-up needs a kind that has not been listed yet, so its answer is unknown."""

    def __init__(self, kind: Kind) -> None:
        """Keep the *kind*; the message names it, as in `EndpointSlice`."""
        super().__init__(f"{kind.name} objects are not listed yet")
        self.kind = kind


class View(Protocol):
    """Read-only look-ups in the cluster, for sources.

    Every method raises `NotReadyError` until the kind has been listed whole once; asking is what
    makes the kind be listed.
    """

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """One object, None if there is none."""
        ...

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """Objects that carry all *labels*, by namespace and name; namespace "" means all."""
        ...


class Source(Protocol):
    """Turns one object of its kind into claims; pure."""

    @property
    def name(self) -> str:
        """As `--source` spells it."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of object whose changes this source follows."""
        ...

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What *obj* asks for, in a stated order; a wrong value is a claim too (`Invalid`)."""
        ...


class Cluster(Protocol):
    """Objects and their changes: a live API server, or manifests."""

    @property
    def view(self) -> View:
        """Look-ups in what `take` has returned so far."""
        ...

    def need(self, kind: Kind) -> KindState:
        """Start listing *kind* if nobody has asked yet, and tell how far it is."""
        ...

    def exists(self, key: ObjectKey) -> bool | None:
        """Ask whether the object exists now; None if that cannot be known."""
        ...

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Changes since the last call, waiting up to *timeout_s* for the first; () if none came."""
        ...

    def close(self) -> None:
        """Stop following; harmless when called twice."""
        ...


class Registry(Protocol):
    """Tells whose a record is, and adds the marks that prove it; pure."""

    @property
    def owner(self) -> str:
        """Our owner id, "" where the registry proves nothing (noop)."""
        ...

    def related(self, name: DnsName) -> tuple[DnsName, ...]:
        """Names whose records decide about *name*, or the other way round; without *name* itself."""
        ...

    def read(self, records: Iterable[Record]) -> tuple[Owned, ...]:
        """The records that are no marks, with their ownership, sorted by key.

        *records* must be all records of the names asked about and of their `related` names.
        """
        ...

    def complete(self, change_set: ChangeSet, held: Iterable[Record]) -> ChangeSet | Blocked:
        """*change_set* with its writes, marks included, given the records *held* at all related names."""
        ...


class ZoneReader(Protocol):
    """Reads a DNS service. Raises `ProviderError`; only `adjust` is pure.

    What stands at a name and cannot be read is a record of type `rrtype.UNREADABLE`.
    """

    @property
    def traits(self) -> Traits:
        """What the service promises."""
        ...

    def zones(self) -> ZoneList:
        """All zones in reach that pass the provider's own filters."""
        ...

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """What the service would hold for the endpoints *wanted* at one name of *zone*."""
        ...

    def page(self, zone: Zone, after: str | None) -> Page:
        """One page of the zone, from its start or from the cursor *after*."""
        ...

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*."""
        ...


@runtime_checkable
class Metered(Protocol):
    """A `ZoneReader` whose service counts calls; safe from any thread."""

    def budgets(self) -> tuple[ApiBudget, ...]:
        """How many calls may still be made, by account and action."""
        ...


class ZoneWriter(Protocol):
    """Writes to a DNS service; absent in dry runs."""

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Apply *batch* whole or not at all, in one attempt; never raises `ProviderError`."""
        ...


class State(Protocol):
    """Keeps what outlives the process; absent where there is no place for it. Raises `ExtdnsError`."""

    def load(self) -> Saved:
        """What was kept for our owner id, in seconds since the epoch, if anything was, and the codes as `released`."""
        ...

    def save(self, saved: Saved) -> None:
        """Keep *saved*, in seconds since the epoch, in place of what was kept for our owner id."""
        ...

    def released(self) -> tuple[str, ...]:
        """The codes that a person released."""
        ...


class Reporter(Protocol):
    """Listens to all that is decided, beside the log."""

    def tell(self, decisions: Sequence[Decision]) -> None:
        """Names were planned, and *decisions* were made about them."""
        ...


class Announcer(Protocol):
    """Tells those who look at an object (Events); absent in dry runs. Safe from any thread, and never waits."""

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Names were planned, and these decisions are new."""
        ...

    def mistaken(self, claims: Sequence[Claim]) -> None:
        """An object makes *claims*, of which something may be wrong."""
        ...

    def failed(self, key: ObjectKey, message: str) -> None:
        """What the object asks for could not be computed."""
        ...

    def applied(self, batch: Batch) -> None:
        """Everything in *batch* was written."""
        ...

    def held(self, zone: Zone, code: str, held: Sequence[Held]) -> None:
        """Just these deletes wait in *zone* for a person who releases *code*; none if that is ""."""
        ...

    def close(self, patience_s: float) -> None:
        """Take in nothing more, and go on for up to *patience_s* seconds with what is left."""
        ...


class StatusWriter(Protocol):
    """Writes into objects what became of them; absent in dry runs. Safe from any thread, and never waits."""

    @property
    def kind(self) -> Kind:
        """The kind of object that has such a status."""
        ...

    def put(self, standing: Standing) -> None:
        """Let an object say how it stands, unless it does."""
        ...

    def forget(self, key: ObjectKey) -> None:
        """There is another version of the object, or none: how an earlier one stood is not to be written any more."""
        ...

    def close(self, patience_s: float) -> None:
        """Take in nothing more, and go on for up to *patience_s* seconds with what is left."""
        ...


class Lease(Protocol):
    """Of several processes lets one write at a time; absent where there is only one."""

    def begin(self, news: Callable[[], None]) -> None:
        """Stand for election; *news* is called, from any thread, whenever there is more time left."""
        ...

    def left_s(self) -> float:
        """Seconds for which nobody else may write; 0 while somebody else may. Safe from any thread."""
        ...

    def facts(self) -> Mapping[str, str]:
        """Who holds it, and what fails, for people."""
        ...

    def close(self, *, give_up: bool) -> None:
        """Stand no more; with *give_up* another process may write at once, else when the time is over."""
        ...
