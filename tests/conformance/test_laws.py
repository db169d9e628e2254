"""Check the laws (docs/design/laws.md) with each provider, while responses are lost and others edit the zone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.model.change import Batch, Outcome
from extdns.model.record import Record, RecordKey
from extdns.model.zone import Zone
from tests.builders import host, observe_gone
from tests.conformance.provider import Rig, build_rig, create, delete, update
from tests.conformance.provider_world import ProviderWorld
from tests.fakes.faulty import Submission
from tests.unit.engine import laws

THEIR_OWNERSHIP = '"heritage=external-dns,external-dns/owner=other,external-dns/resource=service/shop/x"'
THEIRS = create("theirs.example.org", "A", "192.0.2.9", ttl_s=60)
NAMES = ("web", "api", "a-web")

names = st.sampled_from(NAMES)
steps = st.one_of(
    st.tuples(st.just("want"), names, st.sampled_from(("192.0.2.1", "192.0.2.2"))),
    st.tuples(st.just("drop"), names),
    st.tuples(st.just("edit"), names, st.sampled_from(("192.0.2.66", "192.0.2.1"))),
    st.tuples(st.just("mark"), names),
    st.tuples(st.just("erase"), names),
    st.tuples(st.just("lose"), st.booleans()),
    st.tuples(st.just("wait"), st.sampled_from((0.3, 5.0, 70.0))),
)


class Scene:
    """The engine running on a zone that also has a foreign record. Records every batch for the check of the laws."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        rig.edit(THEIRS)
        self.world = ProviderWorld(rig, {})
        self.submissions: list[Submission] = []
        self.desired: dict[str, str] = {}
        self._inner = self.world.line.inner
        self.world.line.inner = self

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        before = self.read_records()
        outcome = self._inner.submit(zone, batch)
        self.submissions.append(Submission(batch=batch, before=before, after=self.read_records(), outcome=outcome))
        return outcome

    def read_records(self) -> dict[RecordKey, Record]:
        return {record.key: record for record in self.rig.read()}

    def apply_step(self, step: tuple[object, ...]) -> None:
        match step:
            case ("want", str(name), str(target)):
                self.desired[name] = target
                self.world.request(**{name: target})
            case ("drop", str(name)):
                self.desired.pop(name, None)
                self.world.run(observe_gone(name), for_s=0.2)
            case ("edit", str(name), str(target)):
                self._put(name, "A", target)
            case ("mark", str(name)):
                own = self.rig.registry.ownership_name(host(name)) or host(name)
                held = self.rig.reader.read_names(self.rig.zone, [own])
                if "TXT" in self.rig.types or any(one.type == "TXT" for one in held):  # else none exists by itself
                    self._put(own.removesuffix(".example.org"), "TXT", THEIR_OWNERSHIP)
            case ("erase", str(name)):
                self.rig.edit(*map(delete, self.rig.reader.read_names(self.rig.zone, [host(name)])))
            case ("lose", bool(applied)):
                self.world.line.losses.append(applied)
            case ("wait", float(seconds)):
                self.world.run(for_s=seconds)
            case _:
                raise AssertionError(step)

    def _put(self, name: str, rtype: str, value: str) -> None:
        held = [one for one in self.rig.reader.read_names(self.rig.zone, [host(name)]) if one.type == rtype]
        self.rig.edit(update(held[0], value) if held else create(f"{name}.example.org", rtype, value))


@settings(max_examples=12)
@given(happenings=st.lists(steps, min_size=4, max_size=12))
def test_the_ten_laws_hold_and_the_zone_converges_after_random_changes_edits_and_lost_responses(
    provider: str, happenings: list[tuple[object, ...]]
) -> None:
    with TemporaryDirectory() as folder:
        scene = Scene(build_rig(provider, Path(folder)))
        for step in happenings:
            scene.apply_step(step)
        scene.world.line.losses.clear()
        scene.world.run(for_s=1500.0)
        assert scene.world.engine.is_idle
        for submission in scene.submissions:
            laws.check_submission(submission, scene.rig.registry)
        assert THEIRS.new is not None
        (theirs,) = scene.rig.reader.read_names(scene.rig.zone, [THEIRS.key.name])
        assert (theirs.targets, theirs.ttl_s) == (THEIRS.new.targets, 60)
        assert ProviderWorld(scene.rig, scene.desired).line.outcomes == [], "a second process must make no changes"
