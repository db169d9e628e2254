"""Log lines (docs/spec/plan.md 1.7): text and JSON format, and safety against values with control characters."""

from __future__ import annotations

import io
import json
import logging
import sys
from string import Formatter
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns import log
from extdns.log import Event, JsonFormatter, Log, TextFormatter

AT_S = 1795166071.9  # 2026-11-20T09:14:31.9Z


class StoredRecords(logging.Handler):
    """A log handler that stores records, all with the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        record.created = AT_S
        self.records.append(record)


def record(event: Event, **fields: object) -> logging.LogRecord:
    """Log *event*. Return the log record."""
    logger, stored = logging.Logger("test"), StoredRecords()  # noqa: LOG001 - a logger without other handlers
    logger.addHandler(stored)
    Log(logger).info(event, **fields)
    return stored.records[0]


def text(event: Event, **fields: object) -> str:
    """Log *event*. Return its line in text format."""
    return TextFormatter().format(record(event, **fields))


def parsed(event: Event, **fields: object) -> dict[str, object]:
    """Log *event*. Return its line in JSON format, decoded."""
    value = json.loads(JsonFormatter().format(record(event, **fields)))
    assert isinstance(value, dict)
    return value


class Hostile:
    """A value whose conversion to text raises."""

    def __str__(self) -> NoReturn:
        raise RuntimeError


def test_a_text_log_line_has_time_level_message_and_sorted_fields() -> None:
    line = text(Event.APPLIED, count=3, zoneName="example.org", zoneID="Z2ABC")
    assert line == (
        'time="2026-11-20T09:14:31Z" level=info msg="3 record(s) were successfully updated"'
        " zoneID=Z2ABC zoneName=example.org"
    )


def test_a_json_log_line_has_level_message_time_and_fields() -> None:
    assert JsonFormatter().format(record(Event.APPLIED, count=3, zoneName="example.org", took_s=0.5, whole=True)) == (
        '{"level": "info", "msg": "3 record(s) were successfully updated", "time": "2026-11-20T09:14:31Z",'
        ' "took_s": 0.5, "whole": true, "zoneName": "example.org"}'
    )


@pytest.mark.parametrize(
    ("event", "fields", "expected"),
    [
        pytest.param(
            Event.DESIRED_CHANGE,
            {"action": "CREATE", "name": "web.example.org", "type": "A"},
            "Desired change: CREATE web.example.org A",
            id="1.7-desired-change",
        ),
        pytest.param(Event.UP_TO_DATE, {}, "All records are already up to date", id="1.2-nothing-to-do"),
        pytest.param(Event.SIGNAL_RECEIVED, {"signal": "SIGTERM"}, "Received SIGTERM. Terminating...", id="1.4-signal"),
        pytest.param(Event.LOOP_TERMINATED, {}, "Terminating main controller loop", id="1.4-end"),
        pytest.param(
            Event.DRY_RUN, {}, "running in dry-run mode. No changes to DNS records will be made.", id="1.1-dry-run"
        ),
        pytest.param(Event.STARTED, {"version": "0.1.0"}, "extdns 0.1.0", id="banner"),
    ],
)
def test_log_messages_that_external_dns_has_keep_their_text(
    event: Event, fields: dict[str, object], expected: str
) -> None:
    assert parsed(event, **fields)["msg"] == expected
    assert f'msg="{expected}"' in text(event, **fields)


@pytest.mark.parametrize("event", list(Event))
def test_a_log_event_puts_its_fields_into_its_message(event: Event) -> None:
    taken = {name: f"<{name}>" for _, name, _, _ in Formatter().parse(event) if name}
    line = parsed(event, **taken, zone="example.org")
    assert set(line) == {"level", "msg", "time", "zone"}
    assert all(value in str(line["msg"]) for value in taken.values())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("a-b._/@^+C9", "a-b._/@^+C9", id="plain-is-bare"),
        pytest.param("", "", id="empty-is-bare"),
        pytest.param("a b", '"a b"', id="space"),
        pytest.param("k=v", '"k=v"', id="equals-sign"),
        pytest.param('say "hi"', r'"say \"hi\""', id="quote"),
        pytest.param("a\\b", r'"a\\b"', id="backslash"),
        pytest.param("a\nlevel=error\r\t", r'"a\nlevel=error\r\t"', id="no-second-line"),
        pytest.param("\x1b[31mred\x07", r'"\u001b[31mred\u0007"', id="terminal-escape"),
        pytest.param("\x9b2J\x7f", r'"\u009b2J\u007f"', id="eight-bit-escape"),
        pytest.param("abc\u202etxt", r'"abc\u202etxt"', id="right-to-left-override"),
        pytest.param("a\u2028b", r'"a\u2028b"', id="line-separator"),
        pytest.param("\U000e0041", r'"\U000e0041"', id="tag-character"),
        pytest.param("\ud800", r'"\ud800"', id="lone-surrogate"),
        pytest.param("blåbær🫐", '"blåbær🫐"', id="letters-and-emoji-stay"),
        pytest.param(600, "600", id="number"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(("a", "b"), '"a, b"', id="tuple"),
        pytest.param(Hostile(), '"(Hostile)"', id="value-that-cannot-be-shown"),
        pytest.param(10**5000, '"(int)"', id="number-too-large-to-show"),
    ],
)
def test_values_in_text_lines_are_quoted_if_necessary(value: object, expected: str) -> None:
    assert text(Event.UP_TO_DATE, value=value).endswith(f" value={expected}")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("\x1b[31m\u202e\n", "\x1b[31m\u202e\n", id="any-text-survives"),
        pytest.param(600, 600, id="number"),
        pytest.param(2**53, str(2**53), id="number-that-readers-would-round"),
        pytest.param(float("nan"), "nan", id="not-a-number"),
        pytest.param(float("inf"), "inf", id="infinite"),
        pytest.param({"b": 1}, "{'b': 1}", id="anything-else-is-text"),
        pytest.param(10**5000, "(int)", id="number-too-large-to-show"),
    ],
)
def test_values_in_json_lines_are_numbers_or_text(value: object, expected: object) -> None:
    assert parsed(Event.UP_TO_DATE, value=value)["value"] == expected


def test_a_long_log_value_is_shortened_and_its_length_shown() -> None:
    assert parsed(Event.UP_TO_DATE, value="x" * 5000)["value"] == f"{'x' * 1000}… (5000 characters)"


def test_a_log_field_whose_value_is_none_is_omitted() -> None:
    assert "profile" not in parsed(Event.APPLIED, count=1, profile=None)


def test_a_log_field_cannot_replace_time_level_or_message() -> None:
    line = parsed(Event.UP_TO_DATE, time="then", level="loud", msg="other")
    assert line["msg"] == "All records are already up to date"
    assert (line["level"], line["time"]) == ("info", "2026-11-20T09:14:31Z")
    assert (line["fields.time"], line["fields.level"], line["fields.msg"]) == ("then", "loud", "other")


def test_braces_in_a_log_value_are_not_interpreted() -> None:
    line = parsed(Event.DESIRED_CHANGE, action="{name.__class__}", name="{type}", type="{0}")
    assert line["msg"] == "Desired change: {name.__class__} {type} {0}"


@given(st.text(max_size=2000), st.text(max_size=50))
def test_control_characters_in_a_log_value_cannot_start_a_new_line(value: str, name: str) -> None:
    line = text(Event.DESIRED_CHANGE, action="CREATE", name=name, type="A", value=value)
    assert line.isprintable()
    written = JsonFormatter().format(record(Event.DESIRED_CHANGE, action=name, name="", type="", value=value))
    assert written.isascii()
    assert written.isprintable()
    assert set(json.loads(written)) == {"level", "msg", "time", "value"}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        pytest.param("panic", [], id="panic"),
        pytest.param("fatal", [], id="fatal"),
        pytest.param("error", ["error"], id="error"),
        pytest.param("warning", ["error", "warning"], id="warning"),
        pytest.param("info", ["error", "warning", "info"], id="info"),
        pytest.param("debug", ["error", "warning", "info", "debug"], id="debug"),
        pytest.param("trace", ["error", "warning", "info", "debug"], id="trace"),
    ],
)
def test_log_lines_below_the_level_are_omitted(level: str, expected: list[str]) -> None:
    stream = io.StringIO()
    log.configure(format="json", level=level, stream=stream)
    ours = log.get("extdns.controller.loop")
    for write in (ours.error, ours.warning, ours.info, ours.debug):
        write(Event.UP_TO_DATE)
    assert [json.loads(line)["level"] for line in stream.getvalue().splitlines()] == expected


def test_configuring_logging_a_second_time_replaces_stream_and_format() -> None:
    first, second = io.StringIO(), io.StringIO()
    log.configure(format="text", level="info", stream=first)
    log.configure(format="json", level="info", stream=second)
    log.get("extdns.app").info(Event.LOOP_TERMINATED)
    assert first.getvalue() == ""
    assert json.loads(second.getvalue())["msg"] == "Terminating main controller loop"


def test_log_lines_go_to_standard_error_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(format="text", level="info")
    log.get("extdns.app").info(Event.LOOP_TERMINATED)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(' level=info msg="Terminating main controller loop"\n')


def test_warnings_of_libraries_are_logged_in_the_same_format() -> None:
    stream = io.StringIO()
    log.configure(format="text", level="trace", stream=stream)
    library = logging.getLogger("urllib3.connectionpool")
    library.info("Authorization: secret")
    library.warning("retry %d of {this}\n", 2)
    (line,) = stream.getvalue().splitlines()
    assert line.endswith(r' level=warning msg="retry 2 of {this}\n"')


def test_libraries_are_not_logged_below_the_level() -> None:
    stream = io.StringIO()
    log.configure(format="text", level="error", stream=stream)
    logging.getLogger("urllib3").warning("retry")
    assert stream.getvalue() == ""


def test_a_log_line_of_a_library_with_wrong_arguments_is_logged_as_it_is() -> None:
    seen = logging.LogRecord("urllib3", 1, "", 0, "retry %d", ("two",), None)
    assert TextFormatter().format(seen).endswith(' level=trace msg="retry %d"')


def test_an_exception_logged_by_a_library_is_a_field_without_traceback() -> None:
    try:
        raise ValueError("no\nway")  # noqa: TRY301 - the test is about what is raised
    except ValueError:
        seen = logging.LogRecord("urllib3", logging.CRITICAL, "", 0, "gave up", None, sys.exc_info())
    seen.created = AT_S
    assert TextFormatter().format(seen) == (
        r'time="2026-11-20T09:14:31Z" level=fatal msg="gave up" error="ValueError: no\nway"'
    )


def test_logging_to_a_closed_stream_raises_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    log.configure(format="text", level="info", stream=stream)
    stream.close()
    log.get("extdns.app").info(Event.LOOP_TERMINATED)
    assert capsys.readouterr().err == ""
