"""Log lines: an event, which is a constant message, and fields, which hold the data (docs/spec/plan.md 1.7).

An error is logged once, where it is handled. Some events are templates that take fields into the message, among others
those that users of external-dns alert on. `LogLimiter` limits the lines about single names and objects.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from string import Formatter
from typing import Final, TextIO

from extdns.errors import escape_unprintable
from extdns.masking import mask


class Event(StrEnum):
    """The messages of log lines. Fields in braces become part of the message; all others follow it as key=value."""

    # start and end
    STARTED = "extdns {version}"
    CONFIGURED = "Configuration"
    FLAG_NOTICE = "Notice about a flag"
    FLAG_INEFFECTIVE = "Flag value has no effect"
    DRY_RUN = "running in dry-run mode. No changes to DNS records will be made."
    SERVING = "Serving health and metrics"
    PAGE_SERVED = "Serving the live page"
    PAGE_NOT_SERVED = "Cannot serve the live page; extdns continues without it"
    SIGNAL_RECEIVED = "Received {signal}. Terminating..."
    LOOP_TERMINATED = "Terminating main controller loop"
    WRITE_ABANDONED = (
        "A write to the DNS service did not end before shutdown; the next process reads whether it was applied"
    )
    INCOMPLETE = "The pass ended before it was complete"
    BECAME_LEADER = "Became leader; this process writes now"
    NO_LONGER_LEADER = "Lost leadership; this process writes nothing until it leads again"
    STANDBY = "Another process is the leader; this one is a standby"
    LEASE_FAILED = "Cannot acquire or renew the Lease; extdns writes nothing without it"
    # changes
    DESIRED_CHANGE = "Desired change: {action} {name} {type}"
    UP_TO_DATE = "All records are already up to date"
    NO_CHANGES = "No record changes, but some records are not as requested"
    NOTHING_PLANNED = "Nothing to plan; warnings state what the settings may leave out"
    SCOPE = "The settings may leave something out by mistake"
    RUN_DONE = "Run complete"
    LINES_OMITTED = "Omitted log lines about single names or objects; --log-level=debug shows all"
    DELETES_HELD = "Deletes are held until a person approves them; creates and updates continue"
    NO_DELETES_HELD = "This scope holds no deletes any more"
    BULK_UPDATE = (
        "Without saved state, the first pass changed many records of ours; does another cluster have the same owner id?"
    )
    OTHER_CLUSTER = "The objects come from another cluster than before: updates and deletes are held"
    CLUSTER_ACCEPTED = "Updates and deletes are no longer held because of another cluster"
    EXISTENCE_UNKNOWN = "Cannot determine whether an object still exists; its records stay, and extdns checks again"
    STATE_NOT_SAVED = "Cannot load or save state; extdns retries, and deletes may wait or be held until then"
    STATE_NOT_CONFIGURED = (
        "No state is saved: neither --state-configmap nor --state-file is set; the next process will not know which"
        " deletes were made, held or approved, nor from which cluster the objects came"
    )
    STATE_MISSING = "No saved state was found, although records of ours exist"
    STATE_UNREADABLE = "Cannot decode the saved state of our owner id; it counts as missing and is replaced"
    EVENTS_DISABLED = "No permission to record Events in a namespace; it gets none"
    EVENTS_DROPPED = "Too many Events at once; some are dropped"
    EVENT_NOT_RECORDED = "Cannot record an Event"
    STATUS_DISABLED = "Cannot write object statuses; they are disabled"
    STATUS_FORBIDDEN = "No permission to write object statuses in a namespace; it gets none"
    STATUS_WITHOUT_CONDITIONS = "The DNSEndpoint CRD has no conditions; only status.observedGeneration is written"
    FINALIZER_NOT_CHANGED = (
        "No permission to patch DNSEndpoints in a namespace: finalizers stay as they are there, and with them deleted "
        "objects"
    )
    FINALIZER_TIMED_OUT = (
        "A deleted DNSEndpoint is let go before its records are gone; they are deleted or held like others"
    )
    STATUS_NOT_WRITTEN = "Cannot write the status of an object"
    AUDIT_LOG_FAILED = "Cannot write the audit log; records are changed all the same, and its lines wait in memory"
    AUDIT_LOG_WRITTEN = "The audit log can be written again"
    LINES_UNWRITTEN = "Lines of a log were not written before the process ended, and are lost"
    # rules
    RULES_CHANGED = "Rules changed"
    RULE_UNUSABLE = "Cannot use a rule or read a file of rules; its last valid version, if there is one, stays in use"
    RULE_USABLE = "A problem with a rule or a file of rules no longer exists"
    RULE_WARNING = "A rule is used, but perhaps not as intended"
    POLICY_SERVER_FAILED = "The policy server does not answer"
    POLICY_SERVER_ANSWERS = "The policy server answers again"
    POLICY_FAILED = "A policy gives no valid answer for some records; they stay as they are"
    POLICY_STATUS_NOT_WRITTEN = "Cannot write the status of a policy to its ConfigMap"
    # outcomes of batches
    APPLIED = "{count} record(s) were successfully updated"
    WRITE_CONFLICT = "Write conflict: another writer changed the records; nothing was written, extdns reads them again"
    REFUSED = "The DNS service rejected a change; extdns retries it with back-off, other changes continue"
    FORBIDDEN = "No permission to change a zone; other zones continue"
    TRY_LATER = "Nothing was written; extdns sends the change again"
    EMULATED = "An emulator of Route 53 refuses conditional writes; extdns reads the zone, then overwrites records"
    ROWS_LEFT = "Cannot remove rows that have no record now; extdns tries again after the next batch of their zone"
    UNKNOWN = "A change may have been made, wholly or in part; extdns makes what is missing"
    # objects
    OBJECT_UNREADABLE = "Cannot parse {what}; keeping the last valid version"
    OBJECT_READABLE = "The {what} is valid again"
    OBJECT_FAILED = "Cannot compute the claims of an object; its records stay"
    INVALID_VALUE = "Invalid value on an object; the rest of the object is used"
    VALUE_REMARKED = "A value on an object is ignored, or does not work everywhere; its record is published"
    NAME_NOT_PUBLISHED = "A name is not published as requested"
    RECORD_UNCHANGED = "A record stays as it is"
    # reads
    ZONE_LIST_FAILED = "Cannot list zones; the known zones stay, and extdns retries"
    PROGRESS = "{read} of {zones} zones read, {waiting} names to write"
    ZONE_READ_FAILED = "Cannot read a zone; its records stay, and other zones continue"
    CACHE_STATE = "The list and watch of a kind changed phase"
    WATCH_ENDED = "A list or watch of a kind ended early; extdns continues it"
    CERTIFICATE_UNCHECKED = "The certificate of the API server is not checked: another server can answer in its place"
    # details of the work, at the debug level
    API_CALL = "Call to the DNS service: {action} {status}"
    API_REQUEST = "Request to the API server: {method} {path} {status}"
    OBJECTS_CHANGED = "Objects changed: {kinds}"
    DECISION = "Decision: {action} {name} {type} {reason}"
    STEP = "Step of the engine: {input}"
    DEFECT = "Defect in extdns: other work continues; please report this"
    # the web server
    REQUEST_FAILED = "The web server cannot answer an HTTP request"


LEVELS: Final[Mapping[str, int]] = {
    "panic": logging.CRITICAL,
    "fatal": logging.CRITICAL,
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": 5,
}
"""The values of `--log-level`, with the levels of the standard library."""

_OURS: Final = "extdns"
_MAX_CHARACTERS: Final = 1000
_MAX_JSON_BITS: Final = 53  # some JSON readers round larger integers
_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._/@^+]*")
_ESCAPES: Final = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_RESERVED: Final = frozenset({"time", "level", "msg"})
_LEVEL_NAMES: Final = tuple((LEVELS[name], name) for name in ("fatal", "error", "warning", "info", "debug"))
_FIELDS: Final = "extdns_fields"


class Log:
    """Writes events as log lines. No field value can raise an exception or break a line.

    Attributes:
        debug: writes an event with fields, as `write` does: a detail of the work.
        info: normal work.
        warning: a problem that a person should fix.
        error: a failure.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self.debug = partial(self.write, logging.DEBUG)
        self.info = partial(self.write, logging.INFO)
        self.warning = partial(self.write, logging.WARNING)
        self.error = partial(self.write, logging.ERROR)

    def find_writer(self, level: int) -> Callable[..., None] | None:
        """Return the function that writes at *level*, a level of `logging`; None if the log hides such lines."""
        return partial(self.write, level) if self._logger.isEnabledFor(level) else None

    @property
    def shows_details(self) -> bool:
        """Whether `debug` writes anything. Check it before the fields of many lines are computed."""
        return self._logger.isEnabledFor(logging.DEBUG)

    def write(self, level: int, event: Event, /, **fields: object) -> None:
        """Write *event* at *level*, a level of `logging`. Fields that are None are omitted."""
        self._logger.log(level, event.value, extra={_FIELDS: fields})


