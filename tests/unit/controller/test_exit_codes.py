"""Exit codes of a single pass; with `--compat`, those of external-dns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest
from msgspec.structs import replace

from extdns.controller.exit_codes import DONE, FAILED, HELD, compute_exit_code
from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.settings import EngineSettings
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, AdjustedRecords, Refusal, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.noop.registry import NoopRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    accept_only,
    build_claim,
    build_unresolved,
    change_phase,
    host,
    observe,
    record,
)
from tests.world import World, build_world, start_world

ZONE = Zone(name=DnsName("example.org"), id="Z1")
ORPHAN = Record(name=DnsName("old.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)


def run_single_pass(*records: Record, compat: bool = False, writes: bool = True, scope: str = "example.org") -> Engine:
    """Run a single pass with a zone whose *records* no object requests, and return the engine."""
    memory = InMemoryProvider(seed={ZONE: records})
    plan = PlanSettings(owner="", compat=compat, domains=DomainFilter(include=(scope,)))
    engine = build_engine(memory, plan, writes=writes)
    World(engine=engine, reader=memory, writer=memory).run()
    return engine


def build_engine(memory: InMemoryProvider, plan: PlanSettings, *, writes: bool = True) -> Engine:
    """Build an engine for a single pass without sources."""
    return Engine(
        EngineSettings(
            plan=plan,
            registry=NoopRegistry(),
            adjust=memory.adjust,
            capabilities=memory.capabilities,
            kinds={},
            has_writer=writes,
            once=True,
            deletes=DeleteSettings(grace_s=0.0, immediate=plan.compat),
        )
    )


@pytest.mark.parametrize(
    ("records", "settings", "code"),
    [
        pytest.param((), {}, DONE, id="no-change"),
        pytest.param((ORPHAN,), {}, HELD, id="held-delete"),
        pytest.param((ORPHAN,), {"writes": False}, HELD, id="held-delete-in-a-dry-run"),
        pytest.param((ORPHAN,), {"compat": True}, DONE, id="compat-holds-nothing"),
        pytest.param((ORPHAN,), {"compat": True, "writes": False}, DONE, id="compat-holds-nothing-in-a-dry-run"),
        pytest.param((ORPHAN,), {"scope": "elsewhere.org"}, DONE, id="orphan-outside-the-domain-filter"),
    ],
)
def test_single_pass_exits_with(records: tuple[Record, ...], settings: dict[str, Any], code: int) -> None:
    assert compute_exit_code(run_single_pass(*records, **settings)) == code


def test_never_listed_zones_exit_with_1() -> None:
    assert compute_exit_code(build_engine(InMemoryProvider(), PlanSettings(owner=""))) == FAILED


def test_write_conflict_at_the_end_exits_with_1() -> None:
    world = build_world(once=True)
    world.provider.rule = lambda _: WriteConflict(message="changed", offending_names=(host("web"),))
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("web", build_claim("web", "web")), for_s=40.0)
    assert world.engine.is_idle
    assert compute_exit_code(world.engine) == FAILED


COMPAT: Final = replace(PLAN, compat=True, merges_namespaces=True)
LEGACY: Final = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/old"'
REQUESTED: Final = observe("web", build_claim("web", "web"))
SMALL: Final = Capabilities(atomic=True, conditional=True, max_batch_writes=1)


def once(*records: object, first: object = (), compat: bool, **changes: object) -> World:
    return start_world(*records, first=first, once=True, plan=COMPAT if compat else PLAN, **changes)  # type: ignore[arg-type]


def compute_both_codes(world: dict[str, object], *records: object) -> tuple[int, int]:
    """Run a single pass with and without `--compat`, and return both exit codes."""
    with_compat, without = (
        compute_exit_code(once(*records, compat=compat, **world).engine) for compat in (True, False)
    )
    return with_compat, without


# with `--compat`


@pytest.mark.parametrize(
    ("has_writer", "expected"),
    [pytest.param(True, (1, 1), id="written"), pytest.param(False, (0, 1), id="a-dry-run-sends-nothing-to-refuse")],
)
def test_rejected_name_exits_with_1_except_in_a_dry_run_with_compat(
    has_writer: bool, expected: tuple[int, int]
) -> None:
    assert (
        compute_both_codes({"first": [REQUESTED], "adjust": accept_only(lambda _: False), "has_writer": has_writer})
        == expected
    )


def test_rejected_record_beside_a_foreign_one_exits_with_1_only_without_compat() -> None:
    world = {"first": [REQUESTED], "adjust": accept_only(lambda _: False)}
    assert compute_both_codes(world, record("web", "2001:db8::1", rtype="AAAA")) == (0, 1)


def test_rejected_record_in_place_of_which_another_one_is_published_exits_with_1_only_without_compat() -> None:
    def adjust(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
        (one,) = desired
        if one.type == "CNAME":  # which becomes an alias
            return AdjustedRecords(accepted=(replace(one, type="A", targets=("192.0.2.9",)),))
        return AdjustedRecords(accepted=(), refused=(Refusal(desired=one, reason=Reason.UNSUPPORTED, detail="no"),))

    claims = [build_claim("web", "web"), build_claim("web", "web", "lb.test", rtype="CNAME")]
    assert compute_both_codes({"first": [observe("web", *claims)], "adjust": adjust}) == (0, 1)


@pytest.mark.parametrize("has_writer", [True, False], ids=["written", "dry-run"])
def test_failing_object_exits_with_1_also_in_a_dry_run(has_writer: bool) -> None:
    assert compute_both_codes({"first": [observe("web", failure="boom")], "has_writer": has_writer}) == (1, 1)


def test_change_larger_than_a_batch_exits_with_1_only_without_compat() -> None:
    assert compute_both_codes({"first": [REQUESTED], "capabilities": SMALL}) == (0, 1)


@pytest.mark.parametrize(
    ("rtype", "expected"), [pytest.param("MX", (0, 0), id="unmanaged"), pytest.param("A", (1, 1), id="managed")]
)
@pytest.mark.parametrize("has_target", [False, True], ids=["without-targets", "with-an-invalid-target"])
def test_invalid_endpoint_exits_with_1_only_if_its_type_is_managed(
    rtype: str, expected: tuple[int, int], *, has_target: bool
) -> None:
    untargeted = replace(build_unresolved("web", "web", Reason.UNSUPPORTED), type=rtype)
    claim = build_claim("web", "web", "x", rtype=rtype) if has_target else untargeted
    adjust = {"adjust": accept_only(lambda _: False, Reason.INVALID_TARGET, "")} if has_target else {}
    assert compute_both_codes({"first": [observe("web", claim)], **adjust}) == expected


@pytest.mark.parametrize("reason", [Reason.INVALID_ENDPOINT, Reason.INVALID_OBJECT])
def test_endpoint_that_external_dns_skips_with_a_warning_exits_with_1_only_without_compat(reason: Reason) -> None:
    assert compute_both_codes({"first": [observe("web", build_unresolved("web", "web", reason))]}) == (0, 1)


def test_record_whose_ownership_record_is_ambiguous_is_foreign_and_not_held() -> None:
    zone = (record("cname-web", "192.0.2.1"), record("cname-web", LEGACY, rtype="TXT"))
    assert compute_both_codes({}, *zone) == (0, 0)
    world = once(*zone, compat=True)
    assert world.list_decisions("cname-web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
