"""Dynamic updates (RFC 2136) to BIND, Knot and the like."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import BOOLEAN, NUMBER, choice, text

_flag = partial(Flag, providers=("rfc2136",), state=ABSENT)

FLAGS: Final = (
    _flag(name="rfc2136-host", kind=text("HOST"), default=(), repeatable=True, help="DNS server that takes updates"),
    _flag(name="rfc2136-port", kind=NUMBER, default=0, help="its port"),
    _flag(name="rfc2136-zone", kind=text("DOMAIN"), default=(), repeatable=True, help="zone to manage"),
    _flag(name="rfc2136-insecure", kind=BOOLEAN, default=False, help="send updates without TSIG"),
    _flag(name="rfc2136-tsig-keyname", kind=text("NAME"), help="name of the TSIG key"),
    _flag(name="rfc2136-tsig-secret", kind=text("BASE64"), secret=True, help="the TSIG key"),
    _flag(
        name="rfc2136-tsig-secret-alg",
        kind=text("ALGORITHM"),
        help="algorithm of the TSIG key: hmac-sha1, -sha224, -sha256, -sha384 or -sha512",
    ),
    _flag(name="rfc2136-axfr", kind=BOOLEAN, default=False, help="read zones by AXFR"),
    _flag(name="rfc2136-tsig-axfr", kind=BOOLEAN, default=False, help="old name of --rfc2136-axfr"),
    _flag(name="rfc2136-min-ttl", kind=DURATION, default=0.0, help="least TTL of records"),
    _flag(name="rfc2136-gss-tsig", kind=BOOLEAN, default=False, help="sign updates with Kerberos (GSS-TSIG)"),
    _flag(name="rfc2136-kerberos-username", kind=text("NAME"), help="Kerberos user"),
    _flag(name="rfc2136-kerberos-password", kind=text("PASSWORD"), secret=True, help="Kerberos password"),
    _flag(name="rfc2136-kerberos-realm", kind=text("REALM"), help="Kerberos realm"),
    _flag(name="rfc2136-batch-change-size", kind=NUMBER, default=50, help="most changes in one update"),
    _flag(name="rfc2136-use-tls", kind=BOOLEAN, default=False, help="talk DNS over TLS"),
    _flag(
        name="rfc2136-skip-tls-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
    _flag(
        name="rfc2136-load-balancing-strategy",
        kind=choice("a strategy", "random", "round-robin", "disabled", metavar="STRATEGY"),
        default="disabled",
        help="which of several hosts gets an update",
    ),
)
