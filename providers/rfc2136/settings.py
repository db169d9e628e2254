"""Settings of the provider `rfc2136`."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Protocol

from extdns.model.dns_name import DnsName
from providers.common.api_calls import CallOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DnsServer:
    """One DNS server; *host* is a name or an address."""

    host: str
    port: int = 53

    def __str__(self) -> str:
        return f"{self.host} port {self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TsigSecret:
    """A TSIG key (RFC 8945).

    Attributes:
        secret: the secret in base64; never shown.
    """

    name: str
    algorithm: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KerberosLogin:
    """A user of a Kerberos realm; *password* is never shown."""

    username: str
    realm: str
    password: str = field(repr=False)


class SecurityContext(Protocol):
    """A security context of GSS-API between this process and one DNS server."""

    @property
    def complete(self) -> bool:
        """Whether client and server have proved to each other who they are."""
        ...

    def step(self, token: bytes) -> bytes:
        """Take the server's *token*, and return the next one for it, b"" for none.

        Raises:
            CallFailedError: *token* is invalid.
        """
        ...

    def get_signature(self, message: bytes) -> bytes:
        """Return the signature of *message*."""
        ...

    def verify_signature(self, message: bytes, signature: bytes) -> object:
        """Raise an exception if *signature* is not the server's for *message*."""
        ...


class Authenticator(Protocol):
    """Opens security contexts with DNS servers for one user; safe from any thread."""

    def open_context(self, host: str) -> tuple[SecurityContext, bytes]:
        """Return a new context with the DNS server *host*, and its first token.

        Raises:
            CallFailedError: no context can be opened.
        """
        ...

    def discard_tickets(self) -> None:
        """Log in again for the next context."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rfc2136Settings:
    """How to reach the servers, and which zones to manage.

    Attributes:
        servers: the servers, at least one; all serve the same zones.
        authenticator: for keys that sign one update each (GSS-TSIG), instead of *key*; None for none.
        tls: for DNS over TLS; None for plain TCP.
        strategy: which server the next call goes to first: `disabled` (the last one that did not fail), `round-robin`,
            `random`.
        max_writes: the most writes in one message; a value below 10 counts as 10, so that the writes of one name fit.
        max_transfer_records: the most records of one transfer; each takes more than 1 KiB of memory.
    """

    servers: tuple[DnsServer, ...]
    zones: tuple[DnsName, ...]
    key: TsigSecret | None = None
    authenticator: Authenticator | None = None
    tls: ssl.SSLContext | None = None
    strategy: str = "disabled"
    min_ttl_s: int = 0
    max_writes: int = 500
    page_names: int = 25_000
    max_transfer_bytes: int = 256 * 2**20
    max_transfer_records: int = 1_000_000
    calls: CallOptions = field(default_factory=CallOptions)
