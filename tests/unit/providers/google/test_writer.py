"""Send changes to the fake Cloud DNS, each once."""

from __future__ import annotations

import json

import pytest

from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions
from providers.google.client import CloudDnsApi
from providers.google.provider import CloudDnsReader, CloudDnsWriter
from providers.google.settings import GoogleSettings
from tests.clouddns import client
from tests.conformance.provider import build_batch, create, delete, restate, update
from tests.fakes.clouddns.document import undocumented_body, undocumented_query
from tests.fakes.clouddns.log import CHANGE
from tests.fakes.clouddns.raw_client import weighted
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.unit.providers.google.cloud_dns_values import GEO, routed

WWW = create("www.example.org", "A", "192.0.2.1")
NO_ZONE = "The 'parameters.managedZone' resource named 'main' does not exist."
NO_PROJECT = "The 'parameters.project' resource named 'p' does not exist."


class WritableZone:
    """A zone of the fake Cloud DNS, and the writer under test, which sends changes to it."""

    def __init__(self, fake: CloudDns, project: CloudDnsApi) -> None:
        self.fake = fake
        self.name = fake.add_zone("example.org", name="main")
        self.reader = CloudDnsReader(GoogleSettings(), project)
        self.writer = CloudDnsWriter(project)
        self.zone: Zone = self.reader.list_zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, build_batch(self.zone, writes))

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
def writable(fake: CloudDns, project: CloudDnsApi) -> WritableZone:
    return WritableZone(fake, project)


def test_an_update_deletes_the_current_record_set_exactly_as_read(writable: WritableZone) -> None:
    outcome = writable.submit(WWW, create("a-www.example.org", "TXT", '"m"'))
    assert isinstance(outcome, Applied)
    assert outcome.change_id == "1"
    ownership_record, record = outcome.records
    writable.submit(restate(ownership_record), update(record, "192.0.2.2"))
    assert writable.sent() == (
        ['a-www.example.org. TXT "m"', "www.example.org. A 192.0.2.2"],
        ['a-www.example.org. TXT "m"', "www.example.org. A 192.0.2.1"],
    )
    assert writable.changes() == 2


def test_a_routing_policy_made_by_another_tool_can_be_restated_and_deleted_unchanged(writable: WritableZone) -> None:
    writable.fake.put("main", weighted("www.example.org.", (1, "192.0.2.1"), (2, "192.0.2.2")))
    (held,) = writable.reader.read_names(writable.zone, [WWW.key.name])
    same = DesiredRecord(
        name=held.name, type=held.type, targets=held.targets, ttl_s=held.ttl_s, properties=held.properties
    )
    assert isinstance(writable.submit(Write(old=held, new=same)), Applied)
    (again,) = writable.fake.records("main")
    assert [item["weight"] for item in json.loads(again.policy)["wrr"]["items"]] == [1, 2]
    (held,) = writable.reader.read_names(writable.zone, [WWW.key.name])
    assert isinstance(writable.submit(delete(held)), Applied)
    assert writable.fake.records("main") == ()


def test_a_weight_changed_by_another_tool_is_a_write_conflict(writable: WritableZone) -> None:
    writable.fake.put("main", weighted("www.example.org.", (1, "192.0.2.1")))
    (held,) = writable.reader.read_names(writable.zone, [WWW.key.name])
    writable.fake.put("main", weighted("www.example.org.", (9, "192.0.2.1")))
    assert isinstance(writable.submit(delete(held)), WriteConflict)


def test_all_offending_names_of_a_refused_change_are_reported_at_once(writable: WritableZone) -> None:
    bad = [create(f"{label}.example.org", "A", "not-an-address") for label in ("b", "a")]
    outcome = writable.submit(WWW, *bad)
    assert isinstance(outcome, Refused)
    assert outcome.offending_names == ("a.example.org", "b.example.org")
    assert "Invalid value for 'entity.change.additions[0].rrdata[0]': 'not-an-address'" in outcome.message


def test_a_change_over_quota_is_refused_without_offending_names(writable: WritableZone) -> None:
    writable.fake.api.quota["rrsetAdditionsPerChange"] = 1
    outcome = writable.submit(WWW, create("b.example.org", "A", "192.0.2.1"))
    assert isinstance(outcome, Refused)
    assert outcome.offending_names == ()


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
        pytest.param(Refuse(500, "internalError"), Unknown, id="500"),
        pytest.param(Refuse(503, "backendError"), Unknown, id="503"),
        pytest.param(Refuse(400, "badRequest"), Refused, id="400"),
        pytest.param(Refuse(413, "requestTooLarge"), Refused, id="413"),
        pytest.param(Refuse(404, "notFound", NO_ZONE), TryLater, id="404-zone"),
        pytest.param(Refuse(404, "notFound", NO_PROJECT), TryLater, id="404-project"),
        pytest.param(Drop(), Unknown, id="no-answer"),
        pytest.param(Drop(worked=True), Unknown, id="answer-lost"),
    ],
)
def test_each_failure_of_a_change_gives_an_outcome_and_the_change_is_sent_only_once(
    writable: WritableZone, fault: Fault, kind: type[Outcome]
) -> None:
    writable.fake.faults.arm(fault, action=CHANGE)
    outcome = writable.submit(WWW)
    assert isinstance(outcome, kind), outcome
    assert writable.changes() == 1


def test_a_change_to_an_unreachable_service_can_be_tried_again_later(writable: WritableZone) -> None:
    writable.fake.kill()
    assert isinstance(writable.submit(WWW), TryLater)


def test_each_request_matches_the_discovery_document_of_google(writable: WritableZone) -> None:
    (held,) = _applied(writable.submit(WWW))
    desired = writable.reader.adjust([routed(GEO, name="g.example.org")], writable.zone).accepted[0]
    writable.submit(update(held, "192.0.2.2"), Write(old=None, new=desired))
    writable.reader.read_names(writable.zone, [held.name])
    writable.reader.read_page(writable.zone, None)
    calls = writable.fake.log.calls()
    assert {call.action for call in calls} == {"managedZones.list", "changes.create", "resourceRecordSets.list"}
    for call in calls:
        assert undocumented_query(call.action, call.query) == set()
        assert undocumented_body(call.action, call.body) == []


def _applied(outcome: Outcome) -> tuple[Record, ...]:
    assert isinstance(outcome, Applied)
    return outcome.records


def test_a_change_is_not_sent_by_a_process_that_is_not_the_leader(fake: CloudDns) -> None:
    settings = GoogleSettings(project=PROJECT, endpoint=fake.url, calls=CallOptions(can_write=lambda: False))
    writable = WritableZone(fake, client(fake, settings))
    outcome = writable.submit(WWW)
    assert isinstance(outcome, TryLater)
    assert "dns.changes.create: NotLeading: this process is not the leader" in outcome.message
    assert writable.changes() == 0
