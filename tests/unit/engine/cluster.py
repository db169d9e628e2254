"""What objects request, as the engine observed it, and which objects exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from extdns.engine.inputs import Cause, ExistenceChecked, Input, KindStateChanged, Observation, Observed
from extdns.model.claim import Claim, InvalidClaim, ResolvedClaim, UnresolvedClaim, is_detached
from extdns.model.cluster import KindState, Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey
from tests.builders import INGRESS, PODS, SERVICE

NameClaim = ResolvedClaim | UnresolvedClaim


def namespace_in(resource: str) -> str:
    """Return the namespace in `service/shop/web`, "" if there is none."""
    parts = resource.split("/")
    return parts[1] if len(parts) > 2 else ""


def _counts(claim: Claim) -> TypeGuard[NameClaim]:
    return isinstance(claim, ResolvedClaim | UnresolvedClaim) and not is_detached(claim)


@dataclass(kw_only=True)
class Cluster:
    """Kinds and objects.

    Attributes:
        requests: by object, its present claims.
        failing: objects whose claims could not be computed the last time.
        existing: objects that exist, whether or not a list contains them.
        ever_requested: object, name and set identifier of every claim since the engine's start.
        deleted: objects of which a DELETED event was seen since then.
        missing: objects that a list lacks, with the claims that they had.
        missing_pods: by object, the Pod that a list lacks, with the claims that the object had before.
        confirmed: objects confirmed to be gone since the start, and not seen again.
        denied_targets: a rule denies the claims that have one of them.
        has_rule_answers: whether that rule has a valid version; if not, no claim is answered.
        answers: whether existence checks get an answer now.
        was_complete: whether all kinds were ever synced at once, in this process or an earlier one.
    """

    phases: dict[Kind, Phase] = field(default_factory=lambda: dict.fromkeys((SERVICE, INGRESS), Phase.LISTING))
    requests: dict[ObjectKey, tuple[Claim, ...]] = field(default_factory=dict)
    failing: set[ObjectKey] = field(default_factory=set)
    existing: set[ObjectKey] = field(default_factory=set)
    ever_requested: set[tuple[ObjectKey, DnsName, str]] = field(default_factory=set)
    deleted: set[ObjectKey] = field(default_factory=set)
    missing: dict[ObjectKey, tuple[Claim, ...]] = field(default_factory=dict)
    missing_pods: dict[ObjectKey, tuple[ObjectKey, tuple[Claim, ...]]] = field(default_factory=dict)
    confirmed: set[ObjectKey] = field(default_factory=set)
    denied_targets: frozenset[str] = frozenset()
    has_rule_answers: bool = True
    answers: bool = True
    was_complete: bool = False

    def is_denied(self, claim: NameClaim) -> bool:
        """Return whether a rule denies *claim*, or has no answer about it."""
        if not (isinstance(claim, ResolvedClaim) and self.denied_targets):
            return False
        return not self.has_rule_answers or not self.denied_targets.isdisjoint(claim.desired.targets)

    def find_object(self, resource: str) -> ObjectKey | None:
        """Return the object that an ownership record names."""
        label, _, path = resource.partition("/")
        kind = {"service": SERVICE, "ingress": INGRESS}.get(label)
        namespace, _, name = path.partition("/")
        return ObjectKey(kind, namespace, name) if kind else None

    @property
    def hiding(self) -> set[ObjectKey]:
        """The objects with an invalid hostname, which may stand for any name."""
        return {key for key, claims in self.requests.items() if any(isinstance(one, InvalidClaim) for one in claims)}

    def claims_to(self, name: DnsName) -> list[NameClaim]:
        """Return all present claims to *name* that count."""
        return [claim for found, claim in self.all_claims() if found == name and not is_detached(claim)]

    def all_claims(self) -> Iterator[tuple[DnsName, NameClaim]]:
        """Return every present claim, with its name."""
        for claims in self.requests.values():
            for claim in claims:
                if isinstance(claim, ResolvedClaim | UnresolvedClaim):
                    yield claim.name, claim

    def unconfirmed_claims(self) -> Iterator[ResolvedClaim]:
        """Return the resolved claims that ended only because a list lacks an object, which may exist."""
        for key, claims in self.missing.items():
            if key not in self.confirmed:
                yield from (claim for claim in claims if isinstance(claim, ResolvedClaim))
        for key, (pod, claims) in self.missing_pods.items():
            if pod not in self.confirmed:
                ended = (claim for claim in claims if claim not in self.requests[key])
                yield from (claim for claim in ended if isinstance(claim, ResolvedClaim))

    def see(self, key: ObjectKey, claims: tuple[Claim, ...], cause: Cause = Cause.VERSION) -> Observed:
        """Let the object exist and request *claims*."""
        self._forget_unconfirmed({claim.name for claim in (*self.requests.get(key, ()), *claims) if _counts(claim)})
        self.requests[key] = claims
        self.existing.add(key)
        self._note_seen(key)
        self.ever_requested |= {(key, c.name, c.set_identifier) for c in claims if _counts(c)}
        return self._observe(key, cause, claims=claims)

    def _forget_unconfirmed(self, names: set[DnsName]) -> None:
        """Forget which missing objects had claims to *names*, because another object has changed them since then."""

        def others(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
            return tuple(claim for claim in claims if not (_counts(claim) and claim.name in names))

        self.missing = {one: others(claims) for one, claims in self.missing.items()}
        self.missing_pods = {one: (pod, others(claims)) for one, (pod, claims) in self.missing_pods.items()}

    def lose_pod(self, key: ObjectKey, claims: tuple[Claim, ...], *, exists: bool) -> Observed:
        """Leave a Pod of the object out of a list. Without it, the object requests *claims*.

        The Pod may still exist.
        """
        pod = ObjectKey(PODS, key.namespace, f"{key.kind.name.lower()}-{key.name}-1")
        if key not in self.missing_pods:
            self.missing_pods[key] = pod, self.requests.get(key, ())
            self.confirmed.discard(pod)
        (self.existing.add if exists else self.existing.discard)(pod)
        before = self.missing_pods[key]
        seen = self.see(key, claims, Cause.DEPENDENCY)
        self.missing_pods[key] = before
        return seen

    def find_pod(self, key: ObjectKey, claims: tuple[Claim, ...]) -> Observed:
        """List the missing Pod of the object again, or deliver its DELETED event. Then the object requests *claims*."""
        pod, _ = self.missing_pods.pop(key)
        self.existing.discard(pod)
        self.confirmed.discard(pod)
        return self.see(key, claims, Cause.DEPENDENCY)

    def fail(self, key: ObjectKey, awaited_kind: Kind | None = None) -> Observed:
        """Let the object exist, and the computation of its claims fail."""
        self.requests.setdefault(key, ())
        self.existing.add(key)
        self._note_seen(key)
        self.failing.add(key)
        return self._observe(key, Cause.VERSION, failure="cannot be computed", awaited_kind=awaited_kind)

    def _note_seen(self, key: ObjectKey) -> None:
        self.confirmed.discard(key)
        self.failing.discard(key)
        self.missing.pop(key, None)

    def drop(self, key: ObjectKey, cause: Cause, *, exists: bool) -> Observed:
        """Let the object be deleted, or let a list lack it."""
        claims = self.requests.pop(key, None)
        self.failing.discard(key)
        self.missing_pods.pop(key, None)
        if cause is Cause.DELETED:
            self.deleted.add(key)
            self.missing.pop(key, None)
        elif claims is not None:
            self.missing[key] = claims
        if not exists:
            self.existing.discard(key)
        return self._observe(key, cause)

    def report(self, kind: Kind, phase: Phase) -> KindStateChanged:
        self.phases[kind] = phase
        self.was_complete = self.was_complete or self.is_complete
        return KindStateChanged(state=KindState(kind=kind, phase=phase))

    @property
    def is_complete(self) -> bool:
        return all(phase is Phase.SYNCED for phase in self.phases.values())

    def exists(self, key: ObjectKey) -> bool | None:
        return key in self.existing if self.answers else None

    def note_delivered(self, item: Input) -> None:
        """Record that the engine received *item*."""
        if isinstance(item, ExistenceChecked) and item.exists is False and item.key not in self.requests:
            self.confirmed.add(item.key)

    def lose(self, key: ObjectKey) -> None:
        """Let the object be deleted while no process runs."""
        self.requests.pop(key, None)
        self.failing.discard(key)
        self.existing.discard(key)

    def restart(self) -> Iterator[Input]:
        """Return the inputs for a new engine, in the order of the keys."""
        self.ever_requested, self.deleted, self.confirmed = set(), set(), set()
        self.missing, self.missing_pods = {}, {}
        failing = set(self.failing)
        for key, claims in sorted(self.requests.items()):
            self.requests[key] = () if key in failing else claims
            yield self.fail(key) if key in failing else self.see(key, claims)
        for kind, phase in sorted(self.phases.items()):
            yield self.report(kind, phase)

    def _observe(
        self,
        key: ObjectKey,
        cause: Cause,
        *,
        claims: tuple[Claim, ...] = (),
        failure: str = "",
        awaited_kind: Kind | None = None,
    ) -> Observed:
        missing_dependencies = (self.missing_pods[key][0],) if key in self.missing_pods and not failure else ()
        observation = Observation(
            source=key.kind.name.lower(),
            key=key,
            cause=cause,
            claims=claims,
            failure=failure,
            awaited_kind=awaited_kind,
            missing_dependencies=missing_dependencies,
        )
        return Observed(observations=(observation,))
