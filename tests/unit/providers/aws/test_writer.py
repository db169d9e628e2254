"""Batches sent to the strict fake, each once."""

from __future__ import annotations

import pytest

from extdns.model.change import Write
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.pairs import Pairs
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.aws.client import Client
from providers.aws.reader import Route53Reader
from providers.aws.settings import AwsSettings
from providers.aws.writer import Route53Writer
from providers.remote.writing import Writing
from tests.conformance.provider import batch_of, create, delete, restate, update
from tests.fakes.route53.errors import still_busy, throttle
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import client
from tests.unit.providers.aws.made import ALB, endpoint

ALIAS = {"alias": "true"}
WWW = create("www.example.org", "A", "192.0.2.1")


class Desk:
    """A zone, and a writer that sends to it."""

    def __init__(self, fake: Route53, account: Client, *, conditional: bool = True) -> None:
        self.fake = fake
        self.zone_id = fake.add_zone("example.org")
        self.reader = Route53Reader(AwsSettings(), {"": account})
        self.writer = Route53Writer({"": account}, conditional=conditional)
        self.zone: Zone = self.reader.zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, batch_of(self.zone, writes))

    def sent(self) -> list[str]:
        call = self.fake.log.calls()[-1]
        return [f"{change.action} {change.record.name} {change.record.type}" for change in call.changes]

    def writes(self) -> int:
        return sum(call.action == CHANGE for call in self.fake.log.calls())


@pytest.fixture
def desk(fake: Route53, account: Client) -> Desk:
    return Desk(fake, account)


def test_an_update_deletes_what_stood_before_it_creates_anything(desk: Desk) -> None:
    outcome = desk.submit(WWW, create("a-www.example.org", "TXT", '"m"'))
    assert isinstance(outcome, Applied)
    assert outcome.reference
    mark, record = outcome.records
    desk.submit(restate(mark), update(record, "192.0.2.2"))
    assert desk.sent() == [
        "DELETE a-www.example.org. TXT",
        "DELETE www.example.org. A",
        "CREATE a-www.example.org. TXT",
        "CREATE www.example.org. A",
    ]


def test_an_alias_within_the_zone_is_created_after_its_target(desk: Desk) -> None:
    alias = endpoint("A", "www.example.org", name="a.example.org", props=ALIAS)
    outcome = desk.submit(Write(old=None, new=alias), WWW)
    assert isinstance(outcome, Applied)
    assert desk.sent() == ["CREATE www.example.org. A", "CREATE a.example.org. A"]


def test_aliases_of_aliases_are_created_from_the_far_end_and_rings_are_refused(desk: Desk) -> None:
    chain = [(name, f"{target}.example.org") for name, target in zip("abcd", "bcda", strict=True)]
    made = [Write(old=None, new=endpoint("A", to, name=f"{at}.example.org", props=ALIAS)) for at, to in chain]
    assert isinstance(desk.submit(*made), Refused)
    made[3] = create("d.example.org", "A", "192.0.2.1")
    assert isinstance(desk.submit(*made), Applied)
    assert [line[7] for line in desk.sent()] == ["d", "c", "b", "a"]


def test_an_alias_without_its_target_is_to_blame_and_not_a_name_that_others_point_at(desk: Desk) -> None:
    lost = endpoint("AAAA", "www.example.org", name="a.example.org", props=ALIAS)
    outcome = desk.submit(Write(old=None, new=lost), WWW)
    assert isinstance(outcome, Refused)
    assert outcome.culprits == ("a.example.org",)


def test_what_was_written_is_remembered_as_it_will_be_read(desk: Desk) -> None:
    alias = endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "true"})
    routed = endpoint("A", name="w.example.org", sid="x", props={"aws/weight": "7"})
    outcome = desk.submit(Write(old=None, new=alias), Write(old=None, new=routed))
    assert isinstance(outcome, Applied)
    page = desk.reader.page(desk.zone, None).records
    assert set(outcome.records) < set(page)


def test_a_record_in_another_spelling_is_deleted_as_it_stands(desk: Desk) -> None:
    odd = {"Name": "c.example.org", "Type": "CNAME", "TTL": 7, "ResourceRecords": ["LB.Example.net."]}
    desk.fake.put(desk.zone_id, odd)
    held = next(record for record in desk.reader.page(desk.zone, None).records if record.type == "CNAME")
    assert isinstance(desk.submit(delete(held)), Applied)


