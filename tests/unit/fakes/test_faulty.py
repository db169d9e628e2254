"""The DNS service with faults on demand does what it is told, and nothing else."""

from __future__ import annotations

import pytest

from extdns.errors import RetryableError
from extdns.model.change import Batch, ChangeSet, Write
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Outcome, Refused, Unknown
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Zone, ZoneList
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider, Lost

ZONE = Zone(name=DnsName("example.org"), id="example.org")
WEB = DnsName("web.example.org")
RECORD = Record(name=WEB, type="A", targets=("192.0.2.1",), ttl_s=300)
CREATE = Write(old=None, new=Endpoint(name=WEB, type="A", targets=("192.0.2.1",)))
BATCH = Batch(number=1, zone=ZONE, sets=(ChangeSet(zone=ZONE, name=WEB, changes=(), writes=(CREATE,)),))


@pytest.fixture
def provider() -> FaultyProvider:
    return FaultyProvider(inner=InMemoryProvider([ZONE.name]))


@pytest.mark.parametrize(
    ("answer", "kind", "stands"),
    [
        pytest.param(None, Applied, True, id="carried-out"),
        pytest.param(Refused(message="no"), Refused, False, id="in-place-of-it"),
        pytest.param(Lost(applied=True), Unknown, True, id="lost-after-applying"),
        pytest.param(Lost(applied=False), Unknown, False, id="lost-before-applying"),
    ],
)
def test_a_submit_gets_the_answer_that_was_armed(
    provider: FaultyProvider, answer: Outcome | Lost | None, kind: type, stands: bool
) -> None:
    provider.answers.append(answer)
    outcome = provider.submit(ZONE, BATCH)
    assert isinstance(outcome, kind)
    after = {RECORD.key: RECORD} if stands else {}
    assert provider.contents(ZONE) == after
    (submission,) = provider.submissions
    assert (submission.before, submission.after, submission.outcome) == ({}, after, outcome)


def test_a_rule_answers_when_nothing_is_armed(provider: FaultyProvider) -> None:
    provider.rule = lambda batch: Refused(message=f"{len(batch.sets)} set")
    assert provider.submit(ZONE, BATCH) == Refused(message="1 set")


def test_reads_fail_as_armed_and_then_no_more(provider: FaultyProvider) -> None:
    provider.failures.extend([None, RetryableError("busy")])
    assert provider.zones() == ZoneList(zones=(ZONE,))
    with pytest.raises(RetryableError, match="busy"):
        provider.page(ZONE, None)
    assert provider.names(ZONE, [WEB]) == ()


def test_somebody_else_edits_before_the_next_call(provider: FaultyProvider) -> None:
    provider.meddling.extend([lambda: provider.put(ZONE, RECORD), lambda: provider.remove(ZONE, RECORD.key)])
    assert provider.page(ZONE, None).records == (RECORD,)
    assert provider.page(ZONE, None).records == ()


def test_the_list_of_zones_can_be_another(provider: FaultyProvider) -> None:
    provider.zone_list = ZoneList(zones=())
    assert provider.zones().zones == ()
    assert provider.traits == provider.inner.traits
