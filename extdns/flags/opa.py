"""Flags of the policy server."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from extdns.flags.duration import DURATION, parse_duration
from extdns.flags.flag import Flag
from extdns.flags.kind import URL, make_choice_kind, make_text_kind

FAILURES: Final = ("keep", "allow")
_MAX_TIMEOUT_S: Final = 60.0


def _parse_timeout(text: str) -> float:
    seconds = parse_duration(text)
    if not 0.0 < seconds <= _MAX_TIMEOUT_S:
        raise ValueError
    return seconds


TIMEOUT: Final = replace(DURATION, parse=_parse_timeout, allowed="more than 0s, up to 60s")

OPA_FLAGS: Final = (
    Flag(
        name="opa-url",
        kind=URL,
        help="Open Policy Agent that is asked about every record, as http://127.0.0.1:8181 or unix:///run/opa.sock",
    ),
    Flag(
        name="opa-path",
        kind=make_text_kind("PATH"),
        default="extdns/deny",
        help="rule that denies records, or allow, which allows them; the rules deny, violation and warn of its package, too",
    ),
    Flag(
        name="opa-failure",
        kind=make_choice_kind("an action for a missing answer", *FAILURES, metavar="ACTION"),
        default="keep",
        help="without a valid answer, keep records as they are, or allow every change: keep or allow",
    ),
    Flag(name="opa-timeout", kind=TIMEOUT, default=2.0, help="timeout of one query; at most 60s"),
    Flag(name="opa-tls-ca", kind=make_text_kind("PATH"), help="certificates to trust instead of those of the system"),
    Flag(name="opa-tls-client-cert", kind=make_text_kind("PATH"), help="client certificate"),
    Flag(name="opa-tls-client-cert-key", kind=make_text_kind("PATH"), help="key of the client certificate"),
    Flag(
        name="opa-token-file",
        kind=make_text_kind("PATH"),
        help="file with a bearer token, which is read for each query",
    ),
)