def test_another_zone_id_behind_an_alias_is_a_conflict(desk: Desk) -> None:
    alias = endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "true"})
    outcome = desk.submit(Write(old=None, new=alias))
    assert isinstance(outcome, Applied)
    target = {"HostedZoneId": "ZOTHER", "DNSName": f"{ALB}.", "EvaluateTargetHealth": True}
    desk.fake.put(desk.zone_id, {"Name": "www.example.org", "Type": "A", "AliasTarget": target})
    assert isinstance(desk.submit(delete(outcome.records[0])), Conflict)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        pytest.param(throttle(), TryLater, "Throttling: Rate exceeded", id="throttled"),
        pytest.param(Refuse(400, still_busy().code), TryLater, "PriorRequestNotComplete", id="still-busy"),
        pytest.param(Refuse(503, "ServiceUnavailable"), TryLater, "ServiceUnavailable", id="503"),
        pytest.param(Refuse(500, "InternalFailure"), TryLater, "InternalFailure", id="500"),
        pytest.param(Refuse(403, "ExpiredToken"), TryLater, "ExpiredToken", id="credentials-expired"),
        pytest.param(Refuse(400, "InvalidInput", "no"), Refused, "InvalidInput: no", id="wrong"),
        pytest.param(Drop(), Unknown, "ConnectionClosedError", id="lost-before"),
        pytest.param(Drop(worked=True), Unknown, "ConnectionClosedError", id="lost-after"),
    ],
)
def test_a_batch_is_sent_once_whatever_becomes_of_it(
    desk: Desk, fault: Refuse | Drop, kind: type[Outcome], words: str
) -> None:
    desk.fake.faults.arm(fault, action=CHANGE, times=9)
    outcome = desk.submit(WWW)
    assert type(outcome) is kind
    assert not isinstance(outcome, Applied)
    assert words in outcome.message
    assert outcome.message.startswith(f"route53:ChangeResourceRecordSets on zone example.org ({desk.zone_id}): ")
    assert desk.writes() == 1


def test_a_service_that_cannot_be_reached_is_asked_later(desk: Desk) -> None:
    desk.fake.kill()
    outcome = desk.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "EndpointConnectionError" in outcome.message


def test_a_missing_right_is_told_with_the_action_that_it_is_for(desk: Desk) -> None:
    desk.fake.access.deny(CHANGE, names=["www.example.org"])
    outcome = desk.submit(WWW)
    assert isinstance(outcome, Forbidden)
    assert "is not authorized to perform: route53:ChangeResourceRecordSets" in outcome.message


def test_every_culprit_of_a_batch_is_named_in_one_answer(desk: Desk) -> None:
    desk.submit(create("c.example.org", "CNAME", "x.example.net"), create("d.example.org", "CNAME", "x.example.net"))
    outcome = desk.submit(WWW, create("c.example.org", "A", "192.0.2.1"), create("d.example.org", "A", "192.0.2.1"))
    assert isinstance(outcome, Refused)
    assert outcome.culprits == ("c.example.org", "d.example.org")


def test_unless_conditional_an_update_asks_nothing(fake: Route53, account: Client) -> None:
    desk = Desk(fake, account, conditional=False)
    outcome = desk.submit(WWW)
    assert isinstance(outcome, Applied)
    (held,) = outcome.records
    fake.put(desk.zone_id, {"Name": "www.example.org", "Type": "A", "TTL": 9, "ResourceRecords": ["192.0.2.99"]})
    assert isinstance(desk.submit(update(held, "192.0.2.2")), Applied)
    assert desk.sent() == ["UPSERT www.example.org. A"]


def test_unless_conditional_a_change_of_kind_is_still_an_exchange(fake: Route53, account: Client) -> None:
    desk = Desk(fake, account, conditional=False)
    outcome = desk.submit(WWW)
    assert isinstance(outcome, Applied)
    alias = endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "true"})
    assert isinstance(desk.submit(Write(old=outcome.records[0], new=alias)), Applied)
    assert desk.sent() == ["DELETE www.example.org. A", "CREATE www.example.org. A"]


