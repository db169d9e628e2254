"""The lines of the audit log, and how unknown outcomes are resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace

from extdns.audit.audit_log import AuditLog
from extdns.audit.unknown_outcomes import UnknownOutcomes
from extdns.documents.audit import AuditLine, AuditWrite
from extdns.documents.document import RecordData, encode_json
from extdns.engine.inputs import Cause, Input, Observed
from extdns.model.change import Applied, Batch, Outcome
from extdns.model.claim import Claim
from extdns.model.record import Record
from tests.builders import (
    INGRESS,
    REFUSED,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    observe,
    observe_gone,
    owned,
    record,
)
from tests.fakes.clocks import MovedClock
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.unit.audit.line_target import ListTarget
from tests.world import World, build_world


@dataclass(kw_only=True)
class AuditedWorld(World):
    """A world whose writes pass an audit log, as the controller connects it."""

    audit: AuditLog
    target: ListTarget
    clock: MovedClock

    def feed(self, item: Input) -> None:
        self.clock.now_s = self.now_s
        self.audit.before_step(item)
        super().feed(item)
        self.audit.after_step(tuple(self.waiting))

    def take_lines(self) -> list[AuditLine]:
        """Return the lines that were written since the last call."""
        self.audit.queue.put([b"\n"], waits=True)
        found, self.target.written = self.target.written, []
        return [msgspec.json.decode(line, type=AuditLine) for line in found if line]

    def take_summary(self) -> list[str]:
        """Return phase, name, type, action, outcome and what was found of the lines since the last call."""
        lines = self.take_lines()
        fields = ((one.phase, one.name, one.type, one.action, one.outcome, one.found) for one in lines)
        return [" ".join(filter(None, parts)).replace(".example.org", "") for parts in fields]


WORLDS: list[AuditedWorld] = []
DEFECTS: list[Exception] = []


@pytest.fixture(autouse=True)
def _close_worlds() -> Iterator[None]:
    yield
    while WORLDS:
        WORLDS.pop().audit.close(2.0)
    DEFECTS.clear()


def start(*records: Record, former: tuple[AuditLine, ...] = (), first: tuple[Observed, ...] = ()) -> AuditedWorld:
    """Start a process whose zone has *records*, and whose audit log has the lines *former* of an earlier process."""
    world = build_world(*records)
    clock = MovedClock()
    target = ListTarget(*map(encode_json, former))
    audit = AuditLog(
        world.provider,
        target,
        world.engine,
        clock=clock,
        process=f"p{len(WORLDS)}",
        report=lambda *_: None,
        report_defect=DEFECTS.append,
    )
    found = AuditedWorld(
        engine=world.engine,
        reader=world.reader,
        writer=audit,
        audit=audit,
        target=target,
        clock=clock,
    )
    WORLDS.append(found)
    audit.start(lambda _: None)
    found.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    return found


def observe_version(name: str, *claims: Claim, version: str = "1", cause: Cause = Cause.VERSION) -> Observed:
    """Build the observation of a version of the Service *name*, whose uid is `u-` and its name."""
    (observation,) = observe(name, *claims, cause=cause).observations
    uid, resource_version = (f"u-{name}", version) if claims else ("", "")
    return Observed(observations=(replace(observation, uid=uid, resource_version=resource_version),))


def request(name: str, *targets: str, version: str = "1") -> Observed:
    """Build the observation that the Service *name* requests its own name."""
    claim = build_claim(name, name, *targets)
    ref = replace(claim.provenance.ref, uid=f"u-{name}")
    provenance = replace(claim.provenance, ref=ref)
    return observe_version(name, replace(claim, provenance=provenance), version=version)


def test_the_line_about_an_update_has_old_and_new_targets_the_reason_and_the_version_of_the_object() -> None:
    world = start(*owned("web"), first=(request("web"),))
    world.provider.rule = lambda batch: apply_with_id(world.provider, batch)
    world.run(request("web", "192.0.2.2", version="7"))
    intent, outcome = world.take_lines()
    assert (intent.phase, intent.outcome, intent.latency_seconds) == ("intent", "", None)
    assert (intent.owner, intent.zone.name, intent.zone.id) == ("me", "example.org", "example.org")
    assert (intent.name, intent.type, intent.set_identifier, intent.action) == ("web.example.org", "A", "", "update")
    assert (intent.before, intent.after) == (build_data("192.0.2.1", ttl_s=300), build_data("192.0.2.2"))
    assert (intent.reason, intent.differences, intent.evidence) == ("changed", ("targets",), "")
    (requester,) = intent.objects
    assert (requester.kind, requester.namespace, requester.name) == ("Service", "shop", "web")
    assert (requester.uid, requester.resource_version, requester.field) == ("u-web", "7", "annotation")
    assert intent.ownership_records == ()
    changed = {"phase": "outcome", "outcome": "applied", "change_id": "C7", "latency_seconds": 0.0, "at": outcome.at}
    assert outcome == replace(intent, **changed)
    assert datetime.fromisoformat(intent.at) <= datetime.fromisoformat(outcome.at)


def apply_with_id(provider: FaultyProvider, batch: Batch) -> Outcome:
    applied = cast("Applied", provider.inner.submit(ZONE, batch))
    return replace(applied, change_id="C7")


def test_the_line_about_a_create_includes_its_ownership_record() -> None:
    world = start()
    world.run(request("web"))
    intent, _ = world.take_lines()
    assert (intent.action, intent.before, intent.resource) == ("create", None, "service/shop/web")
    (ownership,) = intent.ownership_records
    assert (ownership.name, ownership.type, ownership.before) == ("a-web.example.org", "TXT", None)


def test_the_line_about_a_delete_has_its_evidence_and_the_deleted_object() -> None:
    world = start(*owned("web"), first=(request("web", version="5"),))
    world.run(observe_gone("web"))
    intent, outcome = world.take_lines()
    assert (intent.action, intent.after, intent.reason, intent.evidence) == (
        "delete",
        None,
        "object-deleted",
        "object-deleted",
    )
    (requester,) = intent.objects
    assert (requester.name, requester.uid, requester.resource_version) == ("web", "u-web", "5")
    assert (intent.approval, outcome.outcome) == (None, "applied")


def test_the_line_about_the_delete_of_an_orphan_has_its_resource_label_and_no_object() -> None:
    world = start(*owned("web"), first=(request("api"),))
    world.run(for_s=3600.0)
    (intent,) = (line for line in world.take_lines() if line.phase == "intent" and line.name == "web.example.org")
    assert (intent.evidence, intent.resource, intent.objects) == ("orphan-gone", "service/shop/web", ())


@pytest.mark.parametrize(
    ("answer", "word"),
    [pytest.param(REFUSED, "refused", id="refused"), pytest.param(NoAnswer(applied=False), "unknown", id="unknown")],
)
def test_the_line_about_a_failed_change_has_the_outcome_and_message_of_the_dns_service(
    answer: Outcome | NoAnswer, word: str
) -> None:
    world = start()
    world.provider.answers.append(answer)
    world.run(request("web"), for_s=0.0)
    _, outcome = world.take_lines()[:2]
    assert (outcome.outcome, bool(outcome.message), outcome.change_id) == (word, True, "")


def test_an_unknown_outcome_of_a_change_that_was_made_is_resolved_by_the_next_read() -> None:
    world = start()
    world.provider.answers.append(NoAnswer(applied=True))
    world.run(request("web"))
    assert world.take_summary() == [
        "intent web A create",
        "outcome web A create unknown",
        "intent web A create",
        "outcome web A create conflict",
        "resolution web A create unknown after",
    ]


def test_an_unknown_outcome_of_a_change_that_was_not_made_is_resolved_by_the_next_change() -> None:
    world = start()
    world.provider.answers.append(NoAnswer(applied=False))
    world.run(request("web"))
    assert world.take_summary() == [
        "intent web A create",
        "outcome web A create unknown",
        "intent web A create",
        "outcome web A create applied",
        "resolution web A create unknown before",
    ]


def test_an_unknown_outcome_is_not_resolved_as_not_made_while_the_change_may_still_be_made() -> None:
    world = start()
    world.provider.answers.append(NoAnswer(applied=False))
    world.provider.rule = lambda _: REFUSED
    world.run(request("web"), for_s=5.0)
    assert not [line for line in world.take_summary() if line.startswith("resolution")]
    world.run(for_s=3600.0)
    assert [line for line in world.take_summary() if line.startswith("resolution")] == [
        "resolution web A create unknown before"
    ]


def cut_off(*phases: str) -> tuple[AuditLine, ...]:
    """Return the lines that a process wrote before it was killed: those of an update of `web` with *phases*."""
    world = start(*owned("web"), first=(request("web"),))
    world.run(request("web", "192.0.2.2"))
    return tuple(line for line in world.take_lines() if line.phase in phases)


@pytest.mark.parametrize(
    ("target", "found"),
    [
        pytest.param("192.0.2.2", ["resolution web A update unknown after"], id="applied"),
        pytest.param("192.0.2.9", ["resolution web A update unknown other"], id="changed-by-somebody-else"),
    ],
)
def test_a_change_that_an_earlier_process_left_unresolved_is_resolved_by_what_the_zone_holds(
    target: str, found: list[str]
) -> None:
    former = cut_off("intent")
    world = start(*owned("web", target), former=former, first=(request("web", target),))
    resolved = world.take_lines()
    assert [line.id for line in resolved] == [line.id for line in former]
    world.target.written = [encode_json(line) for line in resolved]
    assert world.take_summary() == found


def test_a_change_that_an_earlier_process_did_not_make_is_resolved_by_the_next_change() -> None:
    world = start(*owned("web"), former=cut_off("intent"), first=(request("web", "192.0.2.2"),))
    assert world.take_summary() == [
        "intent web A update",
        "outcome web A update applied",
        "resolution web A update unknown before",
    ]


def test_a_change_of_an_earlier_process_with_a_known_outcome_is_not_resolved_again() -> None:
    world = start(*owned("web", "192.0.2.2"), former=cut_off("intent", "outcome"), first=(request("web", "192.0.2.2"),))
    world.run(for_s=3600.0)
    assert world.take_lines() == []


def test_a_log_file_that_was_cut_at_any_byte_leaves_exactly_the_changes_without_outcome_unresolved() -> None:
    world = start(*owned("web"))
    intent, outcome = (encode_json(line) for line in cut_off("intent", "outcome"))
    text = intent + b"\n" + outcome + b"\n"
    for length in range(len(text) + 1):
        unknown = UnknownOutcomes(world.clock)
        unknown.load(text[:length].splitlines(keepends=True))
        is_open = len(intent) <= length < len(intent) + 1 + len(outcome)
        assert len(unknown._list_open(ZONE.id)) == is_open, length


def test_an_unresolved_change_of_only_an_ownership_record_is_resolved_by_that_ownership_record() -> None:
    (line,) = cut_off("intent")
    write = owned("web")[1]
    former = replace(line, after=line.before, ownership_records=(build_write(write.name),))
    world = start(record("web"), former=(former,), first=(request("api"),))
    assert "resolution web A update unknown other" in world.take_summary()


def build_write(name: str) -> AuditWrite:
    before, after = build_data('"old"'), build_data('"new"')
    return AuditWrite(name=name, type="TXT", set_identifier="", before=before, after=after)


def build_data(target: str, ttl_s: int | None = None) -> RecordData:
    return RecordData(targets=(target,), ttl_seconds=ttl_s, properties={})


def test_an_internal_error_of_the_audit_log_is_reported_and_records_are_still_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = start()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("defect")

    monkeypatch.setattr(world.audit.queue, "put", fail)
    world.run(request("web"))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [str(defect) for defect in DEFECTS] == ["defect"] * 2


def test_a_writer_that_raises_an_exception_leaves_an_unknown_outcome() -> None:
    world = start()

    def fail(_: Batch) -> Outcome:
        raise RuntimeError("defect")

    world.provider.rule = fail
    with pytest.raises(RuntimeError, match="defect"):
        world.run(request("web"), for_s=0.0)
    assert world.take_summary() == ["intent web A create", "outcome web A create unknown"]
