"""Event messages about decisions, invalid values, batches and held deletes."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.held import format_approve_command
from extdns.model.change import Action, Batch, ChangeSet, Decision, Delete
from extdns.model.claim import Claim, ClaimWarning, InvalidClaim, UnresolvedClaim
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from tests.builders import SERVICE, ZONE, build_claim, build_held, build_held_set, build_owned, host, origin, ref
from tests.fakes.event_list import record_events

WEB: Final = ObjectKey(SERVICE, "shop", "web")
ALL: Final = ("RecordReady", "RecordDeleted")


def build_decision(action: Action, reason: Reason, *, has_record: bool = False) -> Decision:
    return Decision(
        zone=ZONE,
        name=host("web"),
        set_identifier="",
        type="A",
        action=action,
        reason=reason,
        detail="more of it",
        desired=build_claim("web", "web").desired,
        current=build_owned("web") if has_record else None,
        requested_by=(origin("web"),),
    )


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        pytest.param(
            build_decision(Action.NONE, Reason.REQUESTED_BY_OTHER), "RequestedByOther", id="requested-by-other-object"
        ),
        pytest.param(build_decision(Action.NONE, Reason.OWNED_BY_OTHER), "OwnedByOther", id="another-owner"),
        pytest.param(build_decision(Action.NONE, Reason.INVALID_TARGET), "InvalidTarget", id="invalid"),
        pytest.param(build_decision(Action.NONE, Reason.REFUSED), "RecordError", id="refused-in-the-reference's-word"),
        pytest.param(
            build_decision(Action.KEEP, Reason.NO_ADDRESS, has_record=True), "Retained", id="kept-without-an-address"
        ),
        pytest.param(build_decision(Action.NONE, Reason.NO_ADDRESS), None, id="not-published-yet-is-no-problem"),
        pytest.param(build_decision(Action.CREATE, Reason.REQUESTED), None, id="on-its-way"),
        pytest.param(build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True), None, id="all-well"),
        pytest.param(build_decision(Action.NONE, Reason.NO_ZONE), None, id="another-instance-may-have-the-zone"),
    ],
)
def test_the_object_that_requests_a_record_gets_an_event_about_a_problem_of_the_record(
    problem: Decision, reason: str | None
) -> None:
    messages = record_events(lambda recorder: recorder.record_decisions([problem]))
    assert [message.reason for message in messages] == ([reason] if reason else [])
    for message in messages:
        assert (message.regarding, message.source, message.is_warning) == (ref("web"), "service", True)
        assert message.text.startswith("web.example.org A: ")
        assert message.text.endswith(f" more of it [{problem.reason}]")


def test_problem_events_can_be_turned_off() -> None:
    problem = build_decision(Action.NONE, Reason.REQUESTED_BY_OTHER)
    invalid = InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="", allowed="")
    held = build_held_set("c", build_held("web"))
    assert not record_events(lambda recorder: recorder.record_decisions([problem]), problems=False)
    assert not record_events(lambda recorder: recorder.record_invalid_claims([invalid]), problems=False)
    assert not record_events(lambda recorder: recorder.record_held_deletes(held), problems=False)


def test_only_as_many_events_are_built_about_the_values_of_an_object_as_are_sent() -> None:
    warnings = tuple(
        ClaimWarning(reason=Reason.INVALID_NAME, field=f"f{number}", value="", allowed="") for number in range(11)
    )
    claims = [replace(build_claim(f"n{number}", "web"), warning_groups=(warnings,)) for number in range(2)]
    messages = record_events(lambda recorder: recorder.record_invalid_claims(claims))
    assert [message.text.partition(":")[0] for message in messages] == [f"f{number}" for number in range(10)]


def test_a_record_gets_a_ready_event_after_each_create_and_update_if_ready_events_are_enabled() -> None:
    steps = [
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),  # at start
        build_decision(Action.CREATE, Reason.REQUESTED),
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),
        build_decision(Action.UPDATE, Reason.CHANGED, has_record=True),
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),
    ]
    messages = record_events(lambda recorder: recorder.record_decisions(steps), "RecordReady")
    assert [(message.reason, message.action, message.is_warning) for message in messages] == [
        ("RecordReady", "Created", False),
        ("RecordReady", "Updated", False),
    ]
    assert messages[0].text == "(external-dns) record:web.example.org,owner:me,type:A,ttl:300,targets:192.0.2.1"
    assert not record_events(lambda recorder: recorder.record_decisions(steps))


def test_a_record_gets_its_ready_event_even_if_a_rejected_claim_was_reported_before() -> None:
    steps = [
        build_decision(Action.CREATE, Reason.REQUESTED),
        replace(build_decision(Action.NONE, Reason.REQUESTED_BY_OTHER), requested_by=(origin("loser"),)),
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),
    ]
    messages = record_events(lambda recorder: recorder.record_decisions(steps), "RecordReady", problems=False)
    assert [(message.regarding, message.reason) for message in messages] == [(ref("web"), "RecordReady")]


def test_a_record_gets_its_ready_event_however_many_others_another_namespace_has() -> None:
    created, other = build_decision(Action.CREATE, Reason.REQUESTED), build_claim("x", "x", namespace="other").desired
    steps = [
        created,
        *(replace(created, name=host(f"x{number}"), desired=other) for number in range(10_000)),
        build_decision(Action.KEEP, Reason.PUBLISHED, has_record=True),
    ]
    messages = record_events(lambda recorder: recorder.record_decisions(steps), "RecordReady")
    assert [(message.regarding, message.reason) for message in messages] == [(ref("web"), "RecordReady")]


def test_the_object_named_in_the_ownership_record_gets_the_event_about_a_delete() -> None:
    gone = Delete(current=build_owned("web"), evidence=Evidence.HOSTNAME_REMOVED)
    batch = Batch(number=1, zone=ZONE, change_sets=(ChangeSet(zone=ZONE, name=host("web"), changes=(gone,)),))
    (message,) = record_events(lambda recorder: recorder.record_batch(batch), *ALL)
    assert (message.regarding, message.reason, message.action) == (WEB, "RecordDeleted", "Deleted")
    assert not record_events(lambda recorder: recorder.record_batch(batch))


def test_an_event_about_an_invalid_value_shows_the_allowed_values() -> None:
    warning = ClaimWarning(reason=Reason.INVALID_TTL, field="ttl", value="ten\n", allowed="seconds")
    claims: list[Claim] = [
        InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a b", allowed="a name"),
        replace(build_claim("web", "web"), warning_groups=((warning,),)),
        UnresolvedClaim(
            name=host("web"), set_identifier="", provenance=origin("web"), reason=Reason.NO_ADDRESS, detail=""
        ),
    ]
    messages = record_events(lambda recorder: recorder.record_invalid_claims(claims))
    assert [(message.reason, message.text) for message in messages] == [
        ("InvalidName", "annotation: 'a b' is not valid; allowed: a name [invalid-name]"),
        ("InvalidTtl", "ttl: 'ten\\\\n' is not valid; allowed: seconds [invalid-ttl]"),
    ]


def test_an_object_whose_claims_cannot_be_computed_gets_an_event() -> None:
    (message,) = record_events(lambda recorder: recorder.record_failure(WEB, "there is no Ingress infra/gone"))
    assert (message.regarding, message.source, message.reason) == (WEB, "service", "ObjectFailed")
    assert message.text == (
        "The claims of the object, or of another one that may request the record, could not be computed, or planning "
        "the record or its name failed with an error. Existing records stay. "
        "there is no Ingress infra/gone [object-failed]"
    )
    assert not record_events(lambda recorder: recorder.record_failure(WEB, "broken"), problems=False)


def test_each_object_whose_deletes_are_held_gets_one_event_with_the_approve_command() -> None:
    waiting = [build_held(f"h{number}") for number in range(7)] + [
        build_held("x", resource="service/shop/x"),
        build_held("y", resource="gone/shop/y"),
    ]
    held = build_held_set("7f3a-91c2", *waiting, namespace="shop")
    first, second = record_events(lambda recorder: recorder.record_held_deletes(held))
    assert (first.regarding, second.regarding) == (WEB, ObjectKey(SERVICE, "shop", "x"))
    assert first.text == (
        "Deletes are HELD in namespace shop in zone example.org: h0.example.org A [object-deleted], "
        "h1.example.org A [object-deleted], h2.example.org A [object-deleted], h3.example.org A [object-deleted], "
        "h4.example.org A [object-deleted], .... To see them: extdns status. "
        "To approve them: extdns approve 7f3a-91c2 [held]"
    )
    assert not record_events(lambda recorder: recorder.record_held_deletes(build_held_set("")))


def test_without_saved_state_the_event_about_held_deletes_names_the_flag_that_approves_them() -> None:
    config = parse(["--source=service", "--provider=inmemory", "--state-configmap="], {})
    held = build_held_set("7f3a-91c2", build_held("web"))
    (message,) = record_events(
        lambda recorder: recorder.record_held_deletes(held), approve=partial(format_approve_command, config)
    )
    assert "To approve them: extdns --approve=7f3a-91c2 [flags] [held]" in message.text


def test_the_approve_command_fits_into_an_event_about_names_of_any_length() -> None:
    long = ".".join(["x" * 60] * 3)
    held = build_held_set("7f3a-91c2", *(build_held(f"{number}.{long}") for number in range(7)))
    (message,) = record_events(lambda recorder: recorder.record_held_deletes(held))
    assert len(message.text) <= 1024


def test_held_deletes_whose_object_is_unknown_give_no_event() -> None:
    held = build_held_set(
        "c",
        build_held("a", resource=""),
        build_held("b", resource="service/b"),
        build_held("c", resource="service/"),
    )
    assert not record_events(lambda recorder: recorder.record_held_deletes(held))
