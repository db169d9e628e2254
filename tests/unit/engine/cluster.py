"""What objects ask for, as the engine was told, and what really is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extdns.engine.inputs import Cause, Existence, Input, KindReported, Observation, Observed
from extdns.model.claim import Claim, Wanted, Withheld
from extdns.model.cluster import Kind, KindState, ObjectKey, Phase
from extdns.model.name import DnsName
from tests.unit.engine.stage import INGRESS, SERVICE

NameClaim = Wanted | Withheld


@dataclass(kw_only=True)
class Cluster:
    """Kinds and objects.

    Attributes:
        phases: by kind.
        told: by object, the claims in force.
        failing: objects whose claims could not be computed the last time.
        existing: objects that exist, whatever lists said.
        asked: object, name and set identifier of every claim since the engine's start.
        deleted: objects of which a DELETED event was seen since then.
        confirmed: objects confirmed to be gone since then, and not seen again.
        answers: whether it can be told now if an object exists.
        was_complete: whether all kinds were synced at some moment, of this process or of a former one.
    """

    phases: dict[Kind, Phase] = field(default_factory=lambda: dict.fromkeys((SERVICE, INGRESS), Phase.LISTING))
    told: dict[ObjectKey, tuple[Claim, ...]] = field(default_factory=dict)
    failing: set[ObjectKey] = field(default_factory=set)
    existing: set[ObjectKey] = field(default_factory=set)
    asked: set[tuple[ObjectKey, DnsName, str]] = field(default_factory=set)
    deleted: set[ObjectKey] = field(default_factory=set)
    confirmed: set[ObjectKey] = field(default_factory=set)
    answers: bool = True
    was_complete: bool = False

    def behind(self, resource: str) -> ObjectKey | None:
        """The object that a mark names."""
        kind = {"service": SERVICE, "ingress": INGRESS}.get(resource.partition("/")[0])
        return ObjectKey(kind, "shop", resource.rpartition("/")[2]) if kind else None

    def claims(self, name: DnsName) -> list[NameClaim]:
        """All claims to *name* that are in force."""
        return [claim for found, claim in self.all_claims() if found == name]

    def all_claims(self) -> Iterator[tuple[DnsName, NameClaim]]:
        """Every claim in force, with its name."""
        for claims in self.told.values():
            for claim in claims:
                if isinstance(claim, Wanted | Withheld):
                    yield claim.name, claim

    def see(self, key: ObjectKey, claims: tuple[Claim, ...], cause: Cause = Cause.VERSION) -> Observed:
        """The object exists and asks for *claims*."""
        self.told[key] = claims
        self.existing.add(key)
        self._seen(key)
        self.asked |= {(key, c.name, c.set_identifier) for c in claims if isinstance(c, Wanted | Withheld)}
        return _observed(key, cause, claims=claims)

    def fail(self, key: ObjectKey, parked_on: Kind | None = None) -> Observed:
        """The object exists, and its claims cannot be computed."""
        self.told.setdefault(key, ())
        self.existing.add(key)
        self._seen(key)
        self.failing.add(key)
        return _observed(key, Cause.VERSION, failure="cannot be computed", parked_on=parked_on)

    def _seen(self, key: ObjectKey) -> None:
        self.confirmed.discard(key)
        self.failing.discard(key)

    def drop(self, key: ObjectKey, cause: Cause, *, exists: bool) -> Observed:
        """The object was deleted, or a list lacks it."""
        self.told.pop(key, None)
        self.failing.discard(key)
        if cause is Cause.DELETED:
            self.deleted.add(key)
        if not exists:
            self.existing.discard(key)
        return _observed(key, cause)

    def report(self, kind: Kind, phase: Phase) -> KindReported:
        """The list of a kind came to a phase."""
        self.phases[kind] = phase
        self.was_complete = self.was_complete or self.is_complete
        return KindReported(state=KindState(kind=kind, phase=phase))

    @property
    def is_complete(self) -> bool:
        """Whether all kinds are synced."""
        return all(phase is Phase.SYNCED for phase in self.phases.values())

    def exists(self, key: ObjectKey) -> bool | None:
        """Answer a question about an object."""
        return key in self.existing if self.answers else None

    def delivered(self, item: Input) -> None:
        """The engine gets an answer."""
        if isinstance(item, Existence) and item.exists is False and item.key not in self.told:
            self.confirmed.add(item.key)

    def restart(self) -> Iterator[Input]:
        """What a new engine is told, in the order of the keys."""
        self.asked, self.deleted, self.confirmed = set(), set(), set()
        failing = set(self.failing)
        for key, claims in sorted(self.told.items()):
            self.told[key] = () if key in failing else claims
            yield self.fail(key) if key in failing else self.see(key, claims)
        for kind, phase in sorted(self.phases.items()):
            yield self.report(kind, phase)


def _observed(
    key: ObjectKey, cause: Cause, *, claims: tuple[Claim, ...] = (), failure: str = "", parked_on: Kind | None = None
) -> Observed:
    observation = Observation(
        source=key.kind.name.lower(),
        key=key,
        cause=cause,
        claims=claims,
        failure=failure,
        parked_on=parked_on,
    )
    return Observed(observations=(observation,))
