"""The sources `f5-virtualserver` and `f5-transportserver`: cis.f5.com/v1 (docs/spec/sources.md 7.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import (
    F5_TRANSPORT_SERVER,
    F5_VIRTUAL_SERVER,
    F5TransportServer,
    F5VirtualServer,
)
from extdns.sources.common.annotations import MissingTargets, TargetResult, parse_targets
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_KINDS: Final[Mapping[str, Kind]] = {
    "f5-transportserver": F5_TRANSPORT_SERVER,
    "f5-virtualserver": F5_VIRTUAL_SERVER,
}
_NO_ADDRESS: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="status.vsAddress is not assigned")


class F5Source(Value, frozen=True, kw_only=True):
    """Publishes the hosts of VirtualServers or TransportServers.

    Attributes:
        name: name of the source, as in `--source`.
    """

    name: str
    common: SourceSettings

    @property
    def kind(self) -> Kind:
        """The kind of object: VirtualServer or TransportServer."""
        return _KINDS[self.name]

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of *obj*, in the order of `HostPublisher.build`.

        Raises:
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is of another kind.
        """
        if not isinstance(obj, F5VirtualServer | F5TransportServer):
            raise TypeError(f"the {self.name} source reads {self.kind.name}s only, not {type(obj).__name__}")
        publisher = HostPublisher(self.name, self.kind, obj, self.common, ttl_only=True)
        if exclusion := publisher.find_exclusion():
            return exclusion
        if obj.status.vs_address.lower() in {"", "none"}:
            result: TargetResult = _NO_ADDRESS
        else:
            own = obj.spec.virtual_server_address
            field = "spec.virtualServerAddress" if own else "status.vsAddress"
            result = publisher.annotated_targets or parse_targets(
                (own or obj.status.vs_address,), field, if_empty=_NO_ADDRESS
            )
        publisher.publish(obj.spec.host, "spec.host", result)
        if self.kind == F5_VIRTUAL_SERVER:
            for at, alias in enumerate(obj.spec.host_aliases or ()):
                publisher.publish(alias, f"spec.hostAliases[{at}]", result)
        publisher.publish_bare_template_targets()
        return publisher.build()
