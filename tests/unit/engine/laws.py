"""The laws (design 2), as checks of what the engine submits, decides and leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from extdns.engine.engine import Engine
from extdns.model.change import Batch, Create, Delete, Update
from extdns.model.claim import Wanted, Withheld
from extdns.model.cluster import Phase
from extdns.model.decision import Verdict
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.outcome import Applied
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from extdns.planner.policy import Policy
from extdns.planner.settings import PlanSettings
from extdns.ports import Registry
from tests.fakes.faulty import Contents, FaultyProvider, Submission
from tests.unit.engine.cluster import Cluster

# How something may end for good; any other reason is one of a moment.
LASTING = frozenset({
    Reason.PROGRAMMED,
    Reason.NO_ADDRESS,
    Reason.NO_ENDPOINTS,
    Reason.ORPHAN_UNCLAIMED,
    Reason.POLICY_KEEPS,
    Reason.POLICY_KEEPS_TYPE,
    Reason.OWNED_BY_OTHER,
    Reason.FOREIGN_RECORD,
    Reason.CONFLICT_LOST,
    Reason.TYPE_CONFLICT,
    Reason.ROUTING_CONFLICT,
    Reason.NO_OWNERSHIP_NAME,
    Reason.MARK_CLASH,
    Reason.TOO_LARGE,
    Reason.REFUSED,  # by the service itself, such as a CNAME beside somebody's TXT
    Reason.NO_ZONE,
    Reason.ZONE_MOVED,
    Reason.HELD,
})  # fmt: skip


def is_mark(record: Record | None) -> bool:
    return record is not None and record.type == "TXT" and record.targets[0].startswith('"heritage=')


def is_our_mark(record: Record) -> bool:
    return is_mark(record) and "external-dns/owner=me," in record.targets[0]


def ownership(registry: Registry, contents: Contents) -> dict[RecordKey, Owned]:
    return {owned.key: owned for owned in registry.read(contents.values())}


def check_submission(submission: Submission, registry: Registry, known: Contents | None = None) -> None:
    """Laws 1, 5 and 6: what was changed was ours and as planned; what was made carries its mark.

    Somebody may have edited a record since the zone was read, and a mark nearby may then be taken for another
    record's: whose what stands is, and what is a mark left alone, is asked of what was *known*.
    """
    before, after = submission.before, submission.after
    if isinstance(submission.outcome, Applied):
        for write in submission.batch.writes:
            assert before.get(write.key) == write.old, f"{write.key} was not what the plan saw"
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    known_before = before if known is None else known
    known_after = {key: record for key, record in known_before.items() if key not in changed}
    known_after |= {key: after[key] for key in changed & after.keys()}
    going = {one.key for part in submission.batch.sets for one in part.changes if isinstance(one, Delete)}
    for key in before.keys() - after.keys():
        assert key in going or before[key].type == "TXT", f"{key} goes, and no delete says so"
    # What proved it is part of the write; a mark, or a record at the name of one, that was put beside it since is not.
    proofs = (ownership(registry, before), ownership(registry, known_before))
    for key in sorted(changed):
        old, new = before.get(key), after.get(key)
        if old is not None:
            proved = any(key in owned and owned[key].ours for owned in proofs)
            assert is_our_mark(old) or proved or _is_marked(key, before), f"{key} was not proved ours, and is changed"
        if not is_mark(old or new):
            if new is None:
                assert not _is_marked(key, known_after), f"{key} left its mark"
            else:
                assert _is_marked(key, after), f"{key} has no mark"
    touched = {key.name for key in changed}
    owned_after = ownership(registry, known_after)
    for key, owned in proofs[1].items():
        if key.name not in touched and key in owned_after:
            assert owned_after[key].ours == owned.ours, f"{key} belongs to somebody else now"


def known(submission: Submission, engine: Engine) -> Contents:
    """What stood in the zone as *engine* knew it when it sent what was submitted."""
    state = engine.zones.state(submission.batch.zone)
    return {record.key: record for record in state.mirror.records()} if state else {}


def _is_marked(key: RecordKey, contents: Contents) -> bool:
    mark = contents.get(RecordKey(DnsName(f"{key.type.lower()}-{key.name}"), key.set_identifier, "TXT"))
    return mark is not None and is_our_mark(mark)


def check_intentions(
    batch: Batch, cluster: Cluster, plan: PlanSettings, released: Container[tuple[str, RecordKey]] = ()
) -> None:
    """Law 2 and the policy: judged by what the engine was told when it submits, and what was *released* to it."""
    for change_set in batch.sets:
        for change in change_set.changes:
            match change:
                case Create():
                    pass
                case Update():
                    assert plan.policy is not Policy.CREATE_ONLY
                case Delete():
                    assert plan.policy is Policy.SYNC
                    _check_evidence(change, cluster, released=(batch.zone.id, change.key) in released)


def _check_evidence(change: Delete, cluster: Cluster, *, released: bool) -> None:
    key, evidence, behind = change.key, change.evidence, cluster.behind(change.held.resource)
    assert evidence.sufficient or released or cluster.was_complete
    claims = [claim for claim in cluster.claims(key.name) if claim.set_identifier == key.set_identifier]
    if evidence is Evidence.REPLACED:
        assert any(isinstance(claim, Wanted) for claim in cluster.claims(key.name)), f"nothing replaces {key}"
        return
    if behind is None:  # the registry cannot tell which object: any that asked and gave up will do
        asked = any((name, identifier) == (key.name, key.set_identifier) for _, name, identifier in cluster.asked)
        assert asked if evidence.sufficient else cluster.is_complete, f"{key} goes, and nobody asked for it"
        assert evidence is Evidence.ORPHAN_UNCLAIMED or not evidence.by_absence
        assert not any(isinstance(claim, Wanted) for claim in claims), f"{key} is still wanted"
        return
    assert cluster.phases[behind.kind] is Phase.SYNCED, f"{key} goes while its source is down"
    assert behind not in cluster.failing, f"{key} goes although its object cannot be computed"
    for claim in claims:
        assert isinstance(claim, Withheld), f"{key} is still wanted"
        assert claim.reason is Reason.NO_ENDPOINTS, f"{key} is withheld"
    match evidence:
        case Evidence.NO_ENDPOINTS:
            assert any(claim.provenance.ref.key == behind for claim in claims)
        case Evidence.ABSENT | Evidence.ORPHAN_GONE:
            assert behind in cluster.confirmed, f"{key} goes for absence that nobody confirmed"
        case Evidence.OBJECT_DELETED:
            assert behind in cluster.deleted
        case Evidence.ORPHAN_UNCLAIMED:
            assert cluster.is_complete
            assert behind in cluster.told, f"{key} goes although a list only lacks its object"
        case _:
            assert (behind, key.name, key.set_identifier) in cluster.asked, f"{key} was never asked for by {behind}"


def check_decisions(engine: Engine, cluster: Cluster, managed: frozenset[str]) -> None:
    """Law 7: each claim and each record that stands ends in one decision a zone that was read."""
    for state in engine.zones:
        if not state.mirror.whole:
            continue
        for name in state.mirror.names():
            if any(home is not state for home in engine.zones.of(name)):
                continue
            decided = Counter(
                (one.set_identifier, one.type)
                for one in engine.decisions.of(name)
                if one.held and one.zone == state.zone
            )
            stands = {
                (record.set_identifier, record.type)
                for record in state.mirror.of(name)
                if record.type in managed and not is_mark(record)
            }
            assert decided == Counter(stands), f"{name}: decided {decided}, stands {stands}"
    for name in {name for name, _ in cluster.all_claims()}:
        _check_claims(engine, cluster, name)


def _check_claims(engine: Engine, cluster: Cluster, name: DnsName) -> None:
    decisions = engine.decisions.of(name)
    homes: set[Zone | None] = {state.zone for state in engine.zones.of(name)}
    homes = homes or {None}
    for claim in cluster.claims(name):
        rtype = claim.endpoint.type if isinstance(claim, Wanted) else None
        answers = [
            one
            for one in decisions
            if claim.provenance in one.asked_by
            and one.set_identifier == claim.set_identifier
            and (rtype is None or one.type == rtype)
        ]
        assert {one.zone for one in answers} == homes, f"{claim} ends as {answers}"
        assert rtype is None or len(answers) == len({one.zone for one in answers}), f"{claim} ends as {answers}"
    for one in decisions:
        assert one.reason is not Reason.OBJECT_FAILED or one.zone, one.detail  # planning it raised


def check_converged(engine: Engine, provider: FaultyProvider, zones: Iterable[Zone], registry: Registry) -> None:
    """After faults have ended: everything is settled, and what was programmed stands and is ours."""
    assert engine.settled
    for decision in engine.decisions:
        assert decision.reason in LASTING, f"{decision.name} {decision.type}: {decision.reason} ({decision.detail})"
        assert decision.verdict in {Verdict.KEEP, Verdict.NONE}
    for zone in zones:
        contents = provider.contents(zone)
        mirror = next(state.mirror for state in engine.zones if state.zone == zone)
        assert {record.key: record for name in mirror.names() for record in mirror.of(name)} == contents
        owned = ownership(registry, contents)
        for decision in engine.decisions:
            if decision.zone == zone and decision.reason is Reason.PROGRAMMED and decision.wanted is not None:
                stands = owned[decision.wanted.key]
                assert stands.record.targets == decision.wanted.targets
                assert stands.ours
