"""Send batches to the fake Route 53, each once."""

from __future__ import annotations

import pytest

from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.aws.client import Route53Api
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.settings import AwsSettings
from providers.common.api_calls import CallOptions
from tests.conformance.provider import build_batch, create, delete, restate, update
from tests.fakes.route53.errors import build_throttling_fault, build_zone_busy
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse
from tests.route53 import client
from tests.unit.providers.aws.route53_values import ALB
from tests.unit.providers.desired import endpoint

ALIAS = {"alias": "true"}
WWW = create("www.example.org", "A", "192.0.2.1")


class WritableZone:
    """A zone of the fake Route 53, and the writer under test, which sends batches to it."""

    def __init__(self, fake: Route53, account: Route53Api, *, conditional: bool = True) -> None:
        self.fake = fake
        self.zone_id = fake.add_zone("example.org")
        self.reader = Route53Reader(AwsSettings(), {"": account})
        self.writer = Route53Writer({"": account}, conditional=conditional)
        self.zone: Zone = self.reader.list_zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, build_batch(self.zone, writes))

    def sent(self) -> list[str]:
        call = self.fake.log.calls()[-1]
        return [f"{change.action} {change.record.name} {change.record.type}" for change in call.changes]

    def writes(self) -> int:
        return sum(call.action == CHANGE for call in self.fake.log.calls())


@pytest.fixture
def writable(fake: Route53, account: Route53Api) -> WritableZone:
    return WritableZone(fake, account)


def test_an_update_is_sent_as_deletes_followed_by_creates(writable: WritableZone) -> None:
    outcome = writable.submit(WWW, create("a-www.example.org", "TXT", '"m"'))
    assert isinstance(outcome, Applied)
    assert outcome.change_id
    ownership_record, record = outcome.records
    writable.submit(restate(ownership_record), update(record, "192.0.2.2"))
    assert writable.sent() == [
        "DELETE a-www.example.org. TXT",
        "DELETE www.example.org. A",
        "CREATE a-www.example.org. TXT",
        "CREATE www.example.org. A",
    ]


def test_aliases_to_aliases_are_created_from_the_last_target_on_and_loops_are_refused(writable: WritableZone) -> None:
    chain = [(name, f"{target}.example.org") for name, target in zip("abcd", "bcda", strict=True)]
    made = [Write(old=None, new=endpoint("A", to, name=f"{at}.example.org", props=ALIAS)) for at, to in chain]
    assert isinstance(writable.submit(*made), Refused)
    made[3] = create("d.example.org", "A", "192.0.2.1")
    assert isinstance(writable.submit(*made), Applied)
    assert [line[7] for line in writable.sent()] == ["d", "c", "b", "a"]


def test_deleting_an_alias_whose_target_zone_was_changed_is_a_write_conflict(writable: WritableZone) -> None:
    alias = endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "true"})
    outcome = writable.submit(Write(old=None, new=alias))
    assert isinstance(outcome, Applied)
    target = {"HostedZoneId": "ZOTHER", "DNSName": f"{ALB}.", "EvaluateTargetHealth": True}
    writable.fake.put(writable.zone_id, {"Name": "www.example.org", "Type": "A", "AliasTarget": target})
    assert isinstance(writable.submit(delete(outcome.records[0])), WriteConflict)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        pytest.param(build_throttling_fault(), TryLater, "Throttling: Rate exceeded", id="throttled"),
        pytest.param(Refuse(400, build_zone_busy().code), TryLater, "PriorRequestNotComplete", id="still-busy"),
        pytest.param(Refuse(503, "ServiceUnavailable"), TryLater, "ServiceUnavailable", id="503"),
        pytest.param(Refuse(500, "InternalFailure"), Unknown, "InternalFailure", id="500"),
        pytest.param(Refuse(403, "ExpiredToken"), TryLater, "ExpiredToken", id="credentials-expired"),
        pytest.param(Refuse(400, "InvalidInput", "no"), Refused, "InvalidInput: no", id="wrong"),
        pytest.param(Drop(), Unknown, "ConnectionClosedError", id="lost-before"),
        pytest.param(Drop(worked=True), Unknown, "ConnectionClosedError", id="lost-after"),
    ],
)
def test_a_create_that_fails_is_sent_only_once_even_if_its_response_is_lost(
    writable: WritableZone, fault: Refuse | Drop, kind: type[Outcome], words: str
) -> None:
    writable.fake.faults.arm(fault, action=CHANGE, times=9)
    outcome = writable.submit(WWW)
    assert type(outcome) is kind
    assert not isinstance(outcome, Applied)
    assert words in outcome.message
    assert outcome.message.startswith(f"route53:ChangeResourceRecordSets on zone example.org ({writable.zone_id}): ")
    assert writable.writes() == 1


def test_a_write_to_an_unreachable_service_can_be_tried_again_later(writable: WritableZone) -> None:
    writable.fake.kill()
    outcome = writable.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "EndpointConnectionError" in outcome.message


def test_without_conditional_writes_an_update_overwrites_whatever_exists(fake: Route53, account: Route53Api) -> None:
    writable = WritableZone(fake, account, conditional=False)
    outcome = writable.submit(WWW)
    assert isinstance(outcome, Applied)
    (held,) = outcome.records
    fake.put(writable.zone_id, {"Name": "www.example.org", "Type": "A", "TTL": 9, "ResourceRecords": ["192.0.2.99"]})
    assert isinstance(writable.submit(update(held, "192.0.2.2")), Applied)
    assert writable.sent() == ["UPSERT www.example.org. A"]


