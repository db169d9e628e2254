"""A fake provider whose failures and outcomes a test prepares."""

from __future__ import annotations

import pytest

from extdns.errors import RetryableError
from extdns.model.change import Applied, Batch, ChangeSet, Outcome, Refused, Unknown, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider, NoAnswer

ZONE = Zone(name=DnsName("example.org"), id="example.org")
WEB = DnsName("web.example.org")
RECORD = Record(name=WEB, type="A", targets=("192.0.2.1",), ttl_s=300)
CREATE = Write(old=None, new=DesiredRecord(name=WEB, type="A", targets=("192.0.2.1",)))
BATCH = Batch(number=1, zone=ZONE, change_sets=(ChangeSet(zone=ZONE, name=WEB, changes=(), writes=(CREATE,)),))


@pytest.fixture
def provider() -> FaultyProvider:
    return FaultyProvider(inner=InMemoryProvider([ZONE.name]))


@pytest.mark.parametrize(
    ("answer", "kind", "exists"),
    [
        pytest.param(None, Applied, True, id="applied"),
        pytest.param(Refused(message="no"), Refused, False, id="refused"),
        pytest.param(NoAnswer(applied=True), Unknown, True, id="lost-after-applying"),
        pytest.param(NoAnswer(applied=False), Unknown, False, id="lost-before-applying"),
    ],
)
def test_the_faulty_provider_returns_the_outcome_that_a_test_prepared(
    provider: FaultyProvider, answer: Outcome | NoAnswer | None, kind: type, exists: bool
) -> None:
    provider.answers.append(answer)
    outcome = provider.submit(ZONE, BATCH)
    assert isinstance(outcome, kind)
    after = {RECORD.key: RECORD} if exists else {}
    assert provider.contents(ZONE) == after
    (submission,) = provider.submissions
    assert (submission.before, submission.after, submission.outcome) == ({}, after, outcome)


def test_without_a_prepared_outcome_the_faulty_provider_returns_what_the_rule_of_the_test_decides(
    provider: FaultyProvider,
) -> None:
    provider.rule = lambda batch: Refused(message=f"{len(batch.change_sets)} set")
    assert provider.submit(ZONE, BATCH) == Refused(message="1 set")


def test_the_faulty_provider_raises_a_read_failure_that_a_test_prepared_once(provider: FaultyProvider) -> None:
    provider.failures.extend([None, RetryableError("busy")])
    assert provider.list_zones() == ZoneList(zones=(ZONE,))
    with pytest.raises(RetryableError, match="busy"):
        provider.read_page(ZONE, None)
    assert provider.read_names(ZONE, [WEB]) == ()


def test_edits_by_another_writer_that_a_test_prepared_are_made_before_the_next_calls(provider: FaultyProvider) -> None:
    provider.edits.extend(
        [lambda: provider.put_records(ZONE, RECORD), lambda: provider.remove_records(ZONE, RECORD.key)]
    )
    assert provider.read_page(ZONE, None).records == (RECORD,)
    assert provider.read_page(ZONE, None).records == ()


def test_a_test_can_replace_the_zone_list_of_the_faulty_provider(provider: FaultyProvider) -> None:
    provider.zone_list = ZoneList(zones=())
    assert provider.list_zones().zones == ()
    assert provider.capabilities == provider.inner.capabilities
