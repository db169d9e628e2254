"""In each recorded case all commands, pages and metrics show the same decisions, and a run makes the plan."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.commands.one_pass import ZonesOfNameReader
from extdns.config import parse
from extdns.engine.decisions import CHANGING
from extdns.errors import UsageError
from extdns.model.change import Action
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.spec import build_settings
from tests import answers
from tests.corpus.case import Case, load, names
from tests.corpus.test_corpus import build_manifests_flag
from tests.route53 import service

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from extdns.config import Config
    from extdns.engine.engine import Engine
    from extdns.model.change import Decision
    from extdns.ports import ZoneReader

COMPAT: Final = [pytest.param(["--compat"], id="compat"), pytest.param([], id="ours")]


def run_once(
    case: Case, flags: Sequence[str], narrow: Callable[[ZoneReader], ZoneReader] | None = None, *, writes: bool = False
) -> tuple[Engine, Config]:
    """Return the engine after one run with *flags*, and its configuration."""
    _, clients = service()
    config = parse(flags, case.environ)
    config = replace(config, control=config.control.replace(dry_run=not writes))
    settings = build_settings(build_context(config))
    reader: ZoneReader = Route53Reader(settings, clients)
    writer = Route53Writer(clients, conditional=settings.conditional) if writes else None
    running = assembly.assemble(config, service=(narrow(reader) if narrow else reader, writer))
    running.controller.run(once=True)
    assert running.controller.is_complete
    return running.engine, config


def summarize_decisions(decisions: Sequence[Decision]) -> list[tuple[object, ...]]:
    return sorted((*one.key, one.action.value, one.reason.value, one.detail) for one in decisions)


@pytest.mark.parametrize("compat", COMPAT)
@pytest.mark.parametrize("name", names())
def test_commands_pages_and_metrics_show_the_same_changes_and_a_run_makes_exactly_these(
    name: str, compat: list[str], tmp_path: Path
) -> None:
    case = load(name)
    fake, _ = service()
    fake.reset()
    fake.api.health_checks |= case.health_checks
    for zone in case.zones:
        fake.add_zone(**zone)
    flags = [
        *case.flags,
        "--once",
        "--provider=aws",
        "--metrics-address=127.0.0.1:0",
        build_manifests_flag(case, tmp_path),
        *compat,
    ]
    try:
        parse(flags, case.environ)
    except UsageError:
        return
    engine, config = run_once(case, flags)
    answers.check(engine, config)
    for dns_name, decided in engine.decisions.by_name():
        alone, _ = run_once(case, flags, partial(ZonesOfNameReader, name=dns_name))
        assert summarize_decisions(alone.decisions.decisions(dns_name)) == summarize_decisions(decided)
    done, _ = run_once(case, flags, writes=True)
    assert differences(engine, done) == []


def differences(planned: Engine, done: Engine) -> list[str]:
    """Return each decision of a dry run that the real run did not carry out, as text."""
    return [
        f"{one.name} {one.type}: {one.action} {one.reason} was planned, the run made {_describe_outcome(one, done)}"
        for one in planned.decisions
        if not _is_done(one, [then for then in done.decisions.decisions(one.name) if then.key == one.key])
    ]


def _describe_outcome(one: Decision, done: Engine) -> str:
    return ", ".join(
        f"{then.action} {then.reason}" for then in done.decisions.decisions(one.name) if then.key == one.key
    )


def _is_done(one: Decision, after: Sequence[Decision]) -> bool:
    """Return whether *after*, the decisions about a record after a run, show that *one* was carried out."""
    if one.action is Action.DELETE:
        return not any(then.current for then in after)
    if one.action in CHANGING:  # with --compat it may lack an ownership record afterwards
        assert one.desired
        return any(then.current and then.current.record.targets == one.desired.targets for then in after)
    return any((then.action, then.reason) == (one.action, one.reason) for then in after)
