"""The inputs of the engine: each is one thing that happened outside. The time is an argument of every step."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from extdns.errors import CredentialsError, ForbiddenError, ProviderError, RetryableError
from extdns.model.change import Outcome
from extdns.model.claim import Claim
from extdns.model.cluster import ClusterIdentity, KindState, ObjectProblem
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey
from extdns.model.origin import UNKNOWN_ORIGIN, Origin
from extdns.model.record import DesiredRecord, Record
from extdns.model.saved_state import Approval, Saved
from extdns.model.value import EMPTY_MAP, StringMap, Value, group_by
from extdns.model.zone import Zone, ZoneList, ZonePage
from extdns.rules.evaluation import Evaluation, RuleSet
from extdns.rules.rule_input import RuleInput


class Cause(StrEnum):
    """Why the claims of an object were computed again."""

    VERSION = "version"  # the object is new or was modified
    DEPENDENCY = "dependency"  # an object that its claims depend on changed
    DELETED = "deleted"  # a DELETED event
    MISSING = "missing"  # a complete list lacks it


PRESENT: Final = frozenset({Cause.VERSION, Cause.DEPENDENCY})
"""The causes of observations of an object that exists."""


class Observation(Value, frozen=True, kw_only=True):
    """The claims that one source makes of one object now.

    Attributes:
        claims: () for an object that is gone or requests nothing.
        failure: why the claims could not be computed, "" if they were. The last claims stay.
        awaited_kind: the kind that must be listed before they can be computed, None if there is none.
        missing_dependencies: objects that the claims are computed from and that a complete list lacks; they may exist.
        generation: `metadata.generation` of the object, 0 if it has none.
        uid, resource_version: of the object, "" if it is gone.
        labels, annotations: of the object, if rules may read them; else empty.
        origin: what set the object, unknown if it is gone.
        deleted_at: when the object was deleted if it stays until its records are gone, else None. Its cause is DELETED.
    """

    source: str
    key: ObjectKey
    cause: Cause
    claims: tuple[Claim, ...] = ()
    failure: str = ""
    awaited_kind: Kind | None = None
    missing_dependencies: tuple[ObjectKey, ...] = ()
    generation: int = 0
    uid: str = ""
    resource_version: str = ""
    labels: StringMap = EMPTY_MAP
    annotations: StringMap = EMPTY_MAP
    origin: Origin = UNKNOWN_ORIGIN
    deleted_at: str | None = None


class Observed(Value, frozen=True, kw_only=True):
    """Claims of objects were computed.

    Attributes:
        received_at_s: monotonic time at which the objects arrived, 0 if it is not known; only for metrics.
        has_more: whether observations of other objects follow that changed until now, or depend on those.
    """

    observations: tuple[Observation, ...]
    received_at_s: float = 0.0
    has_more: bool = False


class KindStateChanged(Value, frozen=True, kw_only=True):
    """The phase of the local store of a kind changed."""

    state: KindState


class ProblemChanged(Value, frozen=True, kw_only=True):
    """An object cannot be decoded, or can be again."""

    problem: ObjectProblem


class ExistenceChecked(Value, frozen=True, kw_only=True):
    """The answer to `CheckExistence`; *exists* is None if it is not known.

    Attributes:
        detail: why it is not known, "" if no reason was given.
    """

    key: ObjectKey
    exists: bool | None
    detail: str = ""


class ZonesListed(Value, frozen=True, kw_only=True):
    """The zones of all accounts were listed, or of those that answered."""

    zones: ZoneList


class PageRead(Value, frozen=True, kw_only=True):
    """A page of a zone, requested with the cursor *after*, was read."""

    zone: Zone
    after: str | None
    page: ZonePage


class NamesRead(Value, frozen=True, kw_only=True):
    """All records of *names* were read."""

    zone: Zone
    names: tuple[DnsName, ...]
    records: tuple[Record, ...]


class AdjustmentsLoaded(Value, frozen=True, kw_only=True):
    """The DNS service was shown the records of `RequestAdjustments`.

    Attributes:
        failed: the records that the service could not adjust although it adjusted others, each with its message.
        failure: why the request failed as a whole, "" if it did not.
        retry_after_s: the pause that the service requests, None if it requests none.
    """

    failed: tuple[tuple[DesiredRecord, str], ...] = ()
    failure: str = ""
    retry_after_s: float | None = None


class Call(StrEnum):
    """The calls that read from the DNS service, by which `ReadFailed` names the one that failed."""

    ZONES = "list zones"
    PAGE = "read the zone"
    NAMES = "read names"


class ReadFailed(Value, frozen=True, kw_only=True):
    """A read failed.

    Attributes:
        zone: None if the zones could not be listed.
        retry_after_s: the pause that the service requests, None if it requests none.
    """

    call: Call
    zone: Zone | None
    message: str
    retry_after_s: float | None = None
    forbidden: bool = False
    lacks_credentials: bool = False

    @classmethod
    def from_error(cls, call: Call, zone: Zone | None, error: ProviderError) -> ReadFailed:
        """Build the input for a *call* that ended with *error*."""
        return cls(
            call=call,
            zone=zone,
            message=str(error),
            retry_after_s=error.retry_after_s if isinstance(error, RetryableError) else None,
            forbidden=isinstance(error, ForbiddenError),
            lacks_credentials=isinstance(error, CredentialsError),
        )


class BatchCompleted(Value, frozen=True, kw_only=True):
    """The batch with this number has an outcome."""

    number: int
    zone: Zone
    outcome: Outcome


class StateLoaded(Value, frozen=True, kw_only=True):
    """The saved state was loaded; its times are monotonic seconds of this process. It is empty if there was none."""

    saved: Saved


class StateAnswered(Value, frozen=True, kw_only=True):
    """The state was saved, or approvals were read.

    Attributes:
        approved: what a person approved, () after saving.
    """

    approved: tuple[Approval, ...] = ()


class StateFailed(Value, frozen=True, kw_only=True):
    """The state could not be loaded or saved.

    Attributes:
        forbidden: whether a permission is missing, so that trying again soon is useless.
        unauthorized: whether there are no valid credentials, so that a single pass need not try again.
    """

    message: str
    forbidden: bool = False
    unauthorized: bool = False


class ClusterIdentified(Value, frozen=True, kw_only=True):
    """The identity of the cluster was read: at the start, after a reconnect, and at intervals."""

    identity: ClusterIdentity


class PlanApproved(Value, frozen=True, kw_only=True):
    """A person approved the whole plan, so that it may be written."""


class LeadershipChanged(Value, frozen=True, kw_only=True):
    """This process became the leader or a standby."""

    is_leader: bool


class RulesChanged(Value, frozen=True, kw_only=True):
    """The local rules were read, or read again; None if there are none (docs/design/rules.md)."""

    rules: RuleSet | None


class RulesAnswered(Value, frozen=True, kw_only=True):
    """The policy server answered a query. If it failed, each evaluation states why there is no answer."""

    answers: tuple[tuple[RuleInput, Evaluation], ...]


class RulesRevised(Value, frozen=True, kw_only=True):
    """The policy server has other policies than before; *revision* is the label or revision of these."""

    revision: str


class TimePassed(Value, frozen=True, kw_only=True):
    """Time has passed and nothing else happened."""


Input = (
    Observed
    | KindStateChanged
    | ProblemChanged
    | ExistenceChecked
    | ZonesListed
    | PageRead
    | NamesRead
    | AdjustmentsLoaded
    | ReadFailed
    | BatchCompleted
    | StateLoaded
    | StateAnswered
    | StateFailed
    | ClusterIdentified
    | PlanApproved
    | LeadershipChanged
    | RulesChanged
    | RulesAnswered
    | RulesRevised
    | TimePassed
)


def group_by_name(records: Iterable[Record]) -> dict[DnsName, tuple[Record, ...]]:
    """Return *records* by name, the records of each name sorted by `Record.key`."""
    groups = group_by(records, lambda record: record.name)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=lambda record: record.key)
    return {name: tuple(group) for name, group in groups.items()}
