"""Negotiate a key for one connection by TKEY and GSS-API (RFC 2930, RFC 3645; docs/design/rfc2136.md, "Kerberos")."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Final, cast

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TKEY
import dns.rrset
import dns.tsig

from providers.common.api_calls import CallFailedError, FailureKind
from providers.rfc2136.settings import SecurityContext

_TKEY: Final = dns.rdtypes.ANY.TKEY.TKEY
_LIFETIME_S: Final = 3600  # what is requested; the key is deleted after one update
_MAX_TOKEN_BYTES: Final = 64_000  # the rest of a message is for the names and the header
_MAX_ROUNDS: Final = 4  # Kerberos needs one
_PASSING: Final = frozenset({dns.rcode.SERVFAIL, dns.rcode.BADTIME, dns.rcode.BADNAME})


def negotiate(context: SecurityContext, token: bytes, exchange: Callable[[bytes], bytes]) -> dns.tsig.Key:
    """Return a key that the server accepts until it is deleted. *token* is the first one of *context*.

    *exchange* sends a message, and returns the response.

    Raises:
        CallFailedError: the token is too large, or the server rejects the user, does not prove who it is, or does not
            end the negotiation.
        dns.exception.DNSException: the response is malformed, or its signature is wrong.
        ValueError: the response is not to the query, or has no key.
    """
    name = dns.name.from_text(f"{secrets.token_hex(16)}.extdns")
    key = dns.tsig.Key(name, context, dns.tsig.GSS_TSIG)  # type: ignore[arg-type] # what GSSTSig takes
    for _ in range(_MAX_ROUNDS):
        if len(token) > _MAX_TOKEN_BYTES:
            detail = f"the ticket has more than {_MAX_TOKEN_BYTES} bytes: let the user be in fewer groups"
            raise CallFailedError(FailureKind.CREDENTIALS, "", "", "TokenTooLarge", detail)
        query = _build_query(name, _TKEY.GSSAPI_NEGOTIATION, token)
        wire = exchange(query.to_wire())
        token = context.step(_read_token(query, wire))
        if context.complete:
            _verify(wire, key)
            return key
    raise CallFailedError(FailureKind.RETRYABLE, "", "", "TooManyRounds", "the server does not end the negotiation")


def build_deletion(key: dns.tsig.Key) -> bytes:
    """Return the message by which the server forgets *key* (RFC 2930 section 4.2)."""
    query = _build_query(key.name, _TKEY.KEY_DELETION, b"")
    query.use_tsig(key)
    return query.to_wire()


def _build_query(name: dns.name.Name, mode: int, token: bytes) -> dns.message.Message:
    now = int(time.time())
    data = _TKEY(  # type: ignore[no-untyped-call] # dnspython has no types for it
        dns.rdataclass.ANY,
        dns.rdatatype.TKEY,
        dns.tsig.GSS_TSIG,
        now,
        now + _LIFETIME_S,
        mode,
        dns.rcode.NOERROR,
        token,
    )
    query = dns.message.make_query(name, dns.rdatatype.TKEY, dns.rdataclass.ANY, flags=dns.flags.Flag(0))
    query.additional.append(dns.rrset.from_rdata(name, 0, data))
    return query


def _read_token(query: dns.message.Message, wire: bytes) -> bytes:
    """Return the server's token from the response *wire*, whose signature cannot be verified yet."""
    response = dns.message.from_wire(wire, keyring=False)
    if not query.is_response(response):  # also compares the question
        raise ValueError("the response is not to this message")
    _require_success(response.rcode())
    name = query.question[0].name
    found = response.get_rrset(response.answer, name, dns.rdataclass.ANY, dns.rdatatype.TKEY)
    if not found:
        raise ValueError("the response has no TKEY record")
    data = cast("dns.rdtypes.ANY.TKEY.TKEY", found[0])
    _require_success(dns.rcode.Rcode.make(data.error))
    if (data.mode, data.algorithm) != (_TKEY.GSSAPI_NEGOTIATION, dns.tsig.GSS_TSIG):
        raise ValueError("the TKEY record is of another mode or algorithm")
    return data.key


def _require_success(code: dns.rcode.Rcode) -> None:
    """Raise `CallFailedError` if the response code or TKEY error *code* is not 0."""
    if code == dns.rcode.NOERROR:
        return
    text = dns.rcode.to_text(code, tsig=True)
    kind = FailureKind.RETRYABLE if code in _PASSING else FailureKind.FORBIDDEN
    detail = "the server rejects Kerberos: see its log, its key table (keytab) for its principal, and the clocks"
    raise CallFailedError(kind, "", "", f"TKEY {text}", detail)


def _verify(wire: bytes, key: dns.tsig.Key) -> None:
    """Verify the signature of the last response, if it has one: its token has already proved who the server is."""
    dns.message.from_wire(wire, keyring=key)
