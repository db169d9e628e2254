"""Log lines: an event, which is a constant, and fields, which hold the data (spec plan 1.7).

A room raises; whoever decides what an error means logs it, once. The reference's users alert on
some of its lines, so a few events are templates that take part of the fields into the message.
"""

from __future__ import annotations

import json
import logging
import math
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from string import Formatter
from typing import Final, TextIO


class Event(StrEnum):
    """What is logged; the value is the message, with the fields it takes up in braces."""

    # start and end
    STARTED = "extdns {version}"
    CONFIGURED = "Configuration"
    FLAG_MOOT = "Notice about a flag"
    NETWORK_IGNORED = "A target network that is none is left out of the filter"
    DRY_RUN = "running in dry-run mode. No changes to DNS records will be made."
    SERVING = "Health and metrics are served"
    PAGE_SERVED = "The live page is served"
    PAGE_UNSERVED = "The live page cannot be served; everything else goes on"
    SIGNALLED = "Received {signal}. Terminating..."
    LOOP_ENDED = "Terminating main controller loop"
    WRITE_ABANDONED = "A change under way did not end in time; what became of it is read at the next start"
    UNFINISHED = "The pass ended before it was complete"
    LEADS = "This process leads: it writes"
    LEADS_NO_MORE = "This process does not lead any more: it writes nothing until it does again"
    STANDING_BY = "Another process leads; this one stands by"
    LEASE_FAILED = "The Lease cannot be had; who does not hold it writes nothing"
    # changes
    DESIRED_CHANGE = "Desired change: {action} {name} {type}"
    UP_TO_DATE = "All records are already up to date"
    RUN_DONE = "A run is over"
    DELETES_HELD = "Deletes are held until a person releases them; creates and updates go on"
    NOTHING_HELD = "No delete is held here any more"
    STATE_UNKEPT = "What outlives the process cannot be loaded or kept; records that nobody asks for are held"
    STATE_BROKEN = "What was kept for our owner id cannot be read; it counts as nothing, and is replaced"
    EVENTS_OFF = "Events cannot be put on objects for want of a right; they are switched off"
    EVENTS_DROPPED = "Events come faster than they can be put on objects; some are left out"
    EVENT_UNSENT = "An Event could not be put on its object"
    STATUSES_OFF = "The status of objects cannot be written; that is switched off"
    STATUSES_NARROW = "The CRD of DNSEndpoints has no room for conditions; only status.observedGeneration is written"
    STATUS_UNWRITTEN = "The status of an object could not be written"
    # what became of a batch
    APPLIED = "{count} record(s) were successfully updated"
    CONFLICT = "Records were changed by somebody else meanwhile; nothing was written, they are read again"
    REFUSED = "The DNS service refused a change; what it is about is set aside, the rest goes on"
    FORBIDDEN = "The right to change a zone is missing; other zones go on"
    TRY_LATER = "The DNS service is busy or failing; the change is sent again"
    UNKNOWN = "The DNS service did not answer; the zone is asked what became of the change"
    # what objects ask for
    OBJECT_UNREADABLE = "An object cannot be read; its last good version counts"
    OBJECT_READABLE = "An object can be read again"
    OBJECT_FAILED = "What an object asks for cannot be computed; what is published for it stays"
    OBJECT_MISTAKE = "A value on an object is not valid; it counts for nothing, the rest of the object goes on"
    CLAIM_REFUSED = "A name is not published as an object asks"
    CLAIM_KEPT = "A record is kept as it is"
    # what is read
    ZONES_UNLISTED = "Zones cannot be listed; those known so far stay, and they are asked for again"
    PROGRESS = "{read} of {zones} zones are read, {waiting} names wait to be written"
    ZONE_UNREAD = "A zone cannot be read; it is tried again, other zones go on"
    SOURCE_PHASE = "The list of a kind of object came to another phase"
    DEFECT = "extdns failed where it should not; the work goes on, please report this"
    # the web server
    REQUEST_FAILED = "A request could not be answered"


LEVELS: Final[Mapping[str, int]] = {
    "panic": logging.CRITICAL,
    "fatal": logging.CRITICAL,
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": 5,
}
"""What `--log-level` may say, and what the standard library calls it."""

_OURS: Final = "extdns"
_MAX_CHARACTERS: Final = 1000
_MAX_JSON_BITS: Final = 53  # what every JSON reader keeps exactly
_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._/@^+]*")
_ESCAPES: Final = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_RESERVED: Final = frozenset({"time", "level", "msg"})
_WORDS: Final = tuple((LEVELS[word], word) for word in ("fatal", "error", "warning", "info", "debug"))
_FIELDS: Final = "extdns_fields"


