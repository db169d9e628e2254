"""Turn error responses of Route 53 into outcomes (docs/design/retries.md, "Outcomes of a batch")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Outcome, Refused, WriteConflict
from providers.aws.errors import build_outcome
from providers.aws.record_sets import AliasTarget, Route53RecordSet
from providers.common.api_calls import CallFailedError, FailureKind

SENT = (
    Route53RecordSet(name="a.example.org", type="A", ttl_s=1, values=("x",)),
    Route53RecordSet(name="b.example.org", type="CNAME", ttl_s=1, values=("c.example.org",)),
    Route53RecordSet(
        name="d.example.org",
        type="A",
        alias=AliasTarget(zone_id="Z", name="gone.example.org", evaluate_target_health=True),
        health_check_id="hc-1",
    ),
)
FATAL = (
    "FATAL problem: CharacterStringTooLong (Value is longer than what the type of the record set allows it to be) "
    "encountered with "
)
EXISTS = "Tried to create resource record set [name='a.example.org.', type='A'] but it already exists"


def find_outcome(words: str, code: str = "InvalidChangeBatch") -> Outcome:
    return build_outcome(
        CallFailedError(FailureKind.REFUSED, "route53:ChangeResourceRecordSets", "zone Z", code, words), SENT
    )


@pytest.mark.parametrize(
    ("words", "names"),
    [
        pytest.param(
            "[Tried to create resource record set [name='a.example.org.', type='A'] but it already exists]",
            ("a.example.org",),
            id="exists",
        ),
        pytest.param(
            "[Tried to delete resource record set [name='\\052.example.org.', type='A'] but it was not found, "
            "Tried to delete resource record set [name='b.example.org.', type='A', set-identifier='x'] "
            "but the values provided do not match the current values]",
            ("*.example.org", "b.example.org"),
            id="gone-and-other-values",
        ),
        pytest.param(
            "[RRSet with DNS name c.example.org. is not permitted in zone example.net., "
            "Tried to delete resource record set [name='b.example.org.', type='A'] but it was not found]",
            ("b.example.org",),
            id="a-conflict-comes-before-a-refusal",
        ),
    ],
)
def test_an_error_about_a_record_that_is_not_as_stated_becomes_a_write_conflict_with_its_name(
    words: str, names: tuple[str, ...]
) -> None:
    found = find_outcome(words)
    assert isinstance(found, WriteConflict)
    assert found.offending_names == names
    assert words in found.message


@pytest.mark.parametrize(
    ("words", "names"),
    [
        pytest.param(
            "[RRSet of type CNAME with DNS name b.example.org. is not permitted as it conflicts with other records "
            "with the same DNS name in zone example.org.]",
            ("b.example.org",),
            id="CNAME-beside-others",
        ),
        pytest.param(
            "[RRSet of type A with DNS name a.example.org. is not permitted because a conflicting RRSet of type  CNAME "
            "with the same DNS name already exists in zone example.org., "
            "RRSet of type CNAME with DNS name example.org. is not permitted at apex in zone example.org.]",
            ("a.example.org", "example.org"),
            id="two",
        ),
        pytest.param(
            "[RRSet with DNS name a.example.org., type A, SetIdentifier x cannot be created as a non-weighted set "
            "exists with the same name and type.]",
            ("a.example.org",),
            id="mixed-policies",
        ),
        pytest.param(
            "[Invalid Resource Record: 'FATAL problem: ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address) "
            "encountered with 'x'']",
            ("a.example.org",),
            id="found-by-its-value",
        ),
        pytest.param(
            "[Tried to create an alias that targets gone.example.org., type A in zone Z, "
            "but that target was not found]",
            ("d.example.org",),
            id="found-by-its-alias-target",
        ),
        pytest.param(
            "[Tried to create an alias that targets a.example.org., type A in zone Z, but that target was not found]",
            (),
            id="the-target-of-an-alias-is-no-culprit",
        ),
        pytest.param(
            "[No health check exists with the specified ID: hc-1]", ("d.example.org",), id="found-by-its-health-check"
        ),
        pytest.param(
            "[The request contains an invalid set of changes for a resource record set 'A a.example.org.']",
            ("a.example.org",),
            id="twice",
        ),
        pytest.param(
            "[Resource record set [name='a.example.org.', type='A'] is protected, with the comment 'x, y', "
            "Resource record set [name='b.example.org.', type='A'] is protected, with the comment '']",
            ("a.example.org", "b.example.org"),
            id="protected",
        ),
        pytest.param(
            "[Exceeded limit on number of weighted RRSets for a.example.org., type A in this zone., "
            "Exceeded limit on number of weighted RRSets for b.example.org., type A in this zone.]",
            ("a.example.org", "b.example.org"),
            id="too-many-of-a-name",
        ),
        pytest.param("[Number of records limit of 1000 exceeded.]", (), id="no-name-stated"),
        pytest.param(
            "[RRSet with DNS name a.example.org. is not permitted in zone example.net., Invalid something]",
            (),
            id="error-without-a-name-may-concern-any-change",
        ),
    ],
)
def test_an_error_about_an_invalid_batch_becomes_a_refusal_with_the_offending_names(
    words: str, names: tuple[str, ...]
) -> None:
    found = find_outcome(words)
    assert isinstance(found, Refused)
    assert found.offending_names == names


@pytest.mark.parametrize(
    ("hostile", "words"),
    [
        pytest.param(
            Route53RecordSet(name="evil.example.org", type="A", set_identifier=f"x, {EXISTS}"),
            f"RRSet with DNS name evil.example.org. and type A, SetIdentifier x, {EXISTS} cannot be created as "
            "weighted sets must contain the same TTL.",
            id="set-identifier",
        ),
        pytest.param(
            Route53RecordSet(name="evil.example.org", type="A", set_identifier="x, RRSet with DNS name a.example.org."),
            "RRSet with DNS name evil.example.org., type A, SetIdentifier x, RRSet with DNS name a.example.org., and "
            "Region Name=eu-west-1 cannot be created because a latency RRSet with the same name, type and region "
            "already exists.",
            id="set-identifier-that-contains-another-name",
        ),
        pytest.param(
            Route53RecordSet(name="evil.example.org", type="A", set_identifier="name='a.example.org.'"),
            "RRSet with DNS name evil.example.org., type A, SetIdentifier name='a.example.org.' cannot be created "
            "as a non-weighted set exists with the same name and type.",
            id="set-identifier-of-another-form",
        ),
        pytest.param(
            Route53RecordSet(name="evil.example.org", type="TXT", values=(f'"x, {EXISTS}"',)),
            f"Duplicate Resource Record: '\"x, {EXISTS}\"'",
            id="value",
        ),
        pytest.param(
            Route53RecordSet(name="evil.example.org", type="CNAME", values=(f"x, {EXISTS}",)),
            "Invalid Resource Record: 'FATAL problem: UnsupportedCharacter (Value contains unsupported characters) "
            f"encountered with 'x, {EXISTS}''",
            id="value-of-no-use",
        ),
        pytest.param(
            Route53RecordSet(
                name="evil.example.org",
                type="TXT",
                values=(f'"x, y\', {EXISTS}"',),
                set_identifier=f"{FATAL}'\"x, y",  # matches before the value, up to a part of it
            ),
            f"Invalid Resource Record: '{FATAL}'\"x, y', {EXISTS}\"''",
            id="set-identifier-that-overlaps-a-value",
        ),
    ],
)
def test_text_of_users_quoted_in_an_error_is_not_read_as_a_message_of_the_service(
    hostile: Route53RecordSet, words: str
) -> None:
    failed = CallFailedError(FailureKind.REFUSED, "route53:Change", "zone Z", "InvalidChangeBatch", f"[{words}]")
    found = build_outcome(failed, (*SENT, hostile))
    assert isinstance(found, Refused)
    assert found.offending_names == ("evil.example.org",)
    both = CallFailedError(
        FailureKind.REFUSED, "route53:Change", "zone Z", "InvalidChangeBatch", f"[{words}, {EXISTS}]"
    )
    conflict = build_outcome(both, (*SENT, hostile))
    assert isinstance(conflict, WriteConflict)
    assert conflict.offending_names == ("a.example.org",)


def test_a_missing_zone_is_a_refusal_if_it_may_be_that_of_an_alias_target() -> None:
    assert isinstance(find_outcome("No hosted zone found with ID: Z", "NoSuchHostedZone"), Refused)


def test_an_error_about_the_target_of_aliases_of_several_names_blames_none_of_them() -> None:
    other = replace(SENT[2], name="evil.example.org", type="AAAA")
    words = "[Tried to create an alias that targets gone.example.org., type AAAA in zone Z, but that was not found]"
    failed = CallFailedError(FailureKind.REFUSED, "c", "z", "InvalidChangeBatch", words)
    assert build_outcome(failed, (*SENT, other)) == Refused(message=str(failed))


@pytest.mark.parametrize("check", ["but it already exists", f"x, {EXISTS}", "with blanks ID: hc-1", " x "])
def test_an_error_about_an_unknown_health_check_blames_the_record_that_uses_it(check: str) -> None:
    hostile = Route53RecordSet(name="evil.example.org", type="A", health_check_id=check)
    words = f"No health check exists with the specified ID: {check}"
    found = build_outcome(CallFailedError(FailureKind.REFUSED, "c", "z", "NoSuchHealthCheck", words), (*SENT, hostile))
    assert isinstance(found, Refused)
    assert found.offending_names == ("evil.example.org",)
