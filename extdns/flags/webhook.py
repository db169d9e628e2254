"""Providers behind the webhook protocol, and extdns as one."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import BOOLEAN, NUMBER, text

_flag = partial(Flag, providers=("webhook",), state=ABSENT)

FLAGS: Final = (
    _flag(
        name="webhook-provider-url",
        kind=text("URL"),
        default="http://localhost:8888",
        help="address of the webhook provider",
    ),
    _flag(name="webhook-provider-read-timeout", kind=DURATION, default=5.0, help="time limit for reading"),
    _flag(name="webhook-provider-write-timeout", kind=DURATION, default=10.0, help="time limit for writing"),
    Flag(
        name="webhook-server",
        kind=BOOLEAN,
        default=False,
        state=ABSENT,
        help="serve --provider to others as a webhook instead of managing records",
    ),
    _flag(
        name="webhook-provider-read-header-timeout",
        kind=DURATION,
        default=5.0,
        help="time limit for reading a request's headers with --webhook-server",
    ),
    _flag(
        name="webhook-provider-idle-timeout",
        kind=DURATION,
        default=30.0,
        help="time after which an idle connection is closed with --webhook-server",
    ),
    _flag(
        name="webhook-provider-max-body-size",
        kind=NUMBER,
        default=33554432,
        help="most bytes of one answer; 0 and below are no limit",
    ),
)
