"""`extdns` without a subcommand: keep the records up to date, or make one pass (`--once`)."""

from __future__ import annotations

import gc
from typing import Final

from extdns import __version__, log
from extdns.app import assembly
from extdns.app.state_store import find_file_failure, is_state_missing
from extdns.commands.output import show_lines
from extdns.config import Config, list_settings
from extdns.controller.exit_codes import FAILED, compute_exit_code
from extdns.controller.state_dump import print_on_signal
from extdns.controller.stop_signals import StopSignals
from extdns.documents.scope_warnings import find_scope_warnings
from extdns.engine.scope import measure_scope
from extdns.errors import UsageError
from extdns.log import Event

_log = log.get(__name__)

# Frozen values form no reference cycles. With the default threshold of 700 allocations, the garbage collector takes a
# fifth of a full pass.
GC_THRESHOLD: Final = 50_000


def main(config: Config, signals: StopSignals) -> int:
    """Run until a signal, or with `--once` make one pass. Return the exit code.

    The code is 0; with `--once` also 1 if something failed or the pass was interrupted, 3 if deletes are held, 4 if
    no zone or object was read or filters exclude them all (docs/design/messages.md, "Exit codes"). A dry run of one
    pass prints its plan.
    """
    gc.set_threshold(GC_THRESHOLD)
    log.configure(format=config.log.format, level=config.log.level)
    _log_start(config)
    if is_state_missing(config):
        _log.warning(Event.STATE_NOT_CONFIGURED)
    if config.control.dry_run:
        _log.info(Event.DRY_RUN)
    running = assembly.assemble(config)
    signals.deliver_to(running.controller.stop)
    try:
        with running.server, print_on_signal(running.controller.describe_state):
            if not config.control.once:
                _serve_page(running)
            running.controller.run(once=config.control.once)
    finally:
        running.controller.close()
        running.page.close()
    return _finish_once(config, running) if config.control.once else 0


def _finish_once(config: Config, running: assembly.Assembly) -> int:
    if not running.controller.first_pass_done.is_set():
        _log.error(Event.INCOMPLETE)
        return FAILED
    engine = running.engine
    if config.control.dry_run:
        from extdns.documents.plan import build_plan_content, format_plan, summarize_pass

        show_lines(format_plan(build_plan_content(summarize_pass(config, engine))))
    if not running.controller.is_complete or running.observers.unwritten_line_count:
        return FAILED
    if find_file_failure(config, engine):
        return FAILED
    warnings = find_scope_warnings(config, measure_scope(engine))
    return compute_exit_code(engine, leaves_nothing=any(one.leaves_nothing for one in warnings))


def _serve_page(running: assembly.Assembly) -> None:
    """Start the web server. If that fails, log the error and continue, since nothing else depends on it."""
    try:
        running.page.start()
    except UsageError as exc:
        _log.warning(Event.PAGE_NOT_SERVED, message=str(exc).partition("\n")[0])


def _log_start(config: Config) -> None:
    _log.info(Event.STARTED, version=__version__)
    texts = {flag.name: flag.format_values(value, masked=True) for flag, value in list_settings(config)}
    _log.info(Event.CONFIGURED, **{name: ", ".join(values) for name, values in texts.items() if values})
    for notice in config.notices:
        _log.warning(Event.FLAG_NOTICE, notice=notice)
    for warning in config.warnings:
        _log.warning(Event.FLAG_INEFFECTIVE, warning=warning.replace("\n ", ";"))
