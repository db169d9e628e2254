"""The swap rule on recorded cases: starting from the zones that external-dns left, nothing is deleted or updated.

Each case of the corpus starts with the recorded final zones. Creates are allowed: extdns publishes records that
external-dns failed to create.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.corpus.case import load, names
from tests.corpus.recordsets import normalize_record_sets
from tests.swap.first_pass import find_missing, make_first_pass

LISTED: Final[Mapping[str, str]] = {
    "237-upper-case": "a name with capitals in its zone, which external-dns plans and silently drops in each pass",
    "354-zones-disagree": "one of two zones of the same name, which external-dns had left wrong, is repaired",
}
"""Converged cases in which extdns changes a record; `extdns migrate` lists these changes."""

NOT_CONVERGED: Final[Mapping[str, str]] = {
    "117-template-error": "external-dns ends each pass at one object; its delete is still to come",
    "132-annotation-filter-not-equal": "external-dns does not start, nor does extdns",
    "183-policy-missing": "external-dns does not start; extdns does",
    "184-dry-run": "external-dns wrote nothing; its update and its delete are still to come",
    "214-ownership-txt-spelling": "the delete that external-dns tries in each pass is refused each time",
    "330-unknown-flag": "external-dns does not start, nor does extdns",
    "350-legacy-txt-delete": "the delete that external-dns tries in each pass is refused each time",
}
"""Cases in which external-dns has not converged, so that the swap rule does not apply."""

MODES: Final = [pytest.param((), id="default"), pytest.param(("--compat",), id="compat")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name in names() if name not in LISTED.keys() | NOT_CONVERGED.keys()])
def test_extdns_updates_and_deletes_nothing_in_zones_that_external_dns_left(
    name: str, mode: tuple[str, ...], tmp_path: Path
) -> None:
    for number in range(len(load(name).recorded)):
        assert find_losses(name, number, mode, tmp_path) == []


@pytest.mark.parametrize("name", sorted(LISTED))
def test_in_each_listed_exception_extdns_updates_or_deletes_a_record_in_zones_that_external_dns_left(
    name: str, tmp_path: Path
) -> None:
    assert any(find_losses(name, number, (), tmp_path) for number in range(len(load(name).recorded)))


def find_losses(name: str, number: int, mode: tuple[str, ...], empty: Path) -> list[str]:
    """Return the updates and deletes of the first full pass on version *number* of the recorded zones."""
    case = load(name)
    before = case.recorded[number]
    found = make_first_pass(
        *case.flags,
        *mode,
        f"--manifests={case.objects if case.objects.exists() else empty}",
        environ=case.environ,
        zones=[{**zone, "records": before[zone["zone_id"]]} for zone in case.zones],
        health_checks=case.health_checks,
    )
    missing = find_missing(
        {zone_id: normalize_record_sets(records) for zone_id, records in before.items()}, found.zones
    )
    return [*found.losses, *(f"missing: {record['Name']} {record['Type']}" for record in missing)]