class Log:
    """Writes events; no value of a field can make it raise or break the line."""

    def __init__(self, logger: logging.Logger) -> None:
        """Write to *logger*."""
        self._logger = logger

    def debug(self, event: Event, /, **fields: object) -> None:
        """Write what helps to follow the work; fields that are None are left out."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: Event, /, **fields: object) -> None:
        """Write what an operator wants to see of normal work; fields that are None are left out."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: Event, /, **fields: object) -> None:
        """Write what somebody should mend; fields that are None are left out."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: Event, /, **fields: object) -> None:
        """Write what failed; fields that are None are left out."""
        self._write(logging.ERROR, event, fields)

    def _write(self, level: int, event: Event, fields: dict[str, object]) -> None:
        self._logger.log(level, event.value, extra={_FIELDS: fields})


def get(name: str) -> Log:
    """The log of a module, by its `__name__`."""
    return Log(logging.getLogger(name))


def configure(*, format: str, level: str, stream: TextIO | None = None) -> None:  # noqa: A002 - the flag's word
    """Send every line to *stream* (standard error), replacing what an earlier call set up.

    Libraries are heard from `warning` on, whatever *level* is: what they say below that may hold
    request headers and bodies.

    Args:
        format: `text` or `json`, as `--log-format`.
        level: a key of `LEVELS`; lines below it are left out.
        stream: where lines go.
    """
    lines = _Lines(stream or sys.stderr)
    lines.setFormatter(JsonFormatter() if format == "json" else TextFormatter())
    root = logging.getLogger()
    for earlier in [handler for handler in root.handlers if isinstance(handler, _Lines)]:
        root.removeHandler(earlier)
    root.addHandler(lines)
    root.setLevel(max(LEVELS[level], logging.WARNING))
    logging.getLogger(_OURS).setLevel(LEVELS[level])


class _Lines(logging.StreamHandler[TextIO]):
    """Writes lines; a pipe that was closed or a disk that is full must not stop the work."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the standard library's name
        """Lose the line."""


class TextFormatter(logging.Formatter):
    """`time="2026-11-20T09:14:31Z" level=info msg="…" key=value`, fields sorted by key."""

    def format(self, record: logging.LogRecord) -> str:
        """Write *record* as one line of printable characters."""
        message, fields = _content(record)
        pairs = [("time", _time(record)), ("level", _word(record)), ("msg", message)]
        pairs += [(key, _text(value)) for key, value in sorted(fields.items())]
        return " ".join(f"{key}={_quoted(text)}" for key, text in pairs)


class JsonFormatter(logging.Formatter):
    """An object with `level`, `msg`, `time` and the fields, keys sorted; ASCII only."""

    def format(self, record: logging.LogRecord) -> str:
        """Write *record* as one JSON object on one line."""
        message, fields = _content(record)
        values = {key: value if _is_json_number(value) else _text(value) for key, value in fields.items()}
        own = {"level": _word(record), "msg": message, "time": _time(record)}
        return json.dumps({**values, **own}, sort_keys=True)


def _content(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    """The message and the fields that it has not taken up."""
    given: dict[str, object] | None = getattr(record, _FIELDS, None)
    if given is None:
        return _library_message(record)
    template = str(record.msg)
    taken = {name for _, name, _, _ in Formatter().parse(template) if name}
    message = template.format_map({name: _text(given.get(name)) for name in taken})
    left = {key: value for key, value in given.items() if key not in taken and value is not None}
    return message, {f"fields.{key}" if key in _RESERVED else key: value for key, value in left.items()}


def _library_message(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001 - arguments that do not fit the format are a library's mistake, not a reason to stop
        message = _text(record.msg)
    error = record.exc_info[1] if record.exc_info else None
    return _text(message), {"error": f"{type(error).__name__}: {_text(error)}"} if error else {}


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _word(record: logging.LogRecord) -> str:
    return next((word for least, word in _WORDS if record.levelno >= least), "trace")


def _is_json_number(value: object) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _MAX_JSON_BITS
    return isinstance(value, float) and math.isfinite(value)


def _text(value: object) -> str:
    """*value* as text that a line can bear; what comes from objects and zones may be of any length."""
    try:
        if isinstance(value, tuple | list):
            text = ", ".join(map(str, value))
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
    except Exception:  # noqa: BLE001 - a line about a fault must not become a fault
        text = f"({type(value).__name__})"
    if len(text) <= _MAX_CHARACTERS:
        return text
    return f"{text[:_MAX_CHARACTERS]}… ({len(text)} characters)"


def _quoted(text: str) -> str:
    """*text* as the reference's logger writes it: bare if it is plain, else quoted and escaped."""
    if _PLAIN.fullmatch(text):
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES or character.isprintable():
        return _ESCAPES.get(character, character)
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits end there
