"""The checks of a chaos run find planted violations, and its script depends only on the seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author
from tests.slow.chaos import checks
from tests.slow.chaos.audit_lines import describe_changes, find_audit_differences, find_repeated_changes, read_changes
from tests.slow.chaos.cluster import Values
from tests.slow.chaos.events import write_script
from tests.slow.chaos.replicas import Replica
from tests.slow.chaos.services import Key, Route53Service, WriteCall
from tests.slow.chaos.writer import OURS, Writer

WEB = Key("acme.test", "h1.acme.test", "A")
OWNERSHIP = Key("acme.test", "a-h1.acme.test", "TXT")
THEIRS = Key("acme.test", "f0.acme.test", "A")
REQUESTED: dict[Key, set[Values]] = {WEB: {("192.0.2.1",)}}


class EditedZone:
    """A zone with one record of ours and one foreign record, without violations."""

    def __init__(self, fake: Route53) -> None:
        self.fake = fake
        self.service = Route53Service(fake)
        self.writer = Writer(self.service)
        self.service.put(WEB, "192.0.2.1")
        self.service.put(OWNERSHIP, f'{OURS},external-dns/resource=service/shop/web"')
        self.writer.write_own("f0.acme.test", "198.51.100.1")
        self.initial = self.service.read()

    def find_all(self) -> list[str]:
        found = checks.find_all(self.service, REQUESTED, self.writer, ())
        return [*found, *checks.find_broken_laws(self.service, self.initial)]

    def edit_as_program(self, key: Key, *values: str) -> None:
        """Put *values*, or delete without any, as a change that the journal attributes to extdns."""
        (zone,) = (zone for zone in self.fake.api.zones.values() if zone.name.rstrip(".") == key.zone)
        if values:
            self.service.put(key, *values)
        else:
            self.service.delete(key)
        zone.edits[-1] = _as_program(zone.edits[-1])


def _as_program(edit: Any) -> Any:  # noqa: ANN401 - a dataclass of the fake
    return type(edit)(by=Author.API, before=edit.before, after=edit.after)


@pytest.fixture
def world() -> Iterator[EditedZone]:
    with Route53() as fake:
        yield EditedZone(fake)


def test_the_checks_of_a_chaos_run_report_nothing_for_a_correct_zone(world: EditedZone) -> None:
    assert world.find_all() == []


@pytest.mark.parametrize(
    ("key", "values", "found"),
    [
        pytest.param(THEIRS, ("198.51.100.2",), "changed: ", id="foreign-record-changed"),
        pytest.param(THEIRS, (), "changed: ", id="foreign-record-deleted"),
        pytest.param(WEB, ("192.0.2.2",), "other values: ", id="record-has-other-values"),
        pytest.param(WEB, (), "missing: ", id="record-missing"),
        pytest.param(OWNERSHIP, (), "without ownership record: ", id="ownership-record-missing"),
        pytest.param(Key("acme.test", "h2.acme.test", "A"), ("192.0.2.2",), "left over: ", id="record-left-over"),
    ],
)
def test_the_checks_of_a_chaos_run_report_a_record_that_was_changed_deleted_or_left_over(
    world: EditedZone, key: Key, values: tuple[str, ...], found: str
) -> None:
    if values:
        world.service.put(key, *values)
    else:
        world.service.delete(key)
    assert any(line.startswith(found) for line in world.find_all())


def test_the_checks_of_a_chaos_run_report_a_foreign_record_that_extdns_changed_and_restored(world: EditedZone) -> None:
    world.edit_as_program(THEIRS, "192.0.2.66")
    world.edit_as_program(THEIRS, "198.51.100.1")
    assert [line.partition(":")[0] for line in world.find_all()] == ["changed foreign record"] * 2


def test_the_checks_of_a_chaos_run_report_a_record_that_was_briefly_without_its_ownership_record(
    world: EditedZone,
) -> None:
    new = Key("acme.test", "h2.acme.test", "A")
    world.edit_as_program(new, "192.0.2.2")
    world.service.put(Key("acme.test", "x9.acme.test", "A"), "198.51.100.9")
    world.service.delete(Key("acme.test", "x9.acme.test", "A"))
    world.edit_as_program(new)
    assert any(line.startswith("left without ownership record: ") for line in world.find_all())


def test_in_a_chaos_run_a_record_counts_as_foreign_after_another_writer_replaced_its_ownership_record(
    world: EditedZone,
) -> None:
    world.writer._seize("h1.acme.test", replace=True)
    assert world.find_all() == []
    world.edit_as_program(WEB, "192.0.2.7")
    assert [line.partition(":")[0] for line in world.find_all()] == ["changed", "changed foreign record"]


SINCE: Final = datetime(2026, 11, 23, 2, tzinfo=UTC)
READ_AT: Final = "2026-11-23T02:00:00.000001Z"


class Leader(Replica):
    """A replica with fixed answers."""

    def __init__(
        self,
        *,
        pending: int = 0,
        ready: int = 200,
        reason: str = "published",
        held: int = 0,
        read_at: str | None = READ_AT,
    ) -> None:
        self._answers = {"/readyz": (ready, "{}"), "/metrics": (200, f"extdns_names_queued {pending}.0")}
        record = {"type": "A", "action": "none", "reason": reason}
        self._documents: dict[str, dict[str, Any]] = {
            "names?limit=500": {"items": [{"name": "h1.acme.test", "records": [record]}], "after": None},
            "held": {"items": [{}] * held},
            "zones": {"items": [{"name": "acme.test", "readAt": read_at}]},
        }

    def get(self, path: str, *, page: bool = False) -> tuple[int, str]:
        return self._answers[path] if not page else (200, json.dumps(self._documents[path]))

    def get_document(self, path: str) -> dict[str, Any]:
        return self._documents[path]


@pytest.mark.parametrize(
    ("leader", "found"),
    [
        pytest.param(Leader(), "", id="at-rest"),
        pytest.param(Leader(pending=1), "names pending: 1.0", id="pending"),
        pytest.param(Leader(ready=503), "not ready: {}", id="not-ready"),
        pytest.param(Leader(reason="in-grace"), "waits: h1.acme.test A none [in-grace]", id="in-grace"),
        pytest.param(Leader(reason="refused"), "waits: h1.acme.test A none [refused]", id="refused"),
        pytest.param(Leader(held=1), "held: {}", id="held"),
        pytest.param(Leader(read_at=None), f"not read since {SINCE}: acme.test", id="zone-never-read"),
        pytest.param(
            Leader(read_at="2026-11-23T01:59:59.9Z"), f"not read since {SINCE}: acme.test", id="zone-not-read-again"
        ),
    ],
)
def test_the_checks_of_a_chaos_run_report_names_and_deletes_that_still_wait_and_zones_not_read_again(
    leader: Leader, found: str
) -> None:
    assert checks.find_waits(leader, SINCE) == ([found] if found else [])


def test_the_checks_of_a_chaos_run_report_a_process_that_exited_and_a_traceback_in_its_log(tmp_path: Path) -> None:
    replica = Replica("0", tmp_path, ["--nonsense"], {})
    replica.start()
    assert replica._process is not None
    replica._process.wait()
    assert not replica.is_running
    replica._logs[0].write_text("Traceback (most recent call last):\n", encoding="utf-8")
    assert [line[:9] for line in checks.find_process_problems([replica])] == ["replica 0"] * 2


def write_line(key: Key, *, id_: str = "1", outcome: str = "applied", before: Values = (), after: Values = ()) -> str:
    """Return a line of an audit log, as far as the checks read it."""
    data = [{"targets": list(values), "properties": {}} if values else None for values in (before, after)]
    line = {"id": id_, "zone": {"name": key.zone}, "name": key.name, "type": key.type, "setIdentifier": ""}
    line |= {
        "at": f"2026-11-23T02:00:0{id_}.000Z",
        "process": "b64a",
        "reason": "changed",
        "resource": "service/shop/web",
    }
    line |= dict.fromkeys(("detail", "evidence", "message", "found"), "")
    return json.dumps({**line, "outcome": outcome, "before": data[0], "after": data[1]})


CREATED, CHANGED = ("192.0.2.1",), ("192.0.2.7",)
UPDATE: Final = write_line(WEB, before=CREATED, after=CHANGED)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param([UPDATE], [], id="equal"),
        pytest.param([write_line(WEB, outcome="unknown", before=CREATED, after=CHANGED)], [], id="unknown"),
        pytest.param([write_line(WEB, outcome="", before=CREATED, after=CHANGED), '{"id": "2'], [], id="cut-off"),
        pytest.param([], ["carried out, but not in the audit log"], id="missing"),
        pytest.param(
            [write_line(WEB, outcome="refused", before=CREATED, after=CHANGED)],
            ["carried out, but not in the audit log"],
            id="not-as-applied",
        ),
        pytest.param(
            [UPDATE, write_line(WEB, id_="2", before=CHANGED)],
            ["not carried out, but in the audit log"],
            id="never-carried-out",
        ),
        pytest.param(
            [UPDATE, write_line(WEB, id_="2", before=CREATED, after=CHANGED)],
            ["not carried out, but in the audit log"],
            id="twice",
        ),
    ],
)
def test_the_checks_of_a_chaos_run_report_changes_that_only_the_audit_log_or_only_the_dns_service_has(
    world: EditedZone, tmp_path: Path, lines: list[str], found: list[str]
) -> None:
    world.edit_as_program(WEB, *CHANGED)
    path = tmp_path / "audit-0.log"
    path.write_text("\n".join(lines), encoding="utf-8")
    differences = find_audit_differences(world.service, read_changes([path]))
    assert [line.partition(":")[0] for line in differences] == found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        pytest.param({"p0.acme.test", "a-p0.acme.test"}, "", id="refused-name"),
        pytest.param({"a-h1.acme.test"}, "written: ['a-h1.acme.test']: 200", id="ownership-record"),
        pytest.param(
            {"h1.acme.test", "p0.acme.test"}, "written: ['h1.acme.test', 'p0.acme.test']: 200", id="with-refused-name"
        ),
    ],
)
def test_the_checks_of_a_chaos_run_report_a_write_while_nothing_changes_unless_all_its_names_are_refused_ones(
    names: set[str], found: str
) -> None:
    writes = [WriteCall(frozenset(names), "200")]
    assert checks.find_unexpected_writes(writes, ["p0.acme.test"]) == ([found] if found else [])


def test_the_checks_of_a_chaos_run_report_a_record_for_which_one_process_logged_the_same_change_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "audit-0.log"
    outcomes = enumerate(("applied", "unknown", "refused"))
    lines = [write_line(WEB, id_=str(number), outcome=outcome, after=CHANGED) for number, outcome in outcomes]
    path.write_text("\n".join(lines), encoding="utf-8")
    changes = read_changes([path])
    assert find_repeated_changes(changes[:2]) == []
    assert find_repeated_changes(changes) == [f"changed 2 times by process b64a: {WEB}"]
    lines = describe_changes(changes)
    assert [line.rpartition(": ")[2].split()[0] for line in lines] == ["applied", "unknown", "refused"]
    assert all("audit-0.log" in line for line in lines)


def test_the_chaos_script_depends_only_on_the_seed_and_contains_every_kind_of_fault_and_edit() -> None:
    script = write_script(7, 600.0)
    assert script == write_script(7, 600.0)
    assert script != write_script(8, 600.0)
    verbs = {(event.actor, event.verb) for event in script}
    assert {verb for actor, verb in verbs if actor == "writer"} == {"foreign", "drift", "erase", "free", "seize"}
    assert {verb for actor, verb in verbs if actor == "cluster"} == {"apply", "remove", "blank"}
    assert {verb for actor, verb in verbs if actor == "operator"} == {"kill", "terminate", "start"}
    assert {verb.partition("-")[0] for actor, verb in verbs if actor == "network"} == {
        "kube",
        "dns",
        "cut",
        "expire",
        "other",
        "fail",
        "recover",
    }
