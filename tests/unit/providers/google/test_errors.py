"""Turn error responses of Cloud DNS into outcomes (guide "Error messages")."""

from __future__ import annotations

import pytest

from extdns.model.change import Outcome, Refused, TryLater, WriteConflict
from providers.common.api_calls import CallFailedError, FailureKind
from providers.google.provider import build_outcome
from providers.google.record_sets import CloudDnsRecordSet

ADDED = [
    CloudDnsRecordSet(name=f"{label}.example.org.", type="A", ttl_s=300, values=("192.0.2.1",)) for label in ("a", "b")
]
DELETED = [CloudDnsRecordSet(name="old.example.org.", type="TXT", ttl_s=300, values=('"x"',))]


def find_outcome(*parts: str, code: str = "invalid") -> Outcome:
    failed = CallFailedError(
        FailureKind.REFUSED, "dns.changes.create", "zone z", code, "; ".join(parts), messages=parts
    )
    return build_outcome(failed, ADDED, DELETED)


@pytest.mark.parametrize(
    ("message", "culprit"),
    [
        pytest.param("Precondition not met for 'entity.change.deletions[0]'", "old.example.org", id="412"),
        pytest.param(
            "The 'entity.change.deletions[0]' resource named 'old.example.org. (TXT)' does not exist.",
            "old.example.org",
            id="404",
        ),
        pytest.param(
            "The resource 'entity.change.additions[1]' named 'b.example.org. (A)' already exists",
            "b.example.org",
            id="409-by-place",
        ),
        pytest.param(
            "The resource 'entity.change.additions[b.example.org.][A]' named 'b.example.org. (A)' already exists",
            "b.example.org",
            id="409-by-name",
        ),
    ],
)
def test_an_error_about_a_record_set_that_changed_becomes_a_write_conflict_with_its_name(
    message: str, culprit: str
) -> None:
    found = find_outcome(message)
    assert isinstance(found, WriteConflict)
    assert found.offending_names == (culprit,)


@pytest.mark.parametrize(
    "complaint",
    [
        pytest.param("Invalid value for 'entity.change.additions[1].rrdata[2]': 'ns.example'", id="invalid"),
        pytest.param(
            "The resource record set 'entity.change.additions[1]' is invalid because the DNS name 'b.example.org.' may "
            "have either one CNAME resource record set or resource record sets of other types, but not both.",
            id="cnameResourceRecordSetConflict",
        ),
        pytest.param(
            "The resource record set 'entity.change.additions[b.example.org.][A]' is only permitted to have one record "
            "because it is of type CNAME.",
            id="invalidRecordCount",
        ),
    ],
)
def test_an_error_about_an_invalid_record_set_becomes_a_refusal_with_its_name(complaint: str) -> None:
    found = find_outcome(complaint)
    assert isinstance(found, Refused)
    assert found.offending_names == ("b.example.org",)


def test_an_error_with_several_problems_becomes_a_refusal_with_all_their_names() -> None:
    found = find_outcome(
        *(f"Invalid value for 'entity.change.additions[{location}].rrdata[0]': 'x'" for location in (1, 0))
    )
    assert isinstance(found, Refused)
    assert found.offending_names == ("a.example.org", "b.example.org")


def test_an_error_with_a_write_conflict_and_other_problems_becomes_a_write_conflict() -> None:
    found = find_outcome(
        "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'",
        "Precondition not met for 'entity.change.deletions[0]'",
    )
    assert isinstance(found, WriteConflict)
    assert found.offending_names == ("old.example.org",)


@pytest.mark.parametrize(
    "message",
    [
        "The change would exceed quota for additions per change.",
        "Invalid value for 'entity.change.additions[7].name': 'x'",
        "Invalid value for 'entity.change.additions[elsewhere.example.org.][A]': 'x'",
        "",
    ],
)
def test_an_error_whose_record_set_is_unknown_gives_a_refusal_without_offending_names(message: str) -> None:
    found = find_outcome(message, "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'")
    assert isinstance(found, Refused)
    assert found.offending_names == ()


@pytest.mark.parametrize("parameter", ["managedZone", "project"])
def test_a_change_to_a_zone_or_project_that_does_not_exist_is_tried_later(parameter: str) -> None:
    assert isinstance(
        find_outcome(f"The 'parameters.{parameter}' resource named 'z' does not exist.", code="notFound"), TryLater
    )
