"""The `crd` source: externaldns.k8s.io/v1alpha1 DNSEndpoints (docs/spec/sources.md 6.3)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim, ExcludedClaim, Provenance
from extdns.model.kind import KubernetesObject, build_ref
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint
from extdns.sources.common.annotation_names import PREFIX
from extdns.sources.common.annotations import Annotations
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.endpoint_claims import build_endpoint_claim

_NAME: Final = "crd"
_NO_ANNOTATIONS: Final = Annotations(prefix=PREFIX)


class CrdSource(Value, frozen=True, kw_only=True):
    """Publishes the records of DNSEndpoints. Their annotations are used by `--annotation-filter` only."""

    name = _NAME
    kind = DNS_ENDPOINT

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the DNSEndpoint *obj* in the order of its endpoints, without duplicates.

        Raises:
            TypeError: *obj* is not a DNSEndpoint.
        """
        if not isinstance(obj, DnsEndpoint):
            raise TypeError(f"the {_NAME} source reads DNSEndpoints only, not {type(obj).__name__}")
        ref = build_ref(DNS_ENDPOINT, obj.metadata)
        excluded_by = self.common.find_exclusion(ref, obj.metadata, _NO_ANNOTATIONS)
        if excluded_by:
            return (ExcludedClaim(ref=ref, excluded_by=excluded_by),)
        claims = (
            build_endpoint_claim(written, Provenance(source=_NAME, ref=ref, field=f"spec.endpoints[{at}]"))
            for at, written in enumerate(obj.spec.endpoints or ())
            if written is not None
        )
        return tuple(dict.fromkeys(claims))