def get(name: str) -> Log:
    """Return the log of the module with that `__name__`."""
    return Log(logging.getLogger(name))


def configure(
    *,
    format: str,  # noqa: A002 - the name of the flag
    level: str,
    stream: TextIO | None = None,
    omitted: Collection[Event] = (),
) -> None:
    """Write log lines to *stream* (standard error by default). This replaces the effect of an earlier call.

    Lines of libraries below `warning` are omitted at every *level*: they may contain request headers and bodies. Events
    in *omitted* are not written, because the command itself shows them. The *format* `readable` is for a person who
    watches.
    """
    lines = _LineHandler(stream or sys.stderr)
    lines.addFilter(lambda record: record.msg not in omitted)
    lines.setFormatter(_FORMATTERS[format]())
    root = logging.getLogger()
    for earlier in [handler for handler in root.handlers if isinstance(handler, _LineHandler)]:
        root.removeHandler(earlier)
    root.addHandler(lines)
    root.setLevel(max(LEVELS[level], logging.WARNING))
    logging.getLogger(_OURS).setLevel(LEVELS[level])


class _LineHandler(logging.StreamHandler[TextIO]):
    """Writes log lines, and ignores errors: a closed pipe or a full disk must not stop the work."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - as the standard library has it
        """Drop *record*, which could not be written.

        If nobody reads the pipe any more, write to nowhere from now on: else Python could not flush what is left at the
        end, and would exit with 120.
        """
        if isinstance(sys.exc_info()[1], BrokenPipeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)


class TextFormatter(logging.Formatter):
    """Format lines as `time="2026-11-20T09:14:31Z" level=info msg="…" key=value`, fields sorted by key."""

    def format(self, record: logging.LogRecord) -> str:
        """Format *record* as one line of printable characters."""
        message, fields = _split_record(record)
        pairs = [("time", _format_time(record)), ("level", _find_level_name(record)), ("msg", message)]
        pairs += [(key, _format_value(value)) for key, value in sorted(fields.items())]
        return " ".join(f"{key}={_quote(text)}" for key, text in pairs)


class JsonFormatter(logging.Formatter):
    """Format lines as JSON objects with `level`, `msg`, `time` and the fields, keys sorted, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Format *record* as one JSON object on one line."""
        message, fields = _split_record(record)
        values = {key: value if _is_json_number(value) else _format_value(value) for key, value in fields.items()}
        own = {"level": _find_level_name(record), "msg": message, "time": _format_time(record)}
        return json.dumps({**values, **own}, sort_keys=True)


class ReadableFormatter(logging.Formatter):
    """Format lines as `  ! message (value: value)`, without names of fields; `·` instead of `!` below `warning`."""

    def format(self, record: logging.LogRecord) -> str:
        """Format *record* as one line of printable characters."""
        message, fields = _split_record(record)
        values = ": ".join(map(_format_value, fields.values()))
        symbol = "!" if record.levelno >= logging.WARNING else "·"
        return escape_unprintable(f"  {symbol} {message} ({values})" if values else f"  {symbol} {message}")


_FORMATTERS: Final = {"text": TextFormatter, "json": JsonFormatter, "readable": ReadableFormatter}


def _split_record(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    """Return the message, and by name the text or number of each field that is not part of the message."""
    fields: dict[str, object] | None = getattr(record, _FIELDS, None)
    if fields is None:
        return _format_library_record(record)
    template = str(record.msg)
    taken = {name for _, name, _, _ in Formatter().parse(template) if name}
    message = template.format_map({name: _format_value(fields.get(name)) for name in taken})
    left = {key: value for key, value in fields.items() if key not in taken and value is not None}
    return message, {f"fields.{key}" if key in _RESERVED else key: value for key, value in left.items()}


def _format_library_record(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001 - a library passed arguments that do not fit its format
        message = _format_value(record.msg)
    error = record.exc_info[1] if record.exc_info else None
    return _format_value(message), {"error": f"{type(error).__name__}: {_format_value(error)}"} if error else {}


def _format_time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _find_level_name(record: logging.LogRecord) -> str:
    return next((name for level, name in _LEVEL_NAMES if record.levelno >= level), "trace")


def _is_json_number(value: object) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _MAX_JSON_BITS
    return isinstance(value, float) and math.isfinite(value)


def _format_value(value: object) -> str:
    """Convert *value* to masked text of limited length; values from objects and zones may be of any length."""
    try:
        if isinstance(value, tuple | list):
            text = ", ".join(map(str, value))
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
    except Exception:  # noqa: BLE001 - logging must not raise
        text = f"({type(value).__name__})"
    text = mask(text)
    if len(text) <= _MAX_CHARACTERS:
        return text
    return f"{text[:_MAX_CHARACTERS]}… ({len(text)} characters)"


def _quote(text: str) -> str:
    """Format *text* as the logger of external-dns does: plain text bare, all else quoted and escaped."""
    if _PLAIN.fullmatch(text):
        return text
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    if character in _ESCAPES or character.isprintable():
        return _ESCAPES.get(character, character)
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the largest code with four digits


BURST: Final = 50
"""How many lines about single names and objects may be written at once."""
RESERVED: Final = 30
"""How many more lines may be about changes of records, which no other lines take away."""
PER_BATCH: Final = 40
"""How many of them may be about one batch of decisions or observations, so that a large one leaves some for others."""
PER_SECOND: Final = 1.0
"""How many further lines become available each second, up to `BURST` and `RESERVED`."""
MAX_PER_TOPIC: Final = 5
"""How many lines may be about one name or object in each window of `WINDOW_S` seconds."""
WINDOW_S: Final = 60.0
SUMMARY_S: Final = 10.0
"""The shortest time between two summaries of omitted lines."""


class _Batch(threading.local):
    """How many lines about the current batch may still be written; each thread has a batch of its own."""

    lines_left = PER_BATCH


class LogLimiter:
    """Limit the log lines about single names and objects: how many for each of them, and how many in total.

    Three limits apply together: `BURST`, `RESERVED` and `PER_SECOND` to all such lines, `PER_BATCH` to those since the
    last `start_batch`, and `MAX_PER_TOPIC` to those about one name or object in each window of `WINDOW_S` seconds.

    Ten thousand new names, or one Service that changes every second, must not fill a disk. The caller writes the other
    lines at the debug level, and a summary of how many there were. All methods are safe from any thread.
    """

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        """Measure time with *monotonic_s*, in seconds."""
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._batch = _Batch()
        self._lines_left = float(BURST + RESERVED)
        self._refilled_at = self._window_began_at = monotonic_s()
        self._summarized_at = self._refilled_at - SUMMARY_S
        self._by_topic: Counter[Hashable] = Counter()
        self._omitted: Counter[str] = Counter()

    def start_batch(self) -> None:
        """Count from 0 again: this thread may write `PER_BATCH` lines about the next decisions or observations."""
        self._batch.lines_left = PER_BATCH

    def allow(self, topic: Hashable, event: str, *, is_change: bool = False) -> bool:
        """Return whether a line about *topic*, such as a DNS name, may be written now, and count it either way.

        If it is omitted, it is counted under the name *event*. *is_change* says whether it is about a change of a
        record.
        """
        with self._lock:
            self._refill()
            if (
                self._lines_left >= (1 if is_change else 1 + RESERVED)
                and self._batch.lines_left
                and self._by_topic[topic] < MAX_PER_TOPIC
            ):
                self._lines_left -= 1
                self._batch.lines_left -= 1
                self._by_topic[topic] += 1
                return True
            self._omitted[event] += 1
            return False

    def take_omitted(self) -> dict[str, int]:
        """Return by event how many lines were omitted since the last summary; {} if none were, or no summary is due."""
        with self._lock:
            now_s = self._monotonic_s()
            if not self._omitted or now_s - self._summarized_at < SUMMARY_S:
                return {}
            self._summarized_at = now_s
            omitted, self._omitted = self._omitted, Counter()
        return dict(sorted(omitted.items()))

    def _refill(self) -> None:
        now_s = self._monotonic_s()
        self._lines_left = min(BURST + RESERVED, self._lines_left + (now_s - self._refilled_at) * PER_SECOND)
        self._refilled_at = now_s
        if now_s - self._window_began_at >= WINDOW_S:
            self._window_began_at = now_s
            self._by_topic.clear()
