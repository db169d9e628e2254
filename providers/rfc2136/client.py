"""Talk to DNS servers over TCP or TLS: connections, TSIG, transfers and updates (docs/design/rfc2136.md)."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final, TypeVar

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.tsig
import dns.update
import dns.xfr
import dns.zone

from extdns.errors import describe_cause, sanitize
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, CallFailedError, FailureKind, measure_call
from providers.rfc2136.settings import DnsServer, Rfc2136Settings, TsigSecret
from providers.rfc2136.tkey import build_deletion, negotiate

FORBIDDING: Final = frozenset({dns.rcode.REFUSED, dns.rcode.NOTAUTH, dns.rcode.NOTIMP})
"""The response codes of a server that does not let this key, or nobody, transfer or update the zone."""

_TRANSFER_S: Final = 600.0
_DELETE_S: Final = 2.0
_MAX_MESSAGE_BYTES: Final = 65535
_T = TypeVar("_T")


class DnsClient:
    """Sends queries and updates to the first of several servers that can be reached; safe from any thread.

    Calls raise only `CallFailedError`.
    """

    def __init__(self, settings: Rfc2136Settings) -> None:
        """Prepare the key.

        Raises:
            ValueError: the key is invalid.
        """
        self._settings = settings
        self._key = None if settings.key is None else build_key(settings.key)
        self._tls = settings.tls
        self._next = 0

    def update_copy(self, copy: dns.zone.Zone) -> None:
        """Bring *copy* up to date: one IXFR query if it has a serial, else an AXFR.

        If that fails, *copy* is unchanged.
        """
        action = "Transfer"
        with measure_call(self._settings.calls.on_call, action):
            self._call_servers(action, copy.origin, lambda server: self._transfer(server, copy))

    def send_update(self, message: dns.update.UpdateMessage) -> dns.rcode.Rcode:
        """Send *message* to the first server that can be reached, and return the response code."""
        action = "Update"
        with measure_call(self._settings.calls.on_call, action) as measured:
            rcode = self._call_servers(action, message.zone[0].name, lambda server: self._exchange(server, message))
            measured.failure = _find_failure(rcode)
            return rcode

    def _call_servers(self, action: str, zone: dns.name.Name | None, call: Callable[[DnsServer], _T]) -> _T:
        """Return the result of *call* for the first server with which it does not fail as `RETRYABLE`."""
        servers = self._settings.servers
        start = self._choose_start()
        for attempt in range(len(servers)):
            server = servers[(start + attempt) % len(servers)]
            try:
                return call(server)
            except CallFailedError as failed:
                error = CallFailedError(
                    failed.kind, action, f"{_format_zone(zone)} at {server}", failed.code, failed.detail
                )
                self._next = (start + attempt + 1) % len(servers)
                if failed.kind is not FailureKind.RETRYABLE or attempt == len(servers) - 1:
                    raise error from failed
        raise CallFailedError(FailureKind.RETRYABLE, action, _format_zone(zone), "NoServer", "no server is configured")

    def _choose_start(self) -> int:
        if self._settings.strategy == "random":
            return random.randrange(len(self._settings.servers))  # noqa: S311 - only spreads the load
        start = self._next
        if self._settings.strategy == "round-robin":
            self._next = (start + 1) % len(self._settings.servers)
        return start

    def _transfer(self, server: DnsServer, copy: dns.zone.Zone) -> None:
        before = copy.nodes
        try:
            with _translate_failures(FailureKind.RETRYABLE), self._connect(server, DEFAULT_TIMEOUTS_S[0]) as sock:
                self._receive_transfer(sock, copy)
        except CallFailedError:
            copy.nodes = before  # dnspython stores the zone at its last SOA, and may then find more records
            raise

    def _receive_transfer(self, sock: socket.socket, copy: dns.zone.Zone) -> None:
        query, serial = dns.xfr.make_query(copy, keyring=self._key)
        deadline = time.monotonic() + _TRANSFER_S
        _send(sock, query.to_wire(), deadline)
        settings, size, records = self._settings, 0, 0
        with dns.xfr.Inbound(copy, query.question[0].rdtype, serial) as inbound:
            context = None
            is_first = True  # of the messages, only the first and the last must be signed (RFC 8945 section 5.3.1)
            done = False
            while not done:
                wire = _receive(sock, min(deadline, time.monotonic() + DEFAULT_TIMEOUTS_S[1]))
                response = dns.message.from_wire(
                    wire,
                    keyring=query.keyring,
                    request_mac=query.mac,
                    xfr=True,
                    tsig_ctx=context,
                    multi=True,
                    one_rr_per_rrset=True,
                )
                _require_response(query, response)
                size += len(wire)
                records += len(response.answer)
                _require_at_most(settings.max_transfer_bytes, size, "the transfer", "bytes")
                _require_at_most(settings.max_transfer_records, records, "the transfer", "records")
                context = response.tsig_ctx
                done = inbound.process_message(response)
                if is_first or done:
                    _require_signature(query, response)
                is_first = False
        if records > 1:  # otherwise only the SOA came; in an IXFR, each difference can add records
            held = sum(len(rdataset) for node in copy.nodes.values() for rdataset in node.rdatasets)
            _require_at_most(settings.max_transfer_records, held, "the zone", "records")

    def _exchange(self, server: DnsServer, message: dns.update.UpdateMessage) -> dns.rcode.Rcode:
        _, respond_s = self._settings.calls.write_timeouts_s
        with ExitStack() as stack:
            with _translate_failures(FailureKind.RETRYABLE):
                sock, key = stack.enter_context(self._connect_with_key(server))
            wire = _build_wire(message, key)
            self._settings.calls.require_can_write("Update")
            deadline = time.monotonic() + respond_s
            with _translate_failures(FailureKind.UNANSWERED):
                wire = _call(sock, wire, deadline)
                # multi: a missing signature is found below, where the response code is known
                response = dns.message.from_wire(wire, keyring=message.keyring, request_mac=message.mac, multi=True)
                _require_response(message, response)
                if response.rcode() != dns.rcode.FORMERR:  # a server that could not read the message cannot sign
                    _require_signature(message, response)
                return response.rcode()

    @contextmanager
    def _connect_with_key(self, server: DnsServer) -> Iterator[tuple[socket.socket, dns.tsig.Key | None]]:
        """Connect for one update, and yield the connection and the key that signs the update, None for no key.

        A negotiated key is deleted after the response. If that fails, the server deletes it after its lifetime.
        """
        connect_s, respond_s = self._settings.calls.write_timeouts_s
        authenticator = self._settings.authenticator
        if authenticator is None:
            with self._connect(server, connect_s) as sock:
                yield sock, self._key
            return
        context, token = authenticator.open_context(server.host)  # before the server counts how long it waits
        with self._connect(server, connect_s) as sock:
            deadline = time.monotonic() + respond_s
            try:
                key = negotiate(context, token, lambda wire: _call(sock, wire, deadline))
            except Exception:
                authenticator.discard_tickets()
                raise
            yield sock, key
            with suppress(OSError, EOFError, CallFailedError):
                _call(sock, build_deletion(key), time.monotonic() + min(respond_s, _DELETE_S))

    @contextmanager
    def _connect(self, server: DnsServer, timeout_s: float) -> Iterator[socket.socket]:
        with socket.create_connection((server.host, server.port), timeout=timeout_s) as plain:
            if self._tls is None:
                yield plain
            else:
                with self._tls.wrap_socket(plain, server_hostname=server.host) as secured:
                    yield secured


def _require_at_most(allowed: int, found: int, what: str, unit: str) -> None:
    if found > allowed:
        detail = f"{what} has more than {allowed} {unit}"
        raise CallFailedError(FailureKind.RETRYABLE, "", "", "TooLarge", detail)


def build_key(secret: TsigSecret) -> dns.tsig.Key:
    """Return *secret* as a key of dnspython.

    Raises:
        ValueError: the name or the secret of the key is invalid. The message does not contain the secret.
    """
    try:
        return dns.tsig.Key(dns.name.from_text(secret.name), secret.secret, dns.name.from_text(secret.algorithm))
    except Exception as exc:  # dnspython's parsers can raise any exception for invalid input
        raise ValueError(f"the TSIG key {sanitize(secret.name)} is invalid") from exc


@contextmanager
def _translate_failures(broken: FailureKind) -> Iterator[None]:
    """Raise all failures in the block as `CallFailedError`; *broken* is the kind of a failure of the connection."""
    try:
        yield
    except CallFailedError:
        raise
    except dns.xfr.TransferError as exc:
        kind = FailureKind.FORBIDDEN if exc.rcode in FORBIDDING else FailureKind.RETRYABLE
        raise CallFailedError(kind, "", "", dns.rcode.to_text(exc.rcode), "") from exc
    except dns.tsig.PeerBadTime as exc:
        detail = "the clocks of this machine and of the server differ"
        raise CallFailedError(FailureKind.RETRYABLE, "", "", type(exc).__name__, detail) from exc
    except dns.tsig.PeerError as exc:
        raise CallFailedError(FailureKind.FORBIDDEN, "", "", type(exc).__name__, sanitize(str(exc))) from exc
    except (OSError, EOFError) as exc:
        raise CallFailedError(broken, "", "", describe_cause(exc), "") from exc
    except dns.exception.DNSException as exc:
        raise CallFailedError(broken, "", "", type(exc).__name__, sanitize(str(exc))) from exc
    except (ValueError, KeyError) as exc:  # a response that dnspython's zones do not accept
        raise CallFailedError(broken, "", "", "InvalidResponse", sanitize(str(exc))) from exc


def _find_failure(rcode: dns.rcode.Rcode) -> FailureKind | None:
    if rcode == dns.rcode.NOERROR:
        return None
    if rcode in FORBIDDING:
        return FailureKind.FORBIDDEN
    return FailureKind.RETRYABLE if rcode == dns.rcode.SERVFAIL else FailureKind.REFUSED


def _require_response(query: dns.message.Message, response: dns.message.Message) -> None:
    is_response = bool(response.flags & dns.flags.QR)
    if not is_response or (response.id, response.opcode()) != (query.id, query.opcode()):
        raise ValueError("the response is not to this message")


def _require_signature(query: dns.message.Message, response: dns.message.Message) -> None:
    """Raise `ValueError` if *query* is signed and *response* is not. PowerDNS answers so if it rejects the key."""
    if query.had_tsig and not response.had_tsig:
        rcode = dns.rcode.to_text(response.rcode())
        raise ValueError(f"{rcode} without a signature; compare name, algorithm and secret of the key")


def _build_wire(message: dns.update.UpdateMessage, key: dns.tsig.Key | None) -> bytes:
    if key is not None:
        message.use_tsig(key)
    try:
        return message.to_wire(max_size=_MAX_MESSAGE_BYTES)
    except dns.exception.TooBig as exc:
        detail = f"the message is larger than {_MAX_MESSAGE_BYTES} bytes"
        raise CallFailedError(FailureKind.REFUSED, "", "", "TooBig", detail) from exc


def _call(sock: socket.socket, wire: bytes, deadline: float) -> bytes:
    _send(sock, wire, deadline)
    return _receive(sock, deadline)


def _send(sock: socket.socket, wire: bytes, deadline: float) -> None:
    _limit_time(sock, deadline)
    sock.sendall(len(wire).to_bytes(2) + wire)


def _receive(sock: socket.socket, deadline: float) -> bytes:
    size = int.from_bytes(_read_exactly(sock, 2, deadline))
    return _read_exactly(sock, size, deadline)


def _read_exactly(sock: socket.socket, size: int, deadline: float) -> bytes:
    found = bytearray()
    while len(found) < size:
        _limit_time(sock, deadline)
        part = sock.recv(size - len(found))
        if not part:
            raise EOFError("the server closed the connection")
        found += part
    return bytes(found)


def _limit_time(sock: socket.socket, deadline: float) -> None:
    left_s = deadline - time.monotonic()
    if left_s <= 0.0:
        raise TimeoutError("timed out")
    sock.settimeout(left_s)


def _format_zone(zone: dns.name.Name | None) -> str:
    return "" if zone is None else zone.to_text(omit_final_dot=True)
