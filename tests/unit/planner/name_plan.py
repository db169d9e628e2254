"""Plan one name in one zone: builders of its records, claims and candidates, and the parts of the planner in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from extdns.model.change import Action, AdjustedRecords, Blocked, Change, ChangeSet, Create, Decision, Delete, Update
from extdns.model.claim import Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, Record, canonicalize_targets
from extdns.model.value import StringMap, Value
from extdns.model.zone import Zone
from extdns.planner.comparison import compare_name, finalize, find_removals, group_changes, propose_changes
from extdns.planner.decide import decide
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Planner, PlanSettings
from extdns.planner.view import Facts, NameView, ObjectFacts
from extdns.rules.evaluation import Evaluation
from tests.builders import KINDS, store

ME: Final = "me"
ZONE: Final = Zone(name=DnsName("example.org"), id="z1")
NAME: Final = DnsName("foo.example.org")
WEB: Final = "service/shop/web"
API: Final = "service/shop/api"
OLD: Final = "ingress/shop/old"
SETTINGS: Final = PlanSettings(owner=ME, source_order=("service", "ingress"))
ALIAS: Final = {"alias": "true"}

Findings = Callable[[OwnedRecord], Evidence | Blocked]
"""A function that returns the evidence against a record that nobody requests, or what blocks its delete."""


class NamePlan(Value, frozen=True, kw_only=True):
    """The change sets of one name, without ownership records, and its decisions."""

    sets: tuple[ChangeSet, ...] = ()
    decisions: tuple[Decision, ...] = ()


def build_planner(**settings: Any) -> Planner:  # noqa: ANN401 - any field of Planner
    """Build a planner of a service that takes every record, without rules and ownership records."""
    chosen: dict[str, Any] = {
        "settings": SETTINGS,
        "adjust": lambda desired, _: AdjustedRecords(accepted=tuple(desired)),
        "complete": lambda change_set, _: change_set,
        "evaluate": lambda inputs: [Evaluation()] * len(inputs),
        "kinds": KINDS,
    }
    return Planner(**chosen | settings)


KEYS: Final = {resource: build_planner().find_object(resource) for resource in (WEB, API, OLD)}
UNKNOWN: Final = ObjectFacts(is_known=False, exists=None, failure="", missing=(), hidden=None)
KNOWN: Final = replace(UNKNOWN, is_known=True)


def build_facts(*, web: ObjectFacts = KNOWN, api: ObjectFacts = UNKNOWN, **facts: Any) -> Facts:  # noqa: ANN401 - any field of Facts
    """Build facts in which nothing ended or fails, but for *facts*."""
    chosen: dict[str, Any] = {
        "ended": {},
        "objects": {KEYS[WEB]: web, KEYS[API]: api, KEYS[OLD]: UNKNOWN},
        "hosts": {},
        "unread": (),
        "kinds_down": {},
        "dependencies_down": (),
        "unreadable_manifest": "",
        "failing": {},
        "hidden": None,
        "deletes": {},
    }
    return Facts(**chosen | facts)


def find_gone(_: OwnedRecord) -> Evidence:
    return Evidence.OBJECT_DELETED


def find_waiting(*list_resources: str, reason: Reason = Reason.NO_ADDRESS) -> Findings:
    """Build a function that blocks deletes of the records of *resources*; all other objects were deleted."""

    def find(owned: OwnedRecord) -> Evidence | Blocked:
        if owned.resource in list_resources:
            return Blocked(reason=reason, detail="no address yet")
        return Evidence.OBJECT_DELETED

    return find


def build_current(
    rtype: str,
    *targets: str,
    owner: str | None = ME,
    resource: str = "",
    set_identifier: str = "",
    ttl_s: int = 300,
    properties: Mapping[str, str] | None = None,
    ours: bool | None = None,
    has_current_format: bool = True,
) -> OwnedRecord:
    """Build a current record at `NAME`; it is ours if its owner is `ME`, unless *ours* is given."""
    return OwnedRecord(
        record=Record(
            name=NAME,
            type=rtype,
            targets=canonicalize_targets(rtype, targets),
            ttl_s=ttl_s,
            set_identifier=set_identifier,
            properties=StringMap.from_items(properties or {}),
        ),
        owner=owner,
        is_ours=owner == ME if ours is None else ours,
        labels=StringMap.from_items({"resource": resource} if resource else {}),
        has_current_format=has_current_format,
    )


def claim(
    rtype: str,
    *targets: str,
    resource: str = WEB,
    created: str = "",
    label: str | None = None,
    set_identifier: str = "",
    ttl_s: int = 0,
    properties: Mapping[str, str] | None = None,
) -> ResolvedClaim:
    """Build the claim of the object *resource* to `NAME`; the name of its source is its kind in lower case."""
    source, namespace, name = resource.split("/")
    label = resource if label is None else label
    endpoint = DesiredRecord(
        name=NAME,
        type=rtype,
        targets=canonicalize_targets(rtype, targets),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
        labels=StringMap.from_items({"resource": label} if label else {}),
        properties=StringMap.from_items(properties or {}),
    )
    ref = ObjectRef(key=ObjectKey(KINDS[source], namespace, name), created=created)
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source=source, ref=ref, field="spec"))


def build_candidate(rtype: str, *targets: str, **fields: Any) -> Candidate:  # noqa: ANN401 - as `claim`
    """Build the candidate that consists of one claim."""
    resolved = claim(rtype, *targets, **fields)
    return Candidate(desired=resolved.desired, requested_by=(resolved.provenance,))


def plan(
    current: Iterable[OwnedRecord],
    candidates: Iterable[Candidate],
    *,
    settings: PlanSettings = SETTINGS,
    find: Findings = find_gone,
    zone: Zone = ZONE,
) -> NamePlan:
    """Plan `NAME` in *zone*, without grace period and delete budget."""
    current = tuple(current)
    comparison = compare_name(current, candidates, settings)
    findings = {owned.key: find(owned) for owned in find_removals(comparison, {}, settings)}
    proposals = finalize(propose_changes(comparison, findings, {}, settings), current, settings)
    return NamePlan(
        sets=tuple(group_changes(NameView(zone=zone, name=NAME), proposals, settings)),
        decisions=decide(zone, NAME, proposals, comparison.rejected),
    )


def list_changes(made: NamePlan) -> list[Change]:
    return [change for change_set in made.sets for change in change_set.changes]


def list_decisions(made: NamePlan) -> list[tuple[str, Action, Reason]]:
    return [(decision.type, decision.action, decision.reason) for decision in made.decisions]


def find_decision(made: NamePlan, rtype: str, set_identifier: str = "") -> Decision:
    (found,) = [one for one in made.decisions if (one.type, one.set_identifier) == (rtype, set_identifier)]
    return found


def apply_changes(current: Iterable[OwnedRecord], made: Iterable[Change]) -> tuple[OwnedRecord, ...]:
    """Return the records after *made* is written, sorted by key."""
    after = {owned.key: owned for owned in current}
    for change in made:
        match change:
            case Create(desired=endpoint):
                assert change.key not in after
                after[change.key] = _build_written(endpoint, ttl_s=300)
            case Update(desired=endpoint, current=before):
                assert after[change.key] == before
                after[change.key] = _build_written(endpoint, ttl_s=before.record.ttl_s)
            case Delete(current=before):
                assert after.pop(change.key) == before
    return tuple(after[key] for key in sorted(after))


def _build_written(desired: DesiredRecord, *, ttl_s: int) -> OwnedRecord:
    """Build the current record that a written desired record becomes."""
    return OwnedRecord(record=store(desired, default_ttl_s=ttl_s), owner=ME, is_ours=True, labels=desired.labels)


def with_policy(policy: str) -> PlanSettings:
    return replace(SETTINGS, policy=type(SETTINGS.policy)(policy))


def with_managed_types(*types: str) -> PlanSettings:
    return replace(SETTINGS, managed_types=frozenset(types))


def list_resources(provenances: Sequence[Provenance]) -> list[str]:
    return [one.ref.key.resource for one in provenances]
