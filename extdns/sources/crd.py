"""The source `crd`: externaldns.k8s.io/v1alpha1 DNSEndpoints (docs/spec/sources.md 6.3)."""

from __future__ import annotations

from collections import Counter
from typing import Final

from extdns.errors import ExtdnsError
from extdns.model.claim import InvalidClaim, Provenance
from extdns.model.dns_name import DnsName
from extdns.ports import ClusterView
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint
from extdns.sources.common.annotations import read_no_options
from extdns.sources.common.endpoint_claims import build_endpoint_claim
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec


def publish(obj: DnsEndpoint, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the records that the DNSEndpoint lists. Only `--annotation-filter` reads its annotations.

    Raises:
        ExtdnsError: it lists too many endpoints that are invalid or have one name.
    """
    times = Counter[DnsName]()
    for at, written in enumerate(obj.spec.endpoints or ()):
        if written is not None:
            place = Provenance(source=_NAME, ref=to.ref, field=f"spec.endpoints[{at}]", states_targets=True)
            claim = build_endpoint_claim(written, place, lenient=to.settings.compat)
            to.add(claim)
            if isinstance(claim, InvalidClaim):
                to.count.add_invalid()
            else:
                times[claim.name] += 1
    for name, most in times.most_common(1):
        if most > MAX_ENDPOINTS_OF_NAME:
            raise ExtdnsError(
                f"spec.endpoints: {most} endpoints have the name {name}; allowed: at most {MAX_ENDPOINTS_OF_NAME}"
            )


_NAME: Final = "crd"
MAX_ENDPOINTS_OF_NAME: Final = 500
"""The most endpoints of one name in an object. They are planned in one step, whose time grows with their square."""

SOURCE: Final = SourceSpec(
    name=_NAME,
    kinds=(DNS_ENDPOINT,),
    publish=publish,
    host_field="spec.endpoints of a DNSEndpoint",
    hostname_annotations=(),
    options=read_no_options,
    has_controller=False,
)