def test_what_is_too_large_as_an_overwriting_is_exchanged(fake: Route53, account: Client) -> None:
    desk = Desk(fake, account, conditional=False)
    one, many = ((f'"{number:03d}{"x" * 200}"' for number in range(most)) for most in (1, 100))
    outcome = desk.submit(create("t.example.org", "TXT", *one))
    assert isinstance(outcome, Applied)
    assert isinstance(desk.submit(update(outcome.records[0], *many)), Applied)
    assert desk.sent() == ["DELETE t.example.org. TXT", "CREATE t.example.org. TXT"]


def test_a_zone_of_an_account_that_is_not_configured_is_left_for_later(desk: Desk) -> None:
    stray = Zone(name=desk.zone.name, id=desk.zone.id, account="x")
    assert isinstance(desk.writer.submit(stray, batch_of(stray, [WWW])), TryLater)


def test_a_long_text_goes_out_in_parts_and_comes_back_whole(desk: Desk) -> None:
    text = f'"{"x" * 600}"'
    outcome = desk.submit(create("t.example.org", "TXT", text))
    assert isinstance(outcome, Applied)
    assert outcome.records[0].targets == (text,)
    assert outcome.records[0].properties == Pairs()
    assert isinstance(desk.submit(delete(outcome.records[0])), Applied)


def written(desk: Desk, *names: str) -> list[Record]:
    """What stands at *names*, which are ours now."""
    outcome = desk.submit(*(create(f"{name}.example.org", "A", "192.0.2.1") for name in names))
    assert isinstance(outcome, Applied)
    return list(outcome.records)


def edit(desk: Desk, name: str) -> None:
    """Somebody writes something else at *name*."""
    edited = {"Name": f"{name}.example.org", "Type": "A", "TTL": 9, "ResourceRecords": ["192.0.2.99"]}
    desk.fake.put(desk.zone_id, edited)


def test_where_only_deleting_is_forbidden_updates_overwrite_and_say_so(desk: Desk) -> None:
    (held,) = written(desk, "www")
    desk.fake.access.allow(CHANGE, actions=["CREATE", "UPSERT"])
    for target in ("192.0.2.2", "192.0.2.3"):
        again = desk.submit(update(held, target))
        assert isinstance(again, Applied)
        assert again.unconditional
        (held,) = again.records
    assert isinstance(desk.submit(delete(held)), Forbidden)
    assert isinstance(desk.submit(update(held, "192.0.2.4"), delete(held)), Forbidden)


def test_a_name_that_may_not_be_written_does_not_make_others_be_overwritten(desk: Desk) -> None:
    bad, good = written(desk, "bad", "good")
    desk.fake.access.deny(CHANGE, names=["bad.example.org"])
    assert isinstance(desk.submit(update(bad, "192.0.2.2")), Forbidden)
    edit(desk, "good")
    assert isinstance(desk.submit(update(good, "192.0.2.2")), Conflict)
    assert isinstance(desk.submit(update(bad, "192.0.2.2"), update(good, "192.0.2.2")), Forbidden)


def test_a_delete_that_is_forbidden_does_not_make_others_be_overwritten(desk: Desk) -> None:
    bad, good = written(desk, "bad", "good")
    desk.fake.access.deny(CHANGE, names=["bad.example.org"])
    before = desk.writes()
    assert isinstance(desk.submit(delete(bad)), Forbidden)
    assert desk.writes() == before + 1
    edit(desk, "good")
    assert isinstance(desk.submit(update(good, "192.0.2.2")), Conflict)


def test_where_the_right_to_delete_is_back_nothing_is_overwritten(desk: Desk) -> None:
    (held,) = written(desk, "www")
    desk.fake.faults.arm(Refuse(403, "AccessDenied", "not authorized"), action=CHANGE, times=1)
    again = desk.submit(update(held, "192.0.2.2"))
    assert isinstance(again, Applied)
    edit(desk, "www")
    assert isinstance(desk.submit(update(again.records[0], "192.0.2.3")), Conflict)


def test_a_batch_that_may_not_begin_any_more_when_it_is_signed_is_not_sent(fake: Route53) -> None:
    desk = Desk(fake, client(fake, writing=Writing(may_begin=lambda: False)))
    outcome = desk.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "route53:ChangeResourceRecordSets: NotLeading: this process does not lead" in outcome.message
    assert desk.writes() == 0
