"""Cloudflare."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import BOOLEAN, NUMBER, choice, text

_flag = partial(Flag, providers=("cloudflare",), state=ABSENT)

FLAGS: Final = (
    _flag(
        name="cloudflare-proxied",
        kind=BOOLEAN,
        default=False,
        help="proxy records unless an annotation says otherwise",
    ),
    _flag(
        name="cloudflare-custom-hostnames",
        kind=BOOLEAN,
        default=False,
        help="manage custom hostnames (Cloudflare for SaaS)",
    ),
    _flag(
        name="cloudflare-custom-hostnames-min-tls-version",
        kind=choice("a TLS version", "1.0", "1.1", "1.2", "1.3", metavar="VERSION"),
        default="1.0",
        help="least TLS version of custom hostnames",
    ),
    _flag(
        name="cloudflare-custom-hostnames-certificate-authority",
        kind=choice("a certificate authority", "google", "ssl_com", "lets_encrypt", "none"),
        default="none",
        help="certificate authority of custom hostnames",
    ),
    _flag(name="cloudflare-dns-records-per-page", kind=NUMBER, default=100, help="records read with one request"),
    _flag(
        name="cloudflare-regional-services",
        kind=BOOLEAN,
        default=False,
        help="manage the regions of records",
    ),
    _flag(name="cloudflare-region-key", kind=text("KEY"), help="region of records without one of their own"),
    _flag(name="cloudflare-record-comment", kind=text(), help="comment of records without one of their own"),
    _flag(name="batch-change-size", kind=NUMBER, default=200, help="most changes in one request"),
    _flag(name="batch-change-interval", kind=DURATION, default=1.0, help="pause between two requests"),
)
