"""The laws hold with the engine on the strict Route 53 while calls fail and others edit the zone.

See docs/design/laws.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.engine.engine import Engine
from extdns.model.change import Batch, Outcome
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from providers.aws import record_sets
from providers.aws.client import Route53Api
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.record_sets import Route53RecordSet
from providers.aws.settings import AwsSettings, Route53ZoneFilter
from tests.builders import (
    INGRESS,
    REGISTRY,
    SERVICE,
    build_claim,
    change_phase,
    observe,
    observe_gone,
)
from tests.fakes.faulty import Submission
from tests.fakes.route53.errors import build_throttling_fault
from tests.fakes.route53.log import CHANGE, LIST
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.route53 import client, service
from tests.unit.engine import laws
from tests.world import World, engine_settings

NAMES = ("web", "api", "a-web")
FOREIGN: Mapping[str, object] = {"Name": "theirs.example.org", "Type": "A", "TTL": 60, "ResourceRecords": ["192.0.2.9"]}
FOREIGN_OWNERSHIP = '"heritage=external-dns,external-dns/owner=other,external-dns/resource=service/shop/x"'

names = st.sampled_from(NAMES)
targets = st.sampled_from(("192.0.2.1", "192.0.2.2"))
faults: st.SearchStrategy[Fault] = st.sampled_from(
    (
        build_throttling_fault(),
        Refuse(503, "ServiceUnavailable"),
        Refuse(400, "PriorRequestNotComplete"),
        Drop(),
        Drop(worked=True),
    )
)
steps = st.one_of(
    st.tuples(st.just("want"), names, targets),
    st.tuples(st.just("drop"), names),
    st.tuples(st.just("edit"), names, st.sampled_from(("192.0.2.66", "192.0.2.1"))),
    st.tuples(st.just("mark"), names),
    st.tuples(st.just("erase"), names),
    st.tuples(st.just("fault"), faults, st.sampled_from((CHANGE, CHANGE, LIST, None)), st.integers(1, 4)),
    st.tuples(st.just("wait"), st.sampled_from((0.3, 5.0, 70.0))),
)


@cache
def single_attempt() -> Route53Api:
    """Return a Route 53 client without retries, so that the engine sees every fault."""
    return client(service()[0], attempts=1)


@dataclass(kw_only=True)
class Recorder:
    """A writer that records the zone's content before and after each batch."""

    fake: Route53
    zone: Zone
    writer: Route53Writer
    submissions: list[Submission] = field(default_factory=list)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        before = self.contents()
        outcome = self.writer.submit(zone, batch)
        self.submissions.append(Submission(batch=batch, before=before, after=self.contents(), outcome=outcome))
        return outcome

    def contents(self) -> dict[RecordKey, Record]:
        found = (
            record_sets.build_record(
                Route53RecordSet(name=one.name, type=one.type, ttl_s=one.ttl, values=one.values), self.zone
            )
            for one in self.fake.records(self.zone.id)
        )
        return {record.key: record for record in found if record is not None}


class Scene:
    """A zone with a foreign record, and an engine that manages it."""

    def __init__(self) -> None:
        self.fake, _ = service()
        self.zone_id = self.fake.add_zone("example.org", records=[dict(FOREIGN)])
        reader = Route53Reader(
            AwsSettings(zone_filter=Route53ZoneFilter(ids=(self.zone_id,)), page_items=3), {"": single_attempt()}
        )
        (zone,) = reader.list_zones().zones
        self.recorder = Recorder(fake=self.fake, zone=zone, writer=Route53Writer({"": single_attempt()}))
        self.engine = Engine(engine_settings(reader))
        self.world = World(engine=self.engine, reader=reader, writer=self.recorder)
        self.world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)

    def close(self) -> None:
        self.fake.faults.clear()
        self.fake.remove_zone(self.zone_id)

    def take(self, step: Sequence[object]) -> None:
        """Carry out one step of the script, and advance the time."""
        match step:
            case ("want", str(name), str(target)):
                self.world.run(observe(name, build_claim(name, name, target)), for_s=0.2)
            case ("drop", str(name)):
                self.world.run(observe_gone(name), for_s=0.2)
            case ("edit", str(name), str(target)):
                self._put(name, "A", target)
            case ("mark", str(name)):
                self._put(f"a-{name}", "TXT", FOREIGN_OWNERSHIP)
            case ("erase", str(name)):
                for record in self.fake.records(self.zone_id, name=f"{name}.example.org"):
                    self.fake.delete(self.zone_id, record.name, record.type)
            case ("fault", Fault() as fault, str() | None as action, int(times)):
                self.fake.faults.arm(fault, action=action, times=times)
            case ("wait", float(seconds)):
                self.world.run(for_s=seconds)
            case _:
                raise AssertionError(step)

    def writes(self) -> int:
        return len(self.recorder.submissions)

    def _put(self, name: str, rtype: str, value: str) -> None:
        self.fake.put(
            self.zone_id, {"Name": f"{name}.example.org", "Type": rtype, "TTL": 60, "ResourceRecords": [value]}
        )


@settings(max_examples=25)
@given(script=st.lists(steps, min_size=4, max_size=14))
def test_the_laws_hold_and_the_zone_converges_whatever_fails_and_whoever_edits_it(
    script: list[tuple[object, ...]],
) -> None:
    scene = Scene()
    try:
        for step in script:
            scene.take(step)
        scene.fake.faults.clear()
        scene.world.run(for_s=1500.0)
        assert scene.engine.is_idle
        written = scene.writes()
        scene.world.run(for_s=120.0)
        assert scene.writes() == written, "an idle engine writes nothing"
        for submission in scene.recorder.submissions:
            laws.check_submission(submission, REGISTRY)
        (theirs,) = scene.fake.records(scene.zone_id, name="theirs.example.org")
        assert theirs.values == ("192.0.2.9",)
    finally:
        scene.close()
