"""The `fake` source: records of all types, made up to try a set-up without a cluster (spec sources 6.6)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from extdns.errors import UsageError
from extdns.model import rrtype
from extdns.model.claim import Claim, Provenance
from extdns.model.cluster import Kind
from extdns.model.dnsendpoint import DnsEndpoint, DnsEndpointSpec, SpecEndpoint
from extdns.model.lean import ObjectMeta
from extdns.model.objects import POD, KubernetesObject, Pod, ref_of
from extdns.ports import View
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.templates import Templates
from extdns.sources.verbatim import claim_of

_NAME: Final = "fake"
_NAMESPACE: Final = "default"
_OWNER: Final = '"heritage=external-dns,external-dns/owner=fake"'

BASE: Final = "example.com"
FAKE: Final = Kind("", "", "Fake", "fakes", mark=_NAME)


def bases(templates: Templates) -> tuple[str, ...]:
    """The names that all others are below: what `--fqdn-template` makes of a Pod called `fake`, else `BASE`.

    Raises:
        UsageError: the template fails on it.
    """
    whole = msgspec.json.encode({"metadata": {"name": _NAME, "namespace": _NAMESPACE}})
    pod = Pod(metadata=ObjectMeta(name=_NAME, namespace=_NAMESPACE, whole=whole))
    try:
        return tuple(text for text, _ in templates.hosts(_NAME, POD, pod, named=False)) or (BASE,)
    except TemplateError as exc:
        raise UsageError(str(exc)) from exc


def invented(bases: Iterable[str]) -> tuple[DnsEndpoint, ...]:
    """One object for each name made up below *bases*, always the same ones for the same bases, sorted."""
    names: dict[str, list[SpecEndpoint]] = {}
    bases = tuple(dict.fromkeys(bases))
    for base in bases:
        for made in _endpoints(base, len(bases)):
            names.setdefault(made.dns_name, []).append(made)
    return tuple(
        DnsEndpoint(metadata=ObjectMeta(name=name, namespace=_NAMESPACE), spec=DnsEndpointSpec(endpoints=tuple(made)))
        for name, made in sorted(names.items())
    )


def _endpoints(base: str, addresses: int) -> Iterator[SpecEndpoint]:
    """One endpoint of each type; *addresses* is how many the A record has."""

    def host(of: str, length: int = 4) -> str:
        return f"{_letters(f'{base} {of}', length)}.{base}"

    ipv4 = [f"192.0.2.{_number(f'{base} {count}', 253) + 1}" for count in range(addresses)]
    reverse = f"{_number(f'{base} reverse', 253) + 1}.2.0.192.in-addr.arpa"
    service = f"_sip._udp.{base}"
    yield _endpoint(host("a"), rrtype.A, *ipv4)
    yield _endpoint(host("aaaa"), rrtype.AAAA, f"2001:db8::{_number(f'{base} aaaa', 0xFFFE) + 1:x}")
    yield _endpoint(host("cname"), rrtype.CNAME, host("cname target"))
    yield _endpoint(host("dname"), rrtype.DNAME, host("dname target"))
    yield _endpoint(host("txt"), rrtype.TXT, _OWNER)
    yield _endpoint(service, rrtype.SRV, f"10 20 5060 {host('srv')}.")
    yield _endpoint(base, rrtype.NS, host("ns", 3))
    yield _endpoint(reverse, rrtype.PTR, host("ptr"))
    yield _endpoint(base, rrtype.MX, f"10 {host('mx')}")
    yield _endpoint(service, rrtype.NAPTR, f'100 10 "u" "E2U+sip" "!^.*$!sip:info@{base}!" .')


def _endpoint(name: str, rtype: str, *targets: str) -> SpecEndpoint:
    return SpecEndpoint(dns_name=name, record_type=rtype, targets=targets, set_identifier=_NAME)


def _letters(seed: str, count: int) -> str:
    return "".join(chr(ord("a") + byte % 26) for byte in _bytes(seed)[:count])


def _number(seed: str, below: int) -> int:
    return int.from_bytes(_bytes(seed)[:4]) % below


def _bytes(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeSource:
    """What the objects of `invented` say."""

    name = _NAME
    kind = FAKE

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What *obj* asks for, one claim a record type.

        Raises:
            TypeError: *obj* was not invented.
        """
        if not isinstance(obj, DnsEndpoint):
            raise TypeError(f"the {_NAME} source reads what it invented only")
        at = Provenance(source=_NAME, ref=ref_of(FAKE, obj), field="invented")
        return tuple(claim_of(made, at) for made in obj.spec.endpoints or () if made is not None)
