"""Emulators of Route 53 that refuse to create what they do not have: batches become UPSERTs after a read.

The strict fake answers as Route 53 does, except where a test arms the response of an emulator.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Applied, Outcome, Write, WriteConflict
from extdns.model.record import Record
from providers.aws.client import Route53Api
from tests.conformance.provider import create, delete, restate, update
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.unit.providers.aws.test_writer import WritableZone, edit
from tests.unit.providers.desired import endpoint

WWW = create("www.example.org", "A", "192.0.2.1")
TXT = create("a-www.example.org", "TXT", '"m"')
MISMATCH = (
    "Tried to delete resource record set [name='www.example.org.', type='A'] "
    "but the values provided do not match the current values"
)
REPEATED = "The request contains an invalid set of changes for a resource record set 'A www.example.org.'"


def exists(name: str, rtype: str = "A", more: str = "") -> str:
    return (
        f"Tried to create resource record set [name='{name}.example.org.', type='{rtype}'{more}] but it already exists"
    )


class EmulatedZone(WritableZone):
    """A zone whose service can be told to refuse the next batches as an emulator does."""

    def refuse(self, *messages: str, times: int = 1) -> None:
        fault = Refuse(400, "InvalidChangeBatch", ", ".join(messages))
        self.fake.faults.arm(fault, action=CHANGE, times=times)

    def make(self, *writes: Write) -> tuple[Record, ...]:
        outcome = self.submit(*writes)
        assert isinstance(outcome, Applied)
        return outcome.records


@pytest.fixture
def emulated(fake: Route53, account: Route53Api) -> EmulatedZone:
    return EmulatedZone(fake, account)


def is_overwritten(outcome: Outcome) -> bool:
    return isinstance(outcome, Applied) and outcome.unconditional


def test_an_update_is_overwritten_if_what_the_batch_deletes_is_said_to_exist_and_later_batches_at_once(
    emulated: EmulatedZone,
) -> None:
    ownership, held = emulated.make(WWW, TXT)
    emulated.refuse(exists("a-www", "TXT"))
    assert is_overwritten(emulated.submit(restate(ownership), update(held, "192.0.2.2")))
    assert emulated.sent() == ["UPSERT a-www.example.org. TXT", "UPSERT www.example.org. A"]
    before = emulated.writes()
    assert is_overwritten(emulated.submit(create("new.example.org", "A", "192.0.2.1"), delete(ownership)))
    assert emulated.sent() == ["DELETE a-www.example.org. TXT", "UPSERT new.example.org. A"]
    assert emulated.writes() == before + 1


def test_a_record_that_another_writer_changed_before_the_read_is_not_overwritten(emulated: EmulatedZone) -> None:
    ownership, held = emulated.make(WWW, TXT)
    edit(emulated, "www")
    emulated.refuse(exists("a-www", "TXT"))
    outcome = emulated.submit(restate(ownership), update(held, "192.0.2.2"))
    assert isinstance(outcome, WriteConflict)
    assert outcome.offending_names == ("www.example.org",)
    assert isinstance(emulated.submit(create("www.example.org", "A", "192.0.2.3")), WriteConflict)


def test_a_sentence_without_a_set_identifier_counts_only_if_the_batch_deletes_all_sets_that_it_can_mean(
    emulated: EmulatedZone,
) -> None:
    blue, green, red = (
        endpoint("A", name="w.example.org", sid=sid, props={"aws/weight": "1"}) for sid in ("blue", "green", "red")
    )
    held = emulated.make(Write(old=None, new=blue), Write(old=None, new=green))
    restated = [Write(old=old, new=new) for old, new in zip(held, (blue, green), strict=True)]
    emulated.refuse(exists("w"))
    assert isinstance(emulated.submit(*restated, Write(old=None, new=red)), WriteConflict)
    emulated.refuse(exists("w"))
    assert is_overwritten(emulated.submit(*restated))


def test_what_a_batch_does_not_delete_is_overwritten_after_the_second_refusal_in_a_row_if_the_zone_lacks_it(
    emulated: EmulatedZone,
) -> None:
    other = create("other.example.org", "A", "192.0.2.1")
    emulated.refuse(exists("www"))
    assert isinstance(emulated.submit(WWW, TXT), WriteConflict)
    assert not is_overwritten(emulated.submit(other))
    emulated.refuse(exists("www"))
    assert isinstance(emulated.submit(WWW, TXT), WriteConflict)
    emulated.refuse(exists("www"))
    assert is_overwritten(emulated.submit(WWW, TXT))


def test_what_a_batch_does_not_delete_is_never_overwritten_at_an_endpoint_of_amazon(
    emulated: EmulatedZone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Route53Api, "has_amazon_endpoint", lambda _: True)
    emulated.refuse(exists("www"), times=3)
    assert {type(emulated.submit(WWW, TXT)) for _ in range(3)} == {WriteConflict}
    assert emulated.writes() == 3


def test_a_record_that_exists_in_the_zone_is_never_overwritten(emulated: EmulatedZone) -> None:
    record = {"Name": "www.example.org", "Type": "A", "TTL": 300, "ResourceRecords": ["192.0.2.99"]}
    emulated.fake.put(emulated.zone_id, record)
    before = emulated.fake.records(emulated.zone_id)
    assert {type(emulated.submit(WWW, TXT)) for _ in range(3)} == {WriteConflict}
    assert emulated.fake.records(emulated.zone_id) == before


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((MISMATCH, exists("www")), id="delete-failed-too"),
        pytest.param((exists("www", more=", set-identifier='x'"),), id="another-set"),
        pytest.param((exists("other"),), id="another-name"),
        pytest.param((exists("www"), REPEATED), id="invalid"),
    ],
)
def test_an_answer_that_route53_can_give_stays_a_conflict_or_refusal(
    emulated: EmulatedZone, answer: tuple[str, ...]
) -> None:
    (held,) = emulated.make(WWW)
    for _ in range(3):
        emulated.refuse(*answer)
        assert not isinstance(emulated.submit(update(held, "192.0.2.2")), Applied)
    edit(emulated, "www")
    assert isinstance(emulated.submit(update(held, "192.0.2.2")), WriteConflict)
    assert all(not line.startswith("UPSERT") for line in emulated.sent())


def test_an_edit_that_the_strict_fake_refuses_is_reported_with_both_sentences_and_never_overwritten(
    emulated: EmulatedZone,
) -> None:
    (held,) = emulated.make(WWW)
    edit(emulated, "www")
    for _ in range(3):
        outcome = emulated.submit(update(held, "192.0.2.2"))
        assert isinstance(outcome, WriteConflict)
        assert "Tried to delete" in outcome.message
        assert "Tried to create" in outcome.message
