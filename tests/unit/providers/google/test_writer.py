"""Changes sent to the strict fake, each once."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from extdns.model.change import Write
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Zone
from providers.google.client import Client
from providers.google.reader import CloudDnsReader
from providers.google.settings import GoogleSettings
from providers.google.writer import CloudDnsWriter
from providers.remote.writing import Writing
from tests.clouddns import client
from tests.conformance.provider import batch_of, create, delete, restate, update
from tests.fakes.clouddns.log import CHANGE
from tests.fakes.clouddns.probe import rrset, weighted
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.unit.fakes.clouddns.document import undocumented_body, undocumented_query
from tests.unit.providers.google.made import GEO, routed

WWW = create("www.example.org", "A", "192.0.2.1")
NO_ZONE = "The 'parameters.managedZone' resource named 'main' does not exist."


class Desk:
    """A zone, and a writer that sends to it."""

    def __init__(self, fake: CloudDns, project: Client) -> None:
        self.fake = fake
        self.name = fake.add_zone("example.org", name="main")
        self.reader = CloudDnsReader(GoogleSettings(), project)
        self.writer = CloudDnsWriter(project)
        self.zone: Zone = self.reader.zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, batch_of(self.zone, writes))

    def changes(self) -> int:
        return len(self.fake.log.calls(CHANGE))

    def sent(self) -> tuple[list[str], list[str]]:
        body = self.fake.log.calls(CHANGE)[-1].body
        additions, deletions = (
            [f"{one['name']} {one['type']} {' '.join(one['rrdatas'])}" for one in body.get(part, ())]
            for part in ("additions", "deletions")
        )
        return additions, deletions


@pytest.fixture
def desk(fake: CloudDns, project: Client) -> Desk:
    return Desk(fake, project)


def test_an_update_names_exactly_what_stood(desk: Desk) -> None:
    outcome = desk.submit(WWW, create("a-www.example.org", "TXT", '"m"'))
    assert isinstance(outcome, Applied)
    assert outcome.reference == "1"
    mark, record = outcome.records
    desk.submit(restate(mark), update(record, "192.0.2.2"))
    assert desk.sent() == (
        ['a-www.example.org. TXT "m"', "www.example.org. A 192.0.2.2"],
        ['a-www.example.org. TXT "m"', "www.example.org. A 192.0.2.1"],
    )
    assert desk.changes() == 2


def test_what_was_written_is_remembered_as_it_will_be_read(desk: Desk) -> None:
    wanted = desk.reader.adjust([routed(GEO, name="g.example.org")], desk.zone).wanted[0]
    outcome = desk.submit(WWW, Write(old=None, new=wanted))
    assert isinstance(outcome, Applied)
    page = desk.reader.page(desk.zone, None).records
    assert {replace(record, exact=None) for record in outcome.records} < {replace(one, exact=None) for one in page}


def test_a_routing_policy_made_by_somebody_else_is_restated_and_deleted_without_loss(desk: Desk) -> None:
    desk.fake.put("main", weighted("www.example.org.", (1, "192.0.2.1"), (2, "192.0.2.2")))
    (held,) = desk.reader.names(desk.zone, [WWW.key.name])
    same = Endpoint(name=held.name, type=held.type, targets=held.targets, ttl_s=held.ttl_s, properties=held.properties)
    assert isinstance(desk.submit(Write(old=held, new=same)), Applied)
    (again,) = desk.fake.records("main")
    assert [item["weight"] for item in json.loads(again.policy)["wrr"]["items"]] == [1, 2]
    (held,) = desk.reader.names(desk.zone, [WWW.key.name])
    assert isinstance(desk.submit(delete(held)), Applied)
    assert desk.fake.records("main") == ()


def test_another_weight_is_a_conflict(desk: Desk) -> None:
    desk.fake.put("main", weighted("www.example.org.", (1, "192.0.2.1")))
    (held,) = desk.reader.names(desk.zone, [WWW.key.name])
    desk.fake.put("main", weighted("www.example.org.", (9, "192.0.2.1")))
    assert isinstance(desk.submit(delete(held)), Conflict)


def test_a_record_in_another_spelling_is_deleted_as_it_stands(desk: Desk) -> None:
    desk.fake.put("main", rrset("c.example.org.", "CNAME", "LB.Example.net.", ttl=7))
    held = next(record for record in desk.reader.page(desk.zone, None).records if record.type == "CNAME")
    assert isinstance(desk.submit(delete(held)), Applied)


def test_all_culprits_of_a_batch_are_named_at_once(desk: Desk) -> None:
    bad = [create(f"{label}.example.org", "A", "not-an-address") for label in ("b", "a")]
    outcome = desk.submit(WWW, *bad)
    assert isinstance(outcome, Refused)
    assert outcome.culprits == ("a.example.org", "b.example.org")
    assert "Invalid value for 'entity.change.additions[0].rrdata[0]': 'not-an-address'" in outcome.message


def test_a_change_over_quota_is_refused_with_no_one_to_blame(desk: Desk) -> None:
    desk.fake.api.quota["rrsetAdditionsPerChange"] = 1
    outcome = desk.submit(WWW, create("b.example.org", "A", "192.0.2.1"))
    assert isinstance(outcome, Refused)
    assert outcome.culprits == ()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(Refuse(429, "rateLimitExceeded", "Resource has been exhausted"), TryLater, id="429"),
        pytest.param(Refuse(403, "rateLimitExceeded"), TryLater, id="403-rate"),
        pytest.param(Refuse(403, "forbidden"), Forbidden, id="403"),
        pytest.param(Refuse(403, "accessNotConfigured"), Forbidden, id="403-API-not-enabled"),
        pytest.param(
            Refuse(403, "quotaExceeded", "Quota exceeded for quota metric 'Writes'"), TryLater, id="403-minute"
        ),
        pytest.param(Refuse(401, "authError"), TryLater, id="401"),
        pytest.param(Refuse(500, "internalError"), TryLater, id="500"),
        pytest.param(Refuse(503, "backendError"), TryLater, id="503"),
        pytest.param(Refuse(400, "badRequest"), Refused, id="400"),
        pytest.param(Refuse(413, "requestTooLarge"), Refused, id="413"),
        pytest.param(Refuse(404, "notFound", NO_ZONE), TryLater, id="404-zone"),
        pytest.param(Drop(), Unknown, id="no-answer"),
        pytest.param(Drop(worked=True), Unknown, id="answer-lost"),
    ],
)
def test_every_ending_is_an_outcome_after_one_attempt(desk: Desk, fault: Fault, kind: type[Outcome]) -> None:
    desk.fake.faults.arm(fault, action=CHANGE)
    outcome = desk.submit(WWW)
    assert isinstance(outcome, kind), outcome
    assert desk.changes() == 1


def test_a_service_out_of_reach_was_sent_nothing(desk: Desk) -> None:
    desk.fake.kill()
    assert isinstance(desk.submit(WWW), TryLater)


def test_a_change_that_was_made_though_its_answer_was_lost_is_a_conflict_the_second_time(desk: Desk) -> None:
    desk.fake.faults.arm(Drop(worked=True), action=CHANGE)
    assert isinstance(desk.submit(WWW), Unknown)
    assert isinstance(desk.submit(WWW), Conflict)


def test_members_of_a_routing_policy_are_refused_by_name_and_not_sent(desk: Desk) -> None:
    outcome = desk.submit(create("www.example.org", "A", "192.0.2.1", set_identifier="blue"))
    assert isinstance(outcome, Refused)
    assert outcome.culprits == ("www.example.org",)
    assert desk.changes() == 0


def test_whatever_is_sent_is_in_googles_discovery_document(desk: Desk) -> None:
    (held,) = _applied(desk.submit(WWW))
    wanted = desk.reader.adjust([routed(GEO, name="g.example.org")], desk.zone).wanted[0]
    desk.submit(update(held, "192.0.2.2"), Write(old=None, new=wanted))
    desk.reader.names(desk.zone, [held.name])
    desk.reader.page(desk.zone, None)
    calls = desk.fake.log.calls()
    assert {call.action for call in calls} == {"managedZones.list", "changes.create", "resourceRecordSets.list"}
    for call in calls:
        assert undocumented_query(call.action, call.query) == set()
        assert undocumented_body(call.action, call.body) == []


def _applied(outcome: Outcome) -> tuple[Record, ...]:
    assert isinstance(outcome, Applied)
    return outcome.records


def test_a_change_that_may_not_begin_is_not_sent(fake: CloudDns) -> None:
    settings = GoogleSettings(project=PROJECT, endpoint=fake.url, writing=Writing(may_begin=lambda: False))
    desk = Desk(fake, client(fake, settings))
    outcome = desk.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "dns.changes.create: NotLeading: this process does not lead" in outcome.message
    assert desk.changes() == 0
