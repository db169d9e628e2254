"""Evidence for deletes, and how messages name scopes and the causes of holds."""

from __future__ import annotations

import pytest

from extdns.model.evidence import Evidence, describe_hold, format_scope
from tests.builders import ZONE, build_held_set

BY_ABSENCE = {Evidence.ABSENT, Evidence.ORPHAN_GONE, Evidence.ORPHAN_UNCLAIMED}


@pytest.mark.parametrize("evidence", list(Evidence))
def test_evidence_can_be_by_absence_and_is_insufficient_only_for_an_orphan_that_nobody_claims(
    evidence: Evidence,
) -> None:
    assert evidence.is_by_absence is (evidence in BY_ABSENCE)
    assert evidence.is_sufficient is (evidence is not Evidence.ORPHAN_UNCLAIMED)


@pytest.mark.parametrize(
    ("zone", "namespace", "expected"),
    [
        ("example.org", "shop", "namespace shop in zone example.org"),
        ("example.org", "", "zone example.org"),
        ("", "", "all zones"),
    ],
)
def test_a_scope_is_a_zone_or_a_namespace_in_it_or_all_zones(zone: str, namespace: str, expected: str) -> None:
    assert format_scope(zone, namespace) == expected
    assert str(build_held_set("", zone=ZONE, namespace=namespace)) == format_scope("example.org", namespace)


LIMITS = "--max-delete-count and --max-delete-percent"


@pytest.mark.parametrize(
    ("scope", "by_absence", "deletes", "exceeded"),
    [
        ("zone a.org", False, "deletes", LIMITS),
        ("zone a.org", True, "deletes by absence", f"half of {LIMITS}"),
        ("all zones", False, "deletes", LIMITS),
        (
            "all zones",
            True,
            "deletes by absence",
            f"half of {LIMITS}, or, with --manifests, no object requested a name",
        ),
    ],
)
def test_the_cause_of_a_hold_names_the_scope_and_the_flags_that_were_exceeded(
    scope: str, by_absence: bool, deletes: str, exceeded: str
) -> None:
    cause = f"the {deletes} in {scope} within ten minutes exceeded {exceeded}"
    assert describe_hold(scope, by_budget=True, by_absence=by_absence) == cause
    assert describe_hold(scope, by_budget=False, by_absence=by_absence).startswith("the evidence was insufficient")
