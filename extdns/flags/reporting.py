"""Logs, metrics and Events."""

from __future__ import annotations

from typing import Final

from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.flag import Flag
from extdns.flags.kind import choice, text

LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("panic", "fatal", "error", "warning", "info", "debug", "trace")

FLAGS: Final = (
    Flag(
        name="log-format",
        kind=choice("a log format", *LOG_FORMATS, metavar="FORMAT"),
        default="text",
        help="form of the log lines: text or json",
    ),
    Flag(
        name="log-level",
        kind=choice("a log level", *LOG_LEVELS, metavar="LEVEL"),
        default="info",
        help="least severity that is logged: panic, fatal, error, warning, info, debug or trace",
    ),
    Flag(
        name="metrics-address",
        kind=ADDRESS,
        default=ListenAddress(host="", port=7979),
        help="where /healthz and /metrics are served",
    ),
    Flag(
        name="web-address",
        kind=ADDRESS,
        default=ListenAddress(host="127.0.0.1", port=7980),
        help="where the live page and the JSON API are served, which show all names to whoever can reach it",
    ),
    Flag(
        name="events-emit",
        kind=text("REASON"),
        default=(),
        repeatable=True,
        help="reason for which Events are put on objects besides problems, which always are: RecordReady or "
        "RecordDeleted; with --compat problems are only by RecordError",
    ),
)
