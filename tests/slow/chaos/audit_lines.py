"""The audit logs of a chaos run, compared with the changes that the DNS service carried out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.slow.chaos.services import DnsService, Key

Json = Mapping[str, Any]
_UNANSWERED: Final = frozenset({"", "unknown"})
"""Outcomes of changes of which it is not known whether the service carried them out."""


class Transition(NamedTuple):
    """One change of the values of a record set; () if there was or is none."""

    key: Key
    before: tuple[str, ...]
    after: tuple[str, ...]


def read_changes(paths: Iterable[Path]) -> list[Json]:
    """Return the last complete line of each change in the audit logs at *paths*, with the name of its `file` added."""
    last: dict[str, Json] = {}
    for path in paths:
        for text in path.read_bytes().splitlines():
            try:
                line = json.loads(text)
            except ValueError:  # a process was killed within the line
                continue
            last[line["id"]] = line | {"file": path.name}
    return list(last.values())


def describe_changes(changes: Iterable[Json]) -> list[str]:
    """Return a line of text for each of *changes*: when, by which replica, what, why, and with which result."""
    return [
        f"changed: {line['at']} by process {line['process']} in {line['file']}: {_parse_transition(line)} "
        f"[{line['reason']}] {line['detail']} {line['evidence']} resource={line['resource']}: "
        f"{line['outcome']} {line['message']}"
        for line in sorted(changes, key=lambda line: line["at"])
    ]


def find_repeated_changes(changes: Iterable[Json]) -> list[str]:
    """Return a line for each record that one process changed, or tried to change, more than once in *changes*.

    Attempts without an answer do not count: they have to be repeated.
    """
    answered = (line for line in changes if line["outcome"] not in _UNANSWERED)
    counts = Counter((line["process"], _parse_transition(line).key) for line in answered)
    return [
        f"changed {count} times by process {process}: {key}" for (process, key), count in counts.items() if count > 1
    ]


def find_audit_differences(service: DnsService, changes: Collection[Json]) -> list[str]:
    """Compare the *changes* in the audit logs with the journal of *service*, if it keeps one.

    Each change that was carried out must be in the logs, as applied or as unknown, and each one that is in the logs as
    applied must have been carried out. What was found of an unknown one proves nothing here: the other replica may have
    changed the record before it was read.
    """
    journal = Counter(_list_carried_out(service))
    if not journal:
        return []
    applied: Counter[Transition] = Counter()
    unknown: Counter[Transition] = Counter()
    for line in changes:
        if line["type"] != "TXT" and (transition := _parse_transition(line)).before != transition.after:
            applied[transition] += line["outcome"] == "applied"
            unknown[transition] += line["outcome"] in _UNANSWERED
    violations = [f"not carried out, but in the audit log: {one}" for one in applied - journal]
    for one in journal - applied - unknown:
        lines = [line for line in changes if line["type"] != "TXT" and _parse_transition(line).key == one.key]
        violations.append(f"carried out, but not in the audit log: {one}; its record there: {describe_changes(lines)}")
    return sorted(violations)


def _list_carried_out(service: DnsService) -> Iterator[Transition]:
    for step in service.journal():
        for key, old, new in step.changes if step.by_program else ():
            before, after = (service.values(one) if one is not None else () for one in (old, new))
            if key.type != "TXT" and before != after:
                yield Transition(key, before, after)


def _parse_transition(line: Json) -> Transition:
    key = Key(line["zone"]["name"], line["name"], line["type"], line["setIdentifier"])
    return Transition(key, _parse_values(line["before"]), _parse_values(line["after"]))


def _parse_values(data: Json | None) -> tuple[str, ...]:
    """Return the values of a record set as `DnsService.values` does."""
    if data is None:
        return ()
    targets = sorted(target.rstrip(".") for target in data["targets"])
    return ("alias", *targets) if data["properties"].get("alias") == "true" else tuple(targets)
