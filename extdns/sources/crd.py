"""The `crd` source: externaldns.k8s.io/v1alpha1 DNSEndpoints (spec sources 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim, Filtered, Provenance
from extdns.model.dnsendpoint import DNS_ENDPOINT, DnsEndpoint
from extdns.model.objects import KubernetesObject, ref_of
from extdns.ports import View
from extdns.sources.annotations import PREFIX, Annotations
from extdns.sources.selection import Selection
from extdns.sources.verbatim import claim_of

_NAME: Final = "crd"
_NOT_READ: Final = Annotations(prefix=PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrdSource:
    """Records that DNSEndpoints write out; annotations on them mean nothing but to `--annotation-filter`."""

    name = _NAME
    kind = DNS_ENDPOINT

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the DNSEndpoint *obj* asks for, in its order, nothing twice.

        Raises:
            TypeError: *obj* is no DNSEndpoint.
        """
        if not isinstance(obj, DnsEndpoint):
            raise TypeError(f"the {_NAME} source reads DNSEndpoints only")
        ref = ref_of(DNS_ENDPOINT, obj)
        by = self.selection.left_out_by(ref, obj.metadata, _NOT_READ)
        if by:
            return (Filtered(ref=ref, by=by),)
        claims = (
            claim_of(written, Provenance(source=_NAME, ref=ref, field=f"spec.endpoints[{at}]"))
            for at, written in enumerate(obj.spec.endpoints or ())
            if written is not None
        )
        return tuple(dict.fromkeys(claims))
