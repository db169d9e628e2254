"""Build the audit log and the decision log, which are written beside the log of the process."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns import __version__
from extdns.errors import InvalidValueError, escape_unprintable, sanitize
from extdns.flags.process import STANDARD_OUTPUT
from extdns.flags.usage_errors import usage_error
from extdns.masking import mask_url

if TYPE_CHECKING:
    from extdns.audit.audit_log import AuditLog
    from extdns.audit.decision_log import DecisionLog
    from extdns.audit.line_targets import LineTarget
    from extdns.config import Config
    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.engine import Engine
    from extdns.ports import Clock, ZoneWriter

_PROCESS_ID_BYTES: Final = 6
"""The length of the random id by which both logs tell processes apart."""
_COLLECTOR_TIMEOUT_S: Final = 5.0


def build_logs(
    config: Config, writer: ZoneWriter | None, engine: Engine, clock: Clock, reporter: ActivityReporter
) -> tuple[AuditLog | None, DecisionLog | None]:
    """Build the audit log of everything that *writer* writes, and the decision log of *engine*.

    Each is None without its flag. In a dry run both are None, but their flags are checked.

    Raises:
        UsageError: a flag that must name a file, a URL or fields does not.
    """
    target = _build_audit_target(config) if config.log.audit_log else None
    decision_log = _build_decision_log(config, clock, reporter) if config.rules.decision_log else None
    if writer is None:
        return None, None
    audit = _build_audit_log(target, writer, engine, clock, reporter) if target else None
    return audit, decision_log


def _build_audit_log(
    target: LineTarget, writer: ZoneWriter, engine: Engine, clock: Clock, reporter: ActivityReporter
) -> AuditLog:
    from extdns.audit.audit_log import AuditLog

    return AuditLog(
        writer,
        target,
        engine,
        clock=clock,
        process=_create_process_id(),
        report=reporter.report_audit_log,
        report_defect=reporter.report_defect,
    )


def _build_decision_log(config: Config, clock: Clock, reporter: ActivityReporter) -> DecisionLog:
    from extdns.audit.decision_log import DecisionLog
    from extdns.documents.decision_log import parse_field_path

    flags = config.rules
    for field_path in flags.decision_log_erase:
        try:
            parse_field_path(field_path)
        except ValueError as exc:
            raise usage_error(f"--decision-log-erase={sanitize(field_path)} names no field", str(exc)) from None
    labels = {"app": "extdns", "version": __version__, "id": _create_process_id(), "replica": socket.gethostname()}
    return DecisionLog(
        _build_decision_target(flags.decision_log, flags.decision_log_max_size, flags.decision_log_max_files),
        clock=clock,
        labels=labels | {"owner": config.registry.txt_owner_id},
        erased=flags.decision_log_erase,
        metrics=reporter.metrics,
    )


def _build_audit_target(config: Config) -> LineTarget:
    flags = config.log
    return _build_target("--audit-log", flags.audit_log, flags.audit_log_max_size, flags.audit_log_max_files)


def _build_decision_target(value: str, max_mib: int, max_files: int) -> LineTarget:
    if not value.startswith(("http://", "https://")):
        return _build_target("--decision-log", value, max_mib, max_files)
    from extdns.opa.connection import OpaConnection, OpaSettings
    from extdns.opa.log_collector import LogCollector

    try:
        return LogCollector(OpaConnection(OpaSettings(url=value, timeout_s=_COLLECTOR_TIMEOUT_S)))
    except InvalidValueError as exc:
        raise usage_error(
            f"--decision-log={sanitize(mask_url(value))} is no URL", "allowed: stdout, a file, http://… or https://…"
        ) from exc


def _build_target(flag: str, value: str, max_mib: int, max_files: int) -> LineTarget:
    from extdns.audit.line_targets import RotatedFile, StandardOutput

    if value == STANDARD_OUTPUT:
        return StandardOutput()
    path = Path(value)
    # a pipe or device cannot be read again, nor renamed: /dev/stdout, if it is not redirected to a file
    try:
        is_other = "\0" in value or (path.exists() and not path.is_file())
    except OSError:  # a name that is too long, or a folder that the user may not search
        is_other = True
    if is_other:
        raise usage_error(f"{flag}={escape_unprintable(value)} is not a file", "allowed: stdout, or the path of a file")
    return RotatedFile(path, max_mib=max_mib, max_files=max_files)


def _create_process_id() -> str:
    return os.urandom(_PROCESS_ID_BYTES).hex()
