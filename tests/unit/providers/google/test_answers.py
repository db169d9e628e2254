"""What the service says of a change that it did not make (guide "Error messages")."""

from __future__ import annotations

import pytest

from extdns.model.outcome import Conflict, Outcome, Refused, TryLater
from providers.google.answers import outcome
from providers.google.wire import RecordSet
from providers.remote.failure import CallFailedError, Trouble

ADDED = [RecordSet(name=f"{label}.example.org.", type="A", ttl_s=300, values=("192.0.2.1",)) for label in ("a", "b")]
DELETED = [RecordSet(name="old.example.org.", type="TXT", ttl_s=300, values=('"x"',))]


def said(*parts: str, code: str = "invalid") -> Outcome:
    failed = CallFailedError(Trouble.REFUSED, "dns.changes.create", "zone z", code, "; ".join(parts), parts=parts)
    return outcome(failed, ADDED, DELETED)


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
def test_what_is_not_as_it_was_is_a_conflict_of_its_name(message: str, culprit: str) -> None:
    found = said(message)
    assert isinstance(found, Conflict)
    assert found.culprits == (culprit,)


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
def test_what_the_service_does_not_take_is_refused_with_its_name(complaint: str) -> None:
    found = said(complaint)
    assert isinstance(found, Refused)
    assert found.culprits == ("b.example.org",)


def test_of_several_complaints_all_names_are_told() -> None:
    found = said(*(f"Invalid value for 'entity.change.additions[{place}].rrdata[0]': 'x'" for place in (1, 0)))
    assert isinstance(found, Refused)
    assert found.culprits == ("a.example.org", "b.example.org")


def test_a_conflict_among_refusals_comes_first() -> None:
    found = said(
        "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'",
        "Precondition not met for 'entity.change.deletions[0]'",
    )
    assert isinstance(found, Conflict)
    assert found.culprits == ("old.example.org",)


@pytest.mark.parametrize(
    "message",
    [
        "The change would exceed quota for additions per change.",
        "Invalid value for 'entity.change.additions[7].name': 'x'",
        "Invalid value for 'entity.change.additions[elsewhere.example.org.][A]': 'x'",
        "",
    ],
)
def test_a_complaint_that_names_nothing_of_ours_blames_nobody(message: str) -> None:
    found = said(message, "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'")
    assert isinstance(found, Refused)
    assert found.culprits == ()


@pytest.mark.parametrize("parameter", ["managedZone", "project"])
def test_a_zone_that_has_gone_is_for_the_list_of_zones_to_tell(parameter: str) -> None:
    assert isinstance(
        said(f"The 'parameters.{parameter}' resource named 'z' does not exist.", code="notFound"), TryLater
    )
