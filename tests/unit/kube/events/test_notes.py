"""What is said of decisions, mistakes, batches and held deletes."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.kube.events.notes import Note, Notes
from extdns.model.change import Batch, ChangeSet, Delete
from extdns.model.claim import Claim, Invalid, Notice, Withheld
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision, Verdict
from extdns.model.evidence import Evidence
from extdns.model.held import Held
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from tests.unit.engine.stage import SERVICE, ZONE, host, origin, record, ref, wants

WEB: Final = ObjectKey(SERVICE, "shop", "web")
ALL: Final = ("RecordReady", "RecordDeleted")


def notes(*chosen: str, problems: bool = True) -> Notes:
    return Notes(owner="me", kinds={"service": SERVICE}, chosen=chosen, problems=problems)


def owned(at: str, resource: str = "service/shop/web") -> Owned:
    return Owned(record=record(at, "192.0.2.1"), owner="me", ours=True, labels=Pairs((("resource", resource),)))


def held(at: str, resource: str = "service/shop/web") -> Held:
    return Held(owned=owned(at, resource), evidence=Evidence.OBJECT_DELETED)


def decision(verdict: Verdict, reason: Reason, *, stands: bool = False) -> Decision:
    return Decision(
        zone=ZONE,
        name=host("web"),
        set_identifier="",
        type="A",
        verdict=verdict,
        reason=reason,
        detail="more of it",
        wanted=wants("web", "web").endpoint,
        held=owned("web") if stands else None,
        asked_by=(origin("web"),),
    )


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        pytest.param(decision(Verdict.NONE, Reason.CONFLICT_LOST), "ConflictLost", id="conflict"),
        pytest.param(decision(Verdict.NONE, Reason.OWNED_BY_OTHER), "OwnedByOther", id="another-owner"),
        pytest.param(decision(Verdict.NONE, Reason.INVALID_TARGET), "InvalidTarget", id="invalid"),
        pytest.param(decision(Verdict.NONE, Reason.REFUSED), "RecordError", id="refused-in-the-reference's-word"),
        pytest.param(decision(Verdict.KEEP, Reason.NO_ADDRESS, stands=True), "Stale", id="stale"),
        pytest.param(decision(Verdict.NONE, Reason.NO_ADDRESS), None, id="not-published-yet-is-no-problem"),
        pytest.param(decision(Verdict.CREATE, Reason.WANTED), None, id="on-its-way"),
        pytest.param(decision(Verdict.KEEP, Reason.PROGRAMMED, stands=True), None, id="all-well"),
        pytest.param(decision(Verdict.NONE, Reason.NO_ZONE), None, id="another-instance-may-have-the-zone"),
    ],
)
def test_problems_are_said_to_whoever_asks(problem: Decision, reason: str | None) -> None:
    said = list(notes().of_decisions([problem]))
    assert [note.reason for note in said] == ([reason] if reason else [])
    for note in said:
        assert (note.about, note.source, note.warns) == (ref("web"), "service", True)
        assert note.text.startswith("web.example.org A: ")
        assert note.text.endswith(f" more of it [{problem.reason}]")


def test_problems_can_be_left_out() -> None:
    quiet = notes(problems=False)
    assert not list(quiet.of_decisions([decision(Verdict.NONE, Reason.CONFLICT_LOST)]))
    assert not list(
        quiet.of_mistakes([Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value="", allowed="")])
    )
    assert not list(quiet.of_held(ZONE, "c", [held("web")]))


def test_what_came_to_stand_is_said_once_if_that_was_asked_for() -> None:
    steps = [
        decision(Verdict.KEEP, Reason.PROGRAMMED, stands=True),  # at start
        decision(Verdict.CREATE, Reason.WANTED),
        decision(Verdict.KEEP, Reason.PROGRAMMED, stands=True),
        decision(Verdict.KEEP, Reason.PROGRAMMED, stands=True),
        decision(Verdict.UPDATE, Reason.CHANGED, stands=True),
        decision(Verdict.KEEP, Reason.PROGRAMMED, stands=True),
    ]
    said = list(notes("RecordReady").of_decisions(steps))
    assert [(note.reason, note.action, note.warns) for note in said] == [
        ("RecordReady", "Created", False),
        ("RecordReady", "Updated", False),
    ]
    assert said[0].text == "(external-dns) record:web.example.org,owner:me,type:A,ttl:300,targets:192.0.2.1"
    assert not list(notes().of_decisions(steps))


def test_what_was_deleted_is_said_to_the_object_that_it_was_made_for() -> None:
    gone = Delete(held=owned("web"), evidence=Evidence.HOSTNAME_REMOVED)
    batch = Batch(number=1, zone=ZONE, sets=(ChangeSet(zone=ZONE, name=host("web"), changes=(gone,)),))
    (note,) = notes(*ALL).of_batch(batch)
    assert (note.about, note.reason, note.action) == (WEB, "RecordDeleted", "Deleted")
    assert not list(notes().of_batch(batch))


def test_mistakes_are_said_with_what_is_allowed() -> None:
    wrong = Notice(reason=Reason.INVALID_TTL, field="ttl", value="ten\n", allowed="seconds")
    claims: list[Claim] = [
        Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a b", allowed="a name"),
        replace(wants("web", "web"), notices=(wrong,)),
        Withheld(name=host("web"), set_identifier="", provenance=origin("web"), reason=Reason.NO_ADDRESS, detail=""),
    ]
    assert [(note.reason, note.text) for note in notes().of_mistakes(claims)] == [
        ("InvalidName", "annotation: 'a b' is not valid; allowed: a name [invalid-name]"),
        ("InvalidTtl", "ttl: 'ten\\\\n' is not valid; allowed: seconds [invalid-ttl]"),
    ]


def test_what_cannot_be_computed_is_said_to_the_object() -> None:
    (note,) = notes().of_failure(WEB, "there is no Ingress infra/gone")
    assert (note.about, note.source, note.reason) == (WEB, "service", "ObjectFailed")
    assert note.text == (
        "What the object asks for could not be computed; what is published for it stays. "
        "there is no Ingress infra/gone [object-failed]"
    )
    assert not list(notes(problems=False).of_failure(WEB, "broken"))


def test_held_deletes_are_said_once_an_object_with_the_command_that_releases_them() -> None:
    waiting = [held(f"h{number}") for number in range(7)] + [held("x", "service/shop/x"), held("y", "gone/shop/y")]
    first, second = notes().of_held(ZONE, "7f3a-91c2", waiting)
    assert (first.about, second.about) == (WEB, ObjectKey(SERVICE, "shop", "x"))
    assert first.text == (
        "Deletes are HELD in zone example.org, among them h0.example.org A [object-deleted], "
        "h1.example.org A [object-deleted], h2.example.org A [object-deleted], h3.example.org A [object-deleted], "
        "h4.example.org A [object-deleted], .... Look: extdns status. Release: extdns release 7f3a-91c2 [held]"
    )
    assert not list(notes().of_held(ZONE, "", ()))


def test_the_command_fits_whatever_the_names() -> None:
    long = ".".join(["x" * 60] * 3)
    (note,) = notes().of_held(ZONE, "7f3a-91c2", [held(f"{number}.{long}") for number in range(7)])
    assert len(note.text) <= 1024


def test_a_note_of_nobody_is_not_written() -> None:
    nameless: list[Note] = list(
        notes().of_held(ZONE, "c", [held("a", ""), held("b", "service/b"), held("c", "service/")])
    )
    assert nameless == []
