"""Flags of the provider `webhook`; `webhook_rules` checks them."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import BOOLEAN, NUMBER, URL, make_text_kind

_webhook = partial(Flag, providers=("webhook",))
_SERVES_NOTHING: Final = "has no effect: extdns serves no webhook"

WEBHOOK_FLAGS: Final = (
    _webhook(
        name="webhook-provider-url",
        kind=URL,
        default="http://localhost:8888",
        help="address of the webhook provider",
    ),
    _webhook(
        name="webhook-provider-url-file",
        kind=make_text_kind("PATH"),
        help="file with the address of the webhook provider, which may contain a password, instead of "
        "--webhook-provider-url",
    ),
    Flag(
        name="webhook-provider-read-timeout",
        kind=DURATION,
        default=5.0,
        help="time limit of one call of the webhook is the sum of this and --webhook-provider-write-timeout",
    ),
    Flag(
        name="webhook-provider-write-timeout",
        kind=DURATION,
        default=10.0,
        help="time limit of one call of the webhook is the sum of this and --webhook-provider-read-timeout",
    ),
    Flag(
        name="webhook-server",
        kind=BOOLEAN,
        default=False,
        support=ABSENT,
        help="serve the zones of --provider to other programs as a webhook",
    ),
    Flag(
        name="webhook-provider-read-header-timeout",
        kind=DURATION,
        default=5.0,
        support=Moot(notice=_SERVES_NOTHING),
        help="time limit of the header of a request to a served webhook",
    ),
    Flag(
        name="webhook-provider-idle-timeout",
        kind=DURATION,
        default=30.0,
        support=Moot(notice=_SERVES_NOTHING),
        help="time after which an idle connection to a served webhook is closed",
    ),
    Flag(
        name="webhook-provider-max-body-size",
        kind=NUMBER,
        default=33554432,
        help="maximum size in bytes of one answer of the webhook; 0 and below are 1 GiB",
    ),
)
