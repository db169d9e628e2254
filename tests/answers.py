"""Check that plan, explain, page, API, Events and metrics show the same decisions about every record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.controller.statistics import count_statistics
from extdns.documents.name import build_name
from extdns.documents.names import NameQuery
from extdns.documents.object import build_object
from extdns.documents.plan import build_running_plan
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.documents.status import build_names
from extdns.kube.event_recorder import KubernetesEventRecorder
from extdns.metrics.metrics import Metrics
from extdns.model.reason import EventWhen, Reason
from extdns.web.api import Api
from extdns.web.pages import HtmlPages
from tests.fakes.event_list import record_events

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.documents.document import ZoneReference
    from extdns.documents.records import OutcomeDocument
    from extdns.engine.engine import Engine
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName

AT: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
ALL: Final = 100_000
_ALIKE: Final = 3
_ROW: Final = re.compile(r'<td data-label="State">.*?</td>')
_CODE: Final = re.compile(r"\[([a-z-]+)\]")

Answer = tuple[str, str, str]
"""Zone id, action and reason."""


def check(engine: Engine, config: Config) -> None:
    """Compare the decisions that all outputs show with those of *engine*."""
    live = ProcessSnapshot(engine=EngineSnapshot(engine), at=AT, at_s=0.0, kinds=(), changes=(), synced=True)
    _check_plan(live, config)
    _check_names(live)
    _check_page(live, config)
    for name, decided in _examples(live):
        _check_explained(live, config, name, decided)
        _check_objects(live, config, decided)
    _check_events(live)
    _check_metrics(engine, live)


def summarize(decision: Decision) -> Answer:
    return (decision.zone.id if decision.zone else "", decision.action.value, decision.reason.value)


def concerning(live: ProcessSnapshot) -> list[Decision]:
    return [one for one in live.engine.decisions if one.is_relevant]


def build_answer(zone: ZoneReference | None, action: str, reason: str) -> Answer:
    return (zone.id if zone else "", action, reason)


def _examples(live: ProcessSnapshot) -> Iterator[tuple[DnsName, tuple[Decision, ...]]]:
    """Yield the first three names with each combination of decisions, because many names are alike."""
    seen: Counter[object] = Counter()
    for name, decided in live.engine.decisions.by_name():
        alike = tuple((one.action, one.reason, one.type, one.current is None, not one.requested_by) for one in decided)
        seen[alike] += 1
        if seen[alike] <= _ALIKE:
            yield name, decided


def _check_plan(live: ProcessSnapshot, config: Config) -> None:
    plan = build_running_plan(live, config)
    found = Counter(
        (one.key, build_answer(one.zone, one.action, one.reason)) for one in (*plan.changes, *plan.unfulfilled)
    )
    assert found == Counter(
        (one.key, summarize(one)) for one in concerning(live) if one.reason is not Reason.PUBLISHED
    ), "plan"


def _check_names(live: ProcessSnapshot) -> None:
    found = Counter(
        (entry.name, one.set_identifier, one.type, build_answer(one.zone, one.action, one.reason))
        for entry in build_names(live, live.names.find_page(NameQuery(), "", ALL)).items
        for one in entry.records
    )
    assert found == Counter(
        (str(one.name), one.set_identifier, one.type, summarize(one)) for one in concerning(live)
    ), "API"


def _check_page(live: ProcessSnapshot, config: Config) -> None:
    pages = HtmlPages(config, Api(config, tuple))
    found: Counter[str] = Counter()
    after: str | None = ""
    while after is not None:
        html = pages.build_page(live, "/", f"limit=500&after={after}", "http://localhost").body.decode()
        found += Counter(next(iter(_CODE.findall(row)), "published") for row in _ROW.findall(html))
        after = live.names.find_page(NameQuery(), after, 500).after
    assert found == Counter(one.reason.value for one in concerning(live)), "page"


def _check_explained(live: ProcessSnapshot, config: Config, name: DnsName, decided: Iterable[Decision]) -> None:
    document = build_name(live.engine, name, config, missing=(), live=live)
    outcomes = [one for claim in document.claims for one in claim.outcomes]
    outcomes += [one.outcome for one in document.records if one.outcome]
    about = tuple(decided)
    assert set(map(_outcome, outcomes)) >= {summarize(one) for one in about if one.is_relevant}, f"explain {name}"
    assert {_outcome(one) for one in outcomes if one.reason not in _LEFT_OUT} <= set(map(summarize, about)), (
        f"explain {name}"
    )
    if any(one.is_relevant for one in about):
        assert document.reason in {one.reason for one in about}, f"explain {name}"


_LEFT_OUT: Final = frozenset({Reason.TYPE_UNMANAGED, Reason.DOMAIN_FILTERED})
"""Reasons that only `explain` shows, for records that are not planned."""


def _outcome(one: OutcomeDocument) -> Answer:
    return build_answer(one.zone, one.action, one.reason)


def _check_objects(live: ProcessSnapshot, config: Config, decided: Iterable[Decision]) -> None:
    for key in {provenance.ref.key for one in decided for provenance in one.requested_by}:
        text = f"{key.kind.resource}/{key.namespace}/{key.name}" if key.namespace else f"{key.kind.resource}/{key.name}"
        document = build_object(live.engine, text, config, (), live)
        found = Counter((one.name, _outcome(one.outcome)) for one in document.names)
        about = (
            one for one in live.engine.decisions if any(provenance.ref.key == key for provenance in one.requested_by)
        )
        assert found == Counter((str(one.name), summarize(one)) for one in about), f"explain {text}"


def _check_events(live: ProcessSnapshot) -> None:
    for one in live.engine.decisions:
        found = record_events(partial(KubernetesEventRecorder.record_decisions, decisions=(one,)))
        rule = one.reason.row.event_rule
        if rule is EventWhen.ALWAYS:
            assert [message.regarding for message in found] == [provenance.ref for provenance in one.requested_by], (
                "Events"
            )
        assert all(
            message.reason == one.reason.event and message.text.endswith(f"[{one.reason}]") for message in found
        ), "Events"


def _check_metrics(engine: Engine, live: ProcessSnapshot) -> None:
    metrics = Metrics()
    metrics.set_statistics(count_statistics(engine, "me", 0))
    found = re.findall(r'^extdns_decisions\{reason="([a-z-]+)"\} (\d+)', metrics.render().decode(), re.MULTILINE)
    assert {code: int(number) for code, number in found} == Counter(one.reason.value for one in live.engine.decisions)
