"""The checks after a chaos run. Each returns one line for each violation, and nothing if there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from tests.slow.chaos.cluster import Values
from tests.slow.chaos.replicas import Replica
from tests.slow.chaos.services import DnsService, Key, Step, WriteCall
from tests.slow.chaos.writer import OURS, Writer, find_ownership_key, is_ours

_PUBLISHED: Final = frozenset({"published"})
"""Reasons for records that are as requested."""
_FOREIGN: Final = frozenset({"foreign-record", "owned-by-other", "no-ownership-name"})
"""Reasons at names where a foreign record or ownership record exists."""
_CONTESTED: Final = frozenset({"requested-by-other", "merged-before"})
"""Reasons at names that several namespaces request."""
_REFUSED: Final = frozenset({"refused"})
"""Reasons at names whose changes the DNS service always refuses."""
EXPECTED_REASONS: Final[Mapping[str, frozenset[str]]] = {
    "h": _PUBLISHED,
    "m": _PUBLISHED | _CONTESTED,
    "w": _PUBLISHED,
    "s": _PUBLISHED | _FOREIGN,
    "x": _FOREIGN,
    "p": _REFUSED | _PUBLISHED,
    "e": _PUBLISHED,
}
"""Final reasons by the first letter of a name. Any other reason means that a decision still waits."""


def find_differences(
    service: DnsService, requested: Mapping[Key, set[Values]], foreign: Mapping[Key, object], refused: Iterable[str]
) -> list[str]:
    found = service.read()
    taken = {(key.name, key.type) for key in foreign}
    expected = {
        key: values
        for key, values in requested.items()
        if (key.name, key.type) not in taken and key.name not in set(refused)
    }
    ours = {key: service.values(record) for key, record in found.items() if key.type != "TXT" and key not in foreign}
    violations = [f"missing: {key} of {values}" for key, values in expected.items() if key not in ours]
    violations += [f"left over: {key} {values}" for key, values in ours.items() if key not in expected]
    violations += [
        f"other values: {key} is {ours[key]}, requested are {values}"
        for key, values in expected.items()
        if key in ours and ours[key] not in values
    ]
    return sorted(violations)


def find_changed_foreign(service: DnsService, foreign: Mapping[Key, object]) -> list[str]:
    """Return the foreign record sets that differ from the last version that their owner wrote."""
    found = service.read()
    return sorted(
        f"changed: {key} was {record}, is {found.get(key)}"
        for key, record in foreign.items()
        if found.get(key) != record
    )


def find_unowned(service: DnsService, foreign: Mapping[Key, object]) -> list[str]:
    """Return the record sets that are neither foreign nor covered by an ownership record of ours."""
    found = service.read()
    return sorted(
        f"without ownership record: {key}"
        for key in found
        if key.type != "TXT" and key not in foreign and not is_ours(service, found, key)
    )


def find_broken_laws(service: DnsService, initial: Mapping[Key, object]) -> list[str]:
    """Replay all changes of the zones and return those by extdns that break a law.

    extdns may not change foreign records, nor leave a record of its own without its ownership record.
    """
    state = dict(initial)
    violations: list[str] = []
    for step in service.journal():
        before = dict(state)
        for key, _, after in step.changes:
            if after is None:
                state.pop(key, None)
            else:
                state[key] = after
        if step.by_program:
            violations += _check_step(service, step, before, state)
    return violations


def _check_step(
    service: DnsService, step: Step, before: Mapping[Key, object], after: Mapping[Key, object]
) -> Iterable[str]:
    """Yield the violations in one step: changes by extdns between two edits by others."""
    made = {key for key, _, new in step.changes if new is not None}
    for key, old, new in step.changes:
        if key.type == "TXT":
            texts = service.values(old) if old is not None else ()
            if any(not text.startswith(OURS) for text in texts):
                yield f"changed foreign record: {key}, which was {old}"
            continue
        was_ours = is_ours(service, dict(before), key) or find_ownership_key(key) in made
        if old is not None and not was_ours:
            yield f"changed foreign record: {key}, which was {old}, to {new}"
        elif key in after and not is_ours(service, dict(after), key):
            yield f"left without ownership record: {key}"


def find_unexpected_writes(writes: Iterable[WriteCall], refused: Iterable[str]) -> list[str]:
    """Return a line for each write that is not a retry of a change of the *refused* names.

    Such a change is retried for ever, first after a minute (docs/design/retries.md, "The retry table").
    """
    retried = {label + name for name in refused for label in ("", "a-")}
    return [f"written: {sorted(names)}: {answer}" for names, answer in writes if not names <= retried]


def find_waits(leader: Replica, since: datetime) -> list[str]:
    """Return what the leader waits for, from its API and metrics.

    That is a complete reading of each zone that began after *since*, queued changes, decisions that are not final, and
    held deletes.
    """
    status, body = leader.get("/readyz")
    violations = [] if status == 200 else [f"not ready: {body}"]
    metrics = dict(line.rsplit(" ", 1) for line in leader.get("/metrics")[1].splitlines() if not line.startswith("#"))
    if float(metrics["extdns_names_queued"]):
        violations.append(f"names pending: {metrics['extdns_names_queued']}")
    violations += [
        f"waits: {line}"
        for name, reason, line in _list_decisions(leader)
        if reason not in EXPECTED_REASONS[name.removeprefix("also-")[0]]
    ]
    violations += [
        f"not read since {since}: {zone['name']}"
        for zone in leader.get_document("zones")["items"]
        if zone["readAt"] is None or datetime.fromisoformat(zone["readAt"]) < since
    ]
    held = leader.get_document("held")
    violations += [f"held: {entry}" for entry in held["items"]]
    return violations


def explain(leader: Replica, violations: Iterable[str]) -> list[str]:
    names = {name for line in violations for name in re.findall(r"name='([^']+)'", line)}
    return [f"decided: {line}" for name, _, line in _list_decisions(leader) if name in names]


def _list_decisions(leader: Replica) -> Iterator[tuple[str, str, str]]:
    after = ""
    while True:
        document = leader.get_document(f"names?limit=500{after}")
        for entry in document["items"]:
            for record in entry["records"]:
                line = f"{entry['name']} {record['type']} {record['action']} [{record['reason']}]"
                yield entry["name"], record["reason"], line
        if document["after"] is None:
            return
        after = f"&after={document['after']}"


def find_process_problems(replicas: Iterable[Replica]) -> list[str]:
    violations = [f"replica {replica.name} ended by itself: {code}" for replica in replicas for code in replica.exits]
    for replica in replicas:
        lines = replica.read_logs()
        for number, line in enumerate(lines):
            if "Traceback" in line or "level=critical" in line:
                violations.append(f"replica {replica.name} logged: {' / '.join(lines[number : number + 3])}")
    return violations


def find_all(
    service: DnsService, requested: Mapping[Key, set[Values]], writer: Writer, refused: Iterable[str]
) -> list[str]:
    return [
        *find_changed_foreign(service, writer.foreign),
        *find_unowned(service, writer.foreign),
        *find_differences(service, requested, writer.foreign, refused),
    ]
