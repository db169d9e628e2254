"""Asks DNS for the addresses of a host, as /etc/resolv.conf says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import dns.exception
import dns.resolver

from extdns.errors import UnresolvedError, UsageError

_LONGEST_S: Final = 5.0


class Answer(NamedTuple):
    """Addresses, sorted, and for how many seconds they may be kept."""

    addresses: tuple[str, ...]
    ttl_s: float


Ask = Callable[[str], Answer]


def system_resolver(path: str = "/etc/resolv.conf", *, port: int = 53) -> Ask:
    """The resolver that *path* configures, asked at *port*; it raises `UnresolvedError`.

    Raises:
        UsageError: there is no such configuration.
    """
    try:
        resolver = dns.resolver.Resolver(path)
        resolver.port = port
    except dns.exception.DNSException as exc:
        raise UsageError(
            f"--resolve-service-load-balancer-hostname: {path} names no resolver\n"
            "  allowed: a file with nameserver lines"
        ) from exc

    def ask(host: str) -> Answer:
        addresses: set[str] = set()
        ttls_s: list[float] = []
        for rdtype in ("A", "AAAA"):
            try:
                answer = resolver.resolve(host, rdtype, search=False, lifetime=_LONGEST_S, raise_on_no_answer=False)
            except dns.resolver.NXDOMAIN as exc:
                raise UnresolvedError("there is no such name") from exc
            except dns.exception.DNSException as exc:
                raise UnresolvedError(f"asking for {rdtype}: {exc}") from exc
            if answer.rrset is not None:
                addresses.update(str(rdata) for rdata in answer.rrset)
                ttls_s.append(float(answer.rrset.ttl))
        if not addresses:
            raise UnresolvedError("it has no address")
        return Answer(tuple(sorted(addresses)), min(ttls_s))

    return ask
