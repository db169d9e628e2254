"""The source `acme-site`: Sites of acme.example/v1, whose `spec.domains` are served at `spec.address`."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.model.kind import Kind, PartialObject
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.sources.common.annotations import MissingTargets, parse_targets
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec

SITE: Final = Kind("acme.example", "v1", "Site", "sites")
_NO_ADDRESS: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="spec.address is empty")


class SiteSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Site."""

    domains: tuple[str, ...] | None = None
    address: str = ""


class Site(PartialObject, frozen=True, kw_only=True):
    """The fields of a Site that are read."""

    spec: SiteSpec = SiteSpec()


def publish(site: Site, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the domains at the targets of the `target` annotation, or else at the address."""
    targets = to.annotated_targets or parse_targets(
        (site.spec.address,), "spec.address", if_empty=_NO_ADDRESS, is_stated=True
    )
    for at, domain in enumerate(site.spec.domains or ()):
        to.publish(domain, f"spec.domains[{at}]", targets)


SOURCE: Final = SourceSpec(name="acme-site", kinds=(SITE,), publish=publish, decode=msgspec.json.Decoder(Site).decode)
