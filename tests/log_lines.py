"""Read the log lines that pytest captured."""

from __future__ import annotations

import logging

import pytest

from extdns.log import Event


def find_logged_events(caplog: pytest.LogCaptureFixture) -> list[Event]:
    """Return the messages of all log lines from level info on, in order."""
    return [Event(record.msg) for record in caplog.records if record.levelno >= logging.INFO]


def find_logged_fields(caplog: pytest.LogCaptureFixture, event: Event) -> list[dict[str, object]]:
    """Return the fields of each log line with the message *event*."""
    return [record.__dict__["extdns_fields"] for record in caplog.records if record.msg == event]
