"""With `--compat`, a single pass has the exit codes of external-dns."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.controller.exit_codes import compute_exit_code
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action, AdjustedRecords, Refusal
from extdns.model.claim import UnresolvedClaim
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from tests.builders import PLAN, build_claim, build_unresolved, observe, record
from tests.unit.documents.cases import refusing_adjust
from tests.world import World, start_world

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


@pytest.mark.parametrize(
    ("has_writer", "expected"),
    [pytest.param(True, (1, 1), id="written"), pytest.param(False, (0, 1), id="a-dry-run-sends-nothing-to-refuse")],
)
def test_a_name_that_the_dns_service_rejects_gives_exit_code_1_except_in_a_dry_run_with_compat(
    has_writer: bool, expected: tuple[int, int]
) -> None:
    assert compute_both_codes({"first": [REQUESTED], "adjust": refusing_adjust, "has_writer": has_writer}) == expected


@pytest.mark.parametrize("has_writer", [True, False], ids=["written", "dry-run"])
def test_an_object_whose_claims_cannot_be_computed_gives_exit_code_1_also_in_a_dry_run(has_writer: bool) -> None:
    assert compute_both_codes({"first": [observe("web", failure="boom")], "has_writer": has_writer}) == (1, 1)


def test_a_change_larger_than_a_batch_gives_exit_code_1_only_without_compat() -> None:
    assert compute_both_codes({"first": [REQUESTED], "capabilities": SMALL}) == (0, 1)


def untargeted(rtype: str) -> UnresolvedClaim:
    found = build_unresolved("web", "web", Reason.UNSUPPORTED)
    return replace(found, type=rtype)


@pytest.mark.parametrize(
    ("rtype", "expected"), [pytest.param("MX", (0, 0), id="unmanaged"), pytest.param("A", (1, 1), id="managed")]
)
def test_an_endpoint_without_targets_gives_exit_code_1_only_if_its_type_is_managed(
    rtype: str, expected: tuple[int, int]
) -> None:
    assert compute_both_codes({"first": [observe("web", untargeted(rtype))]}) == expected


def invalid_adjust(desired: tuple[DesiredRecord, ...], zone: Zone) -> AdjustedRecords:
    """Refuse all desired records because of invalid targets."""
    del zone
    return AdjustedRecords(
        accepted=(), refused=tuple(Refusal(desired=one, reason=Reason.INVALID_TARGET, detail="") for one in desired)
    )


@pytest.mark.parametrize(
    ("rtype", "expected"), [pytest.param("MX", (0, 0), id="unmanaged"), pytest.param("A", (1, 1), id="managed")]
)
def test_an_endpoint_with_an_invalid_target_gives_exit_code_1_only_if_its_type_is_managed(
    rtype: str, expected: tuple[int, int]
) -> None:
    first = [observe("web", build_claim("web", "web", "x", rtype=rtype))]
    assert compute_both_codes({"first": first, "adjust": invalid_adjust}) == expected


def test_a_record_whose_old_ownership_record_could_cover_another_record_counts_as_foreign_and_is_not_held() -> None:
    zone = (record("cname-web", "192.0.2.1"), record("cname-web", LEGACY, rtype="TXT"))
    assert compute_both_codes({}, *zone) == (0, 0)
    world = once(*zone, compat=True)
    assert world.list_decisions("cname-web") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
