"""Planning of one name: transfers, orphans, refused successors, unmanaged types and exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.engine import delete_guard, desired, evidence, reconcile, zone_plan
from extdns.engine.decisions import PLAN
from extdns.engine.delete_budget import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observation, Observed
from extdns.model.change import Action, AdjustedRecords, Refusal
from extdns.model.claim import Claim, Provenance, ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, DesiredRecord, OwnedRecord, RecordKey
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, host, observe, observe_gone, owned
from tests.builders import PLAN as SETTINGS
from tests.world import World, build_world, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
WEB_KEY = ObjectKey(SERVICE, "shop", "web")


def claim_in(namespace: str, target: str, *, rtype: str = "A", at: str = "web") -> ResolvedClaim:
    """Build the claim of the Service `new` in *namespace* to the name *at* with *target*."""
    ref = ObjectRef(key=ObjectKey(SERVICE, namespace, "new"))
    endpoint = DesiredRecord(
        name=host(at), type=rtype, targets=(target,), labels=StringMap.from_items({RESOURCE: ref.key.resource})
    )
    return ResolvedClaim(desired=endpoint, provenance=Provenance(source="service", ref=ref, field="annotation"))


def observe_in(namespace: str, *claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    """Build the observation that the Service `new` in *namespace* has exactly *claims*."""
    key = ObjectKey(SERVICE, namespace, "new")
    return Observed(observations=(Observation(source="service", key=key, cause=cause, claims=claims),))


# transfers


def test_a_name_passes_to_another_namespace_if_its_object_was_deleted_before_the_start() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.run(
        observe_in("other", claim_in("other", "192.0.2.9")), change_phase(SERVICE), change_phase(INGRESS), for_s=180.0
    )
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.decision("web").reason is Reason.PUBLISHED


def test_a_name_stays_with_its_namespace_until_a_get_confirms_that_its_object_is_gone() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: None
    world.run(
        observe_in("other", claim_in("other", "192.0.2.9")), change_phase(SERVICE), change_phase(INGRESS), for_s=180.0
    )
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in world.engine.decisions.decisions(host("web"))} == {Reason.ABSENCE_UNCONFIRMED}
    world.exists = lambda _: False
    world.run(for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_a_name_stays_with_its_namespace_while_repeated_gets_find_its_object() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: True
    world.run(
        observe_in("other", claim_in("other", "192.0.2.9")), change_phase(SERVICE), change_phase(INGRESS), for_s=200.0
    )
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.exists = lambda _: False
    world.run(for_s=400.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_an_a_and_an_aaaa_record_of_one_name_can_belong_to_different_namespaces() -> None:
    world = start_world(
        first=[
            observe("web", build_claim("web", "web", "192.0.2.1")),
            observe_in("other", claim_in("other", "2001:db8::9", rtype="AAAA")),
        ],
        deletes=GRACE,
    )
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}
    world.run(observe_gone("web"), for_s=59.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}, (
        "the grace period is not over"
    )
    world.run(for_s=10.0)
    assert world.list_records() == {"web AAAA": ("2001:db8::9",)}


def test_a_held_delete_ends_when_another_namespace_requests_the_name() -> None:
    none_free = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(count=0, percent=0))
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], deletes=none_free)
    world.run(observe_gone("web"), for_s=120.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD)]
    world.run(observe_in("other", claim_in("other", "192.0.2.9")), for_s=120.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


# orphans while an object fails


@pytest.mark.parametrize("once", [False, True])
def test_an_orphan_stays_while_an_object_of_its_kind_cannot_be_computed(*, once: bool) -> None:
    world = build_world(*owned("web"), once=once)
    world.run(
        observe("renamed", failure="template: no such field"), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    assert "renamed" in world.decision("web").detail
    world.run(observe("renamed"), for_s=600.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.ORPHAN_GONE]


def test_the_grace_period_of_an_orphan_starts_again_after_an_object_could_not_be_computed() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=30.0)
    world.run(observe("renamed", failure="no such Ingress"), for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    world.run(observe_gone("renamed"), for_s=100.0)
    assert world.list_records() == {}


def test_an_orphan_stays_while_an_object_of_another_kind_cannot_be_computed() -> None:
    world = build_world(*owned("web"))
    world.run(
        observe("other", failure="broken", kind=INGRESS), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    world.run(observe("other", kind=INGRESS), for_s=600.0)
    assert world.list_records() == {}


def test_compat_keeps_an_orphan_while_an_object_of_its_kind_cannot_be_computed() -> None:
    world = build_world(*owned("web"), plan=replace(SETTINGS, compat=True), deletes=DeleteSettings(immediate=True))
    world.run(
        observe("web"), observe("new", failure="broken"), change_phase(SERVICE), change_phase(INGRESS), for_s=10.0
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]


# refused replacements


def accept_simple_addresses(requested: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
    """Accept A and AAAA records without set identifier, and refuse all others."""
    taken = tuple(one for one in requested if one.type in {"A", "AAAA"} and not one.set_identifier)
    refused = tuple(
        Refusal(desired=one, reason=Reason.UNSUPPORTED, detail="too much") for one in requested if one not in taken
    )
    return AdjustedRecords(accepted=taken, refused=refused)


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_claim("new", "web", set_identifier="v1"), id="routed"),
        pytest.param(build_claim("new", "web", "lb.test", rtype="CNAME"), id="cname"),
    ],
)
def test_the_record_of_a_deleted_object_stays_while_the_dns_service_refuses_its_successor(
    claim: ResolvedClaim, *, compat: bool
) -> None:
    world = build_world(*owned("web"), adjust=accept_simple_addresses, plan=replace(SETTINGS, compat=compat))
    world.run(observe("new", claim), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [one.reason for one in world.engine.decisions.decisions(host("web")) if one.current] == [Reason.UNSUPPORTED]


def test_a_record_is_deleted_although_a_record_that_can_coexist_with_it_is_refused() -> None:
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web"))], adjust=accept_simple_addresses
    )
    other = build_claim("new", "web", "2001:db8::1", rtype="AAAA", set_identifier="v1")
    world.run(observe("new", other), observe_gone("web"), for_s=600.0)
    assert world.list_records() == {}


# unmanaged types


@pytest.mark.parametrize("since_start", [True, False])
def test_a_record_is_deleted_if_its_name_is_requested_only_in_an_unmanaged_type(*, since_start: bool) -> None:
    mail = observe("web", build_claim("web", "web", "10 mx.test", rtype="MX"))
    if since_start:
        world = start_published(deletes=GRACE)
        world.run(mail, for_s=1.0)
    else:
        world = start_world(*owned("web"), first=[mail], deletes=GRACE)
    assert sorted(world.list_decisions("web")) == [
        ("A", Action.KEEP, Reason.IN_GRACE),
        ("MX", Action.NONE, Reason.TYPE_UNMANAGED),
    ]
    world.run(for_s=60.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.HOSTNAME_REMOVED]


def test_a_record_is_deleted_although_another_object_requests_an_unmanaged_type_of_its_name() -> None:
    world = start_published()
    world.run(observe("mail", build_claim("mail", "web", "10 mx.test", rtype="MX")), observe_gone("web"))
    assert world.list_records() == {}
    assert world.evidence == [Evidence.OBJECT_DELETED]


# defects


def fail_for(name: DnsName, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return *work*, changed to raise ZeroDivisionError if one of its arguments belongs to *name*."""

    def broken(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - stands for any function
        if any(_is_about(one, name) for one in (*arguments, *options.values())):
            raise ZeroDivisionError("planted")
        return work(*arguments, **options)

    return broken


def _is_about(value: object, name: DnsName) -> bool:
    """Return whether *value* is *name*, or has a part that belongs to it."""
    if isinstance(value, OwnedRecord):
        return value.record.name == name
    if isinstance(value, str):
        return value == name
    if isinstance(value, tuple | list):
        return any(_is_about(one, name) for one in value)
    if value is None:
        return False
    fields = ("name", "endpoint", "owned", "current", "proposals")
    return any(_is_about(getattr(value, field, None), name) for field in fields)


PLANNING = [
    (module, function)
    for module, functions in (
        (reconcile, ("build_candidates", "plan_in_zone", "_conclude_plans", "_store")),
        (desired, ("build_candidates",)),
        (
            zone_plan,
            (
                "_read_input",
                "_find_block",
                "adjust",
                "resolve_contests",
                "compare_name",
                "_find_retained",
                "find_removals",
                "propose_changes",
                "_find_deletes",
                "finalize",
                "_complete",
                "group_changes",
                "project_records",
                "split_and_complete",
                "find_unresolved",
                "decide",
                "_find_requested",
                "_find_waits",
            ),
        ),
        (delete_guard.DeleteGuard, ("review",)),
        (evidence.EvidenceReader, ("find", "is_hidden", "normalize_resource")),
    )
    for function in functions
]
TWO = (*owned("web"), *owned("api", resource="service/shop/api"))
BOTH = [observe("web", build_claim("web", "web")), observe("api", build_claim("api", "api"))]


def build_situations() -> dict[str, list[Observed]]:
    """Build observations of `web` by description; each causes a change or a delete."""
    return {
        "deleted": [observe_gone("web")],
        "changed": [observe("web", build_claim("web", "web", "192.0.2.9"))],
        "another type": [observe("web", build_claim("web", "web", "lb.test", rtype="CNAME"))],
        "another namespace": [observe_gone("web"), observe_in("other", claim_in("other", "192.0.2.9"))],
    }


@pytest.mark.parametrize("situation", build_situations())
@pytest.mark.parametrize(("owner", "function"), PLANNING, ids=lambda one: getattr(one, "__name__", one))
def test_an_exception_in_any_function_of_planning_affects_only_the_planned_name(
    owner: Any,  # noqa: ANN401 - a module or a class
    function: str,
    situation: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def world() -> World:
        return start_world(*TWO, first=BOTH, deletes=GRACE)

    inputs = [*build_situations()[situation], observe("api", build_claim("api", "api", "192.0.2.7"))]
    sound = world()
    sound.run(*inputs, for_s=30.0)
    hurt = world()
    met: list[str] = []
    with monkeypatch.context() as patch:
        work = fail_for(host("web"), getattr(owner, function))
        patch.setattr(owner, function, lambda *a, **o: _note(met, work, *a, **o))
        hurt.run(*inputs, for_s=30.0)
        if met:
            failing = hurt.engine.decisions.decisions(host("web"))
            assert {one.reason for one in failing} == {Reason.OBJECT_FAILED}
            assert [wait.wait for wait in hurt.engine._waits.waits(host("web"))] == [PLAN]
            state = next(iter(hurt.engine.zones))
            assert host("web") not in state.queue.queued
            assert not find_evidence_keys(hurt)
            assert hurt.wake_s is not None
        assert hurt.list_records().get("api A") == sound.list_records().get("api A") == ("192.0.2.7",)
        assert hurt.list_decisions("api") == sound.list_decisions("api")
    hurt.run(observe("web", build_claim("web", "web")), for_s=400.0)  # the original claim again
    assert hurt.list_records()["web A"] == ("192.0.2.1",)
    hurt.run(observe_gone("web"), observe_in("other", cause=Cause.DELETED), for_s=59.0)
    assert "web A" in hurt.list_records(), "a new grace period"
    hurt.run(for_s=10.0)
    assert "web A" not in hurt.list_records()


def _note(met: list[str], work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
    """Call *work*, and append to *met* if it raises ZeroDivisionError."""
    try:
        return work(*arguments, **options)
    except ZeroDivisionError:
        met.append("raised")
        raise


def find_evidence_keys(world: World) -> list[RecordKey]:
    """Return the records of `web` that have evidence."""
    state = next(iter(world.engine.zones))
    return [key for key in world.engine.delete_guard.pending.list_statuses(state.zone.id) if key.name == host("web")]


def test_a_name_that_cannot_be_planned_is_retried_with_exponential_backoff() -> None:
    attempts: list[float] = []

    def adjust(requested: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
        if requested[0].name == host("web"):
            attempts.append(world.now_s)
            raise RuntimeError("defect")
        return AdjustedRecords(accepted=tuple(requested))

    world = start_world(adjust=adjust)
    world.run(observe("web", build_claim("web", "web")), for_s=40.0)
    delays = [round(later - earlier) for earlier, later in pairwise(attempts)]
    assert delays == [1, 2, 4, 8, 16]


def test_a_decision_names_the_kind_and_the_object_that_it_waits_for() -> None:
    world = start_published()
    world.run(change_phase(SERVICE, Phase.FAILING), observe_gone("web"), for_s=60.0)
    awaited = {one.wait.about for one in world.engine._waits.waits(host("web"))}
    assert awaited == {SERVICE, WEB_KEY}
