"""Build the audit log, which is written beside the log of the process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.errors import escape_unprintable
from extdns.flags.process import STANDARD_OUTPUT
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from extdns.audit.audit_log import AuditLog
    from extdns.audit.line_targets import LineTarget
    from extdns.config import Config
    from extdns.controller.reporter import ActivityReporter
    from extdns.engine.engine import Engine
    from extdns.ports import Clock, ZoneWriter

_PROCESS_ID_BYTES: Final = 6
"""The length of the random id by which the log tells processes apart."""


def build_audit_log(
    config: Config, writer: ZoneWriter | None, engine: Engine, clock: Clock, reporter: ActivityReporter
) -> AuditLog | None:
    """Build the audit log of everything that *writer* writes; None without `--audit-log`.

    In a dry run it is None, but its flags are checked.
    """
    if not config.log.audit_log:
        return None
    target = _build_target(config)
    if writer is None:
        return None
    from extdns.audit.audit_log import AuditLog

    return AuditLog(
        writer,
        target,
        engine,
        clock=clock,
        process=os.urandom(_PROCESS_ID_BYTES).hex(),
        report=reporter.report_audit_log,
        report_defect=reporter.report_defect,
    )


def _build_target(config: Config) -> LineTarget:
    from extdns.audit.line_targets import RotatedFile, StandardOutput

    value = config.log.audit_log
    if value == STANDARD_OUTPUT:
        return StandardOutput()
    path = Path(value)
    # a pipe or device cannot be read again, nor renamed: /dev/stdout, if it is not redirected to a file
    try:
        is_other = "\0" in value or (path.exists() and not path.is_file())
    except OSError:  # a name that is too long, or a folder that the user may not search
        is_other = True
    if is_other:
        raise usage_error(
            f"--audit-log={escape_unprintable(value)} is not a file", "allowed: stdout, or the path of a file"
        )
    return RotatedFile(path, max_mib=config.log.audit_log_max_size, max_files=config.log.audit_log_max_files)
