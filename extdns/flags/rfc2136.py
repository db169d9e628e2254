"""Flags of the provider `rfc2136`; `rfc2136_rules` checks that they fit together."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, NUMBER, make_choice_kind, make_text_kind

ALGORITHMS: Final = ("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512")
_rfc2136 = partial(Flag, providers=("rfc2136",))
_tls = partial(Flag, providers=("pdns", "rfc2136"))

RFC2136_FLAGS: Final = (
    _rfc2136(
        name="rfc2136-host",
        kind=make_text_kind("HOST"),
        default=(),
        repeatable=True,
        help="DNS server that takes updates; if one cannot be reached, the next one is used",
    ),
    _rfc2136(
        name="rfc2136-port",
        kind=NUMBER,
        default=0,
        help="port of the DNS server; 0 is 53, with --rfc2136-use-tls 853",
    ),
    _rfc2136(name="rfc2136-zone", kind=make_text_kind("DOMAIN"), default=(), repeatable=True, help="zone to manage"),
    _rfc2136(name="rfc2136-insecure", kind=BOOLEAN, default=False, help="send updates and transfers without TSIG"),
    _rfc2136(name="rfc2136-tsig-keyname", kind=make_text_kind("NAME"), help="name of the TSIG key"),
    _rfc2136(name="rfc2136-tsig-secret", kind=make_text_kind("BASE64"), secret=True, help="the TSIG key"),
    _rfc2136(
        name="rfc2136-tsig-secret-file",
        kind=make_text_kind("PATH"),
        help="file with the TSIG key, instead of --rfc2136-tsig-secret",
    ),
    _rfc2136(
        name="rfc2136-tsig-secret-alg",
        kind=make_text_kind("ALGORITHM"),
        help=f"algorithm of the TSIG key: {', '.join(ALGORITHMS)}",
    ),
    _rfc2136(
        name="rfc2136-axfr",
        kind=BOOLEAN,
        default=True,
        reference_default=False,
        help="read zones by AXFR and IXFR; required, because ownership is unknown without reading",
    ),
    _rfc2136(name="rfc2136-tsig-axfr", kind=BOOLEAN, default=False, help="old name of --rfc2136-axfr"),
    _rfc2136(name="rfc2136-min-ttl", kind=DURATION, default=0.0, help="minimum TTL of records"),
    _rfc2136(
        name="rfc2136-gss-tsig",
        kind=BOOLEAN,
        default=False,
        help="sign updates with a key that Kerberos negotiates (GSS-TSIG); needs the extra gssapi",
    ),
    _rfc2136(name="rfc2136-kerberos-username", kind=make_text_kind("NAME"), help="Kerberos user, without the realm"),
    _rfc2136(
        name="rfc2136-kerberos-password", kind=make_text_kind("PASSWORD"), secret=True, help="password of the user"
    ),
    _rfc2136(
        name="rfc2136-kerberos-password-file",
        kind=make_text_kind("PATH"),
        help="file with the password, instead of --rfc2136-kerberos-password",
    ),
    _rfc2136(
        name="rfc2136-kerberos-realm",
        kind=make_text_kind("REALM"),
        help="Kerberos realm of the user and of the DNS servers; converted to capitals",
    ),
    _rfc2136(
        name="rfc2136-batch-change-size",
        kind=NUMBER,
        default=500,
        reference_default=50,
        help="maximum of writes in one message, ownership records included; an update of a record counts as two, and "
        "a value below 10 counts as 10, because a record and its ownership record are written together",
    ),
    _rfc2136(name="rfc2136-use-tls", kind=BOOLEAN, default=False, help="use DNS over TLS"),
    _rfc2136(
        name="rfc2136-skip-tls-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
    _rfc2136(
        name="rfc2136-load-balancing-strategy",
        kind=make_choice_kind("a strategy", "random", "round-robin", "disabled", metavar="STRATEGY"),
        default="disabled",
        help="how to choose the DNS server for a call if there are several",
    ),
    _tls(name="tls-ca", kind=make_text_kind("PATH"), help="certificates of the authorities that are trusted"),
    _tls(name="tls-client-cert", kind=make_text_kind("PATH"), help="client certificate"),
    _tls(name="tls-client-cert-key", kind=make_text_kind("PATH"), help="key of --tls-client-cert"),
)