def test_without_conditional_writes_a_change_between_alias_and_values_is_sent_as_delete_and_create(
    fake: Route53, account: Route53Api
) -> None:
    writable = WritableZone(fake, account, conditional=False)
    outcome = writable.submit(WWW)
    assert isinstance(outcome, Applied)
    alias = endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "true"})
    assert isinstance(writable.submit(Write(old=outcome.records[0], new=alias)), Applied)
    assert writable.sent() == ["DELETE www.example.org. A", "CREATE www.example.org. A"]


def test_an_update_too_large_for_an_upsert_is_sent_as_delete_and_create(fake: Route53, account: Route53Api) -> None:
    writable = WritableZone(fake, account, conditional=False)
    one, many = ((f'"{number:03d}{"x" * 200}"' for number in range(most)) for most in (1, 100))
    outcome = writable.submit(create("t.example.org", "TXT", *one))
    assert isinstance(outcome, Applied)
    assert isinstance(writable.submit(update(outcome.records[0], *many)), Applied)
    assert writable.sent() == ["DELETE t.example.org. TXT", "CREATE t.example.org. TXT"]


def test_a_write_to_a_zone_of_an_account_that_is_not_configured_is_tried_later(writable: WritableZone) -> None:
    stray = Zone(name=writable.zone.name, id=writable.zone.id, account="x")
    assert isinstance(writable.writer.submit(stray, build_batch(stray, [WWW])), TryLater)


def create_records(writable: WritableZone, *names: str) -> list[Record]:
    outcome = writable.submit(*(create(f"{name}.example.org", "A", "192.0.2.1") for name in names))
    assert isinstance(outcome, Applied)
    return list(outcome.records)


def edit(writable: WritableZone, name: str) -> None:
    """Change the record at *name* in the fake directly, as another tool would."""
    edited = {"Name": f"{name}.example.org", "Type": "A", "TTL": 9, "ResourceRecords": ["192.0.2.99"]}
    writable.fake.put(writable.zone_id, edited)


def test_updates_are_sent_as_upserts_and_marked_unconditional_if_deletes_are_forbidden(
    writable: WritableZone,
) -> None:
    (held,) = create_records(writable, "www")
    writable.fake.access.allow(CHANGE, actions=["CREATE", "UPSERT"])
    for target in ("192.0.2.2", "192.0.2.3"):
        again = writable.submit(update(held, target))
        assert isinstance(again, Applied)
        assert again.unconditional
        (held,) = again.records
    assert isinstance(writable.submit(delete(held)), Forbidden)
    assert isinstance(writable.submit(update(held, "192.0.2.4"), delete(held)), Forbidden)


def test_the_outcome_of_an_upsert_whose_response_is_lost_says_that_another_one_could_overwrite_an_edit(
    fake: Route53, account: Route53Api
) -> None:
    writable = WritableZone(fake, account, conditional=False)
    (held,) = create_records(writable, "www")
    writable.fake.faults.arm(Drop(), action=CHANGE, times=1)
    outcome = writable.submit(update(held, "192.0.2.2"))
    assert isinstance(outcome, Unknown)
    assert outcome.unconditional


def test_a_forbidden_name_does_not_make_updates_of_other_names_unconditional(writable: WritableZone) -> None:
    bad, good = create_records(writable, "bad", "good")
    writable.fake.access.deny(CHANGE, names=["bad.example.org"])
    assert isinstance(writable.submit(update(bad, "192.0.2.2")), Forbidden)
    edit(writable, "good")
    assert isinstance(writable.submit(update(good, "192.0.2.2")), WriteConflict)
    assert isinstance(writable.submit(update(bad, "192.0.2.2"), update(good, "192.0.2.2")), Forbidden)


def test_a_forbidden_delete_does_not_make_updates_of_other_names_unconditional(writable: WritableZone) -> None:
    bad, good = create_records(writable, "bad", "good")
    writable.fake.access.deny(CHANGE, names=["bad.example.org"])
    before = writable.writes()
    assert isinstance(writable.submit(delete(bad)), Forbidden)
    assert writable.writes() == before + 1
    edit(writable, "good")
    assert isinstance(writable.submit(update(good, "192.0.2.2")), WriteConflict)


def test_once_deletes_are_permitted_again_updates_are_conditional_again(writable: WritableZone) -> None:
    (held,) = create_records(writable, "www")
    writable.fake.faults.arm(Refuse(403, "AccessDenied", "not authorized"), action=CHANGE, times=1)
    again = writable.submit(update(held, "192.0.2.2"))
    assert isinstance(again, Applied)
    edit(writable, "www")
    assert isinstance(writable.submit(update(again.records[0], "192.0.2.3")), WriteConflict)


def test_a_batch_is_not_sent_if_leadership_ends_just_before_it_is_sent(fake: Route53) -> None:
    writable = WritableZone(fake, client(fake, calls=CallOptions(can_write=lambda: False)))
    outcome = writable.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "route53:ChangeResourceRecordSets: NotLeading: this process is not the leader" in outcome.message
    assert writable.writes() == 0
