"""Finds the addresses of a host as its system does: in /etc/hosts, else as /etc/resolv.conf says (spec sources 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import dns.exception
import dns.resolver

from extdns.errors import UnresolvedError, UsageError
from extdns.model.target import address

_LONGEST_S: Final = 5.0


class Answer(NamedTuple):
    """Addresses, sorted, and for how many seconds they may be kept; none if there is no such name, or none of it."""

    addresses: tuple[str, ...]
    ttl_s: float


Ask = Callable[[str], Answer]


def system_resolver(path: str = "/etc/resolv.conf", *, port: int = 53, hosts: str = "/etc/hosts") -> Ask:
    """The resolver that *path* configures, asked at *port* for what *hosts* does not list; it raises `UnresolvedError`.

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
        if listed := _listed(Path(hosts), host):
            return Answer(listed, 0.0)
        addresses: set[str] = set()
        ttls_s: list[float] = []
        for rdtype in ("A", "AAAA"):
            try:
                answer = resolver.resolve(host, rdtype, search=False, lifetime=_LONGEST_S, raise_on_no_answer=False)
            except dns.resolver.NXDOMAIN:
                break
            except dns.exception.DNSException as exc:
                raise UnresolvedError(f"asking for {rdtype}: {exc}") from exc
            if answer.rrset is not None:
                addresses.update(str(rdata) for rdata in answer.rrset)
                ttls_s.append(float(answer.rrset.ttl))
        return Answer(tuple(sorted(addresses)), min(ttls_s, default=0.0))

    return ask


def unfailing(ask: Ask) -> Ask:
    """*ask*, for which a host has no address while it is not known, as for external-dns (spec sources 3.4, rule 3)."""

    def answer(host: str) -> Answer:
        try:
            return ask(host)
        except UnresolvedError:
            return Answer((), 0.0)

    return answer


def _listed(hosts: Path, host: str) -> tuple[str, ...]:
    """The addresses of *host* in the file *hosts* (hosts(5)), which may change at any time and need not be there."""
    try:
        lines = hosts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found: set[str] = set()
    for line in lines:
        text, *names = line.partition("#")[0].lower().split() or ("",)
        if host.lower() in names and (parsed := address(text)):
            found.add(str(parsed))
    return tuple(sorted(found))
