"""Flags of the provider `webhook` and of the command `extdns webhook`; `webhook_rules` checks them."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.duration import DURATION
from extdns.flags.flag import Absent, Flag, Moot
from extdns.flags.kind import BOOLEAN, NUMBER, URL, make_text_kind

_webhook = partial(Flag, providers=("webhook",))

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
        help="time limit of one call of the webhook is the sum of this and --webhook-provider-write-timeout; that of a "
        "connection to extdns webhook also adds --webhook-provider-read-header-timeout",
    ),
    Flag(
        name="webhook-provider-write-timeout",
        kind=DURATION,
        default=10.0,
        help="time limit of one call of the webhook is the sum of this and --webhook-provider-read-timeout; that of a "
        "connection to extdns webhook also adds --webhook-provider-read-header-timeout",
    ),
    Flag(
        name="webhook-server",
        kind=BOOLEAN,
        default=False,
        support=Absent(alternative="use the command extdns webhook with the other flags; it serves the same protocol"),
        help="serve the zones of --provider to other programs as a webhook; the command extdns webhook does this",
    ),
    Flag(
        name="webhook-provider-read-header-timeout",
        kind=DURATION,
        default=5.0,
        help="how much longer a connection to extdns webhook may last than the sum of --webhook-provider-read-timeout "
        "and --webhook-provider-write-timeout",
    ),
    Flag(
        name="webhook-provider-idle-timeout",
        kind=DURATION,
        default=30.0,
        support=Moot(notice="has no effect: extdns webhook closes a connection after its answer"),
        help="time after which an idle connection to a webhook is closed",
    ),
    Flag(
        name="webhook-provider-max-body-size",
        kind=NUMBER,
        default=33554432,
        help="maximum size in bytes of one answer of the webhook, or of one request to extdns webhook; 0 and below are "
        "1 GiB",
    ),
    Flag(
        name="webhook-listen",
        kind=ADDRESS,
        default=ListenAddress(host="127.0.0.1", port=8888),
        help="address of extdns webhook",
    ),
)
