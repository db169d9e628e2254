"""The source `crd`: externaldns.k8s.io/v1alpha1 DNSEndpoints (docs/spec/sources.md 6.3)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Provenance
from extdns.ports import ClusterView
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint
from extdns.sources.common.annotations import read_no_options
from extdns.sources.common.endpoint_claims import build_endpoint_claim
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec


def publish(obj: DnsEndpoint, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the records that the DNSEndpoint lists. Only `--annotation-filter` reads its annotations."""
    for at, written in enumerate(obj.spec.endpoints or ()):
        if written is not None:
            place = Provenance(source=_NAME, ref=to.ref, field=f"spec.endpoints[{at}]", states_targets=True)
            to.add(build_endpoint_claim(written, place, lenient=to.settings.compat))


_NAME: Final = "crd"
SOURCE: Final = SourceSpec(
    name=_NAME,
    kinds=(DNS_ENDPOINT,),
    publish=publish,
    host_field="spec.endpoints of a DNSEndpoint",
    hostname_annotations=(),
    options=read_no_options,
    has_controller=False,
)
