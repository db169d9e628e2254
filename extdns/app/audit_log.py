"""The audit log: in a file or on standard output (docs/design/audit-log.md)."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from extdns.controller.audit_file import AuditTarget, RotatedFile, StandardOutput
from extdns.controller.audit_log import AuditLog
from extdns.errors import sanitize
from extdns.flags.process import STANDARD_OUTPUT
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from extdns.config import LogFlags
    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.engine import Engine
    from extdns.ports import Clock, ZoneWriter

_PROCESS_BYTES = 6


def build_audit_log(
    flags: LogFlags, writer: ZoneWriter, engine: Engine, clock: Clock, reporter: ActivityReporter
) -> AuditLog:
    """Build the audit log that *flags* name, for everything that *writer* writes. *reporter* reports its problems.

    Raises:
        UsageError: the value of `--audit-log` is not a path.
    """
    return AuditLog(
        writer,
        _build_target(flags),
        engine,
        clock=clock,
        process=secrets.token_hex(_PROCESS_BYTES),
        report=reporter.report_audit_log,
        report_defect=reporter.report_defect,
    )


def _build_target(flags: LogFlags) -> AuditTarget:
    if flags.audit_log == STANDARD_OUTPUT:
        return StandardOutput()
    path = Path(flags.audit_log)
    if "\0" in flags.audit_log or path.is_dir():
        raise usage_error(
            f"--audit-log={sanitize(flags.audit_log)} is not a file", "allowed: stdout, or the path of a file"
        )
    return RotatedFile(path, max_mib=flags.audit_log_max_size, max_files=flags.audit_log_max_files)
