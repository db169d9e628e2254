"""The source `fake`: generated records of all types, to try extdns without a cluster (docs/spec/sources.md 6.6)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from extdns.errors import UsageError
from extdns.gotemplate.errors import TemplateError
from extdns.model import rrtype
from extdns.model.claim import Provenance
from extdns.model.kind import Kind, ObjectMeta
from extdns.ports import ClusterView
from extdns.resources.core import POD, Pod
from extdns.resources.externaldns import DnsEndpoint, DnsEndpointMeta, DnsEndpointSpec, SpecEndpoint
from extdns.sources.common.annotations import read_no_options
from extdns.sources.common.claim_builder import Templates
from extdns.sources.common.endpoint_claims import build_endpoint_claim
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_NAME: Final = "fake"
_NAMESPACE: Final = "default"
_OWNER: Final = '"heritage=external-dns,external-dns/owner=fake"'

DEFAULT_BASE_NAME: Final = "example.com"


def generate(templates: Templates) -> tuple[DnsEndpoint, ...]:
    """Generate the records for the names of `render_base_names`."""
    return build_objects(render_base_names(templates))


def render_base_names(templates: Templates) -> tuple[str, ...]:
    """Return the names that `--fqdn-template` renders for a Pod named `fake`, or `DEFAULT_BASE_NAME` without any."""
    full_object = msgspec.json.encode({"metadata": {"name": _NAME, "namespace": _NAMESPACE}})
    pod = Pod(metadata=ObjectMeta(name=_NAME, namespace=_NAMESPACE, full_object=full_object))
    try:
        names = templates.fqdn.render_items(POD, pod.metadata, _NAME) if templates.fqdn else ()
    except TemplateError as exc:
        raise UsageError(str(exc)) from exc
    return names or (DEFAULT_BASE_NAME,)


def build_objects(bases: Iterable[str]) -> tuple[DnsEndpoint, ...]:
    """Generate records for *bases*, always the same: one DNSEndpoint for each record name, sorted by name."""
    names: dict[str, list[SpecEndpoint]] = {}
    bases = tuple(dict.fromkeys(bases))
    for base in bases:
        for made in _build_endpoints(base, len(bases)):
            names.setdefault(made.dns_name, []).append(made)
    return tuple(
        DnsEndpoint(
            metadata=DnsEndpointMeta(name=name, namespace=_NAMESPACE), spec=DnsEndpointSpec(endpoints=tuple(made))
        )
        for name, made in sorted(names.items())
    )


def _build_endpoints(base: str, addresses: int) -> Iterator[SpecEndpoint]:
    """Generate one endpoint of each record type for *base*. The A record has *addresses* targets."""

    def host(of: str, length: int = 4) -> str:
        letters = (chr(ord("a") + byte % 26) for byte in _hash_seed(f"{base} {of}")[:length])
        return f"{''.join(letters)}.{base}"

    ipv4 = [f"192.0.2.{_derive_number(f'{base} {count}', 253) + 1}" for count in range(addresses)]
    reverse = f"{_derive_number(f'{base} reverse', 253) + 1}.2.0.192.in-addr.arpa"
    service = f"_sip._udp.{base}"
    yield _build_endpoint(host("a"), rrtype.A, *ipv4)
    yield _build_endpoint(host("aaaa"), rrtype.AAAA, f"2001:db8::{_derive_number(f'{base} aaaa', 0xFFFE) + 1:x}")
    yield _build_endpoint(host("cname"), rrtype.CNAME, host("cname target"))
    yield _build_endpoint(host("dname"), rrtype.DNAME, host("dname target"))
    yield _build_endpoint(host("txt"), rrtype.TXT, _OWNER)
    yield _build_endpoint(service, rrtype.SRV, f"10 20 5060 {host('srv')}.")
    yield _build_endpoint(base, rrtype.NS, host("ns", 3))
    yield _build_endpoint(reverse, rrtype.PTR, host("ptr"))
    yield _build_endpoint(base, rrtype.MX, f"10 {host('mx')}")
    yield _build_endpoint(service, rrtype.NAPTR, f'100 10 "u" "E2U+sip" "!^.*$!sip:info@{base}!" .')


def _build_endpoint(name: str, rtype: str, *targets: str) -> SpecEndpoint:
    return SpecEndpoint(dns_name=name, record_type=rtype, targets=targets, set_identifier=_NAME)


def _derive_number(seed: str, below: int) -> int:
    return int.from_bytes(_hash_seed(seed)[:4]) % below


def _hash_seed(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def publish(obj: DnsEndpoint, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the generated records."""
    at = Provenance(source=_NAME, ref=to.ref, field="invented")
    for made in obj.spec.endpoints or ():
        if made is not None:
            to.add(build_endpoint_claim(made, at, lenient=to.settings.compat))


SOURCE: Final = SourceSpec(
    name=_NAME,
    kinds=(Kind("", "", "Fake", "fakes", resource_prefix=_NAME),),
    publish=publish,
    options=read_no_options,
    templates=Templating.NAMES,
    generate=generate,
)
