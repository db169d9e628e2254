"""The sources `f5-virtualserver` and `f5-transportserver`: cis.f5.com/v1 (spec sources 7.10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.vendors import F5_TRANSPORT_SERVER, F5_VIRTUAL_SERVER, F5TransportServer, F5VirtualServer
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, Missing, found

_KINDS: Final[Mapping[str, Kind]] = {
    "f5-transportserver": F5_TRANSPORT_SERVER,
    "f5-virtualserver": F5_VIRTUAL_SERVER,
}
_NONE: Final = Missing(reason=Reason.NO_ADDRESS, detail="status.vsAddress is not assigned")


@dataclass(frozen=True, slots=True, kw_only=True)
class F5Source:
    """Hosts of VirtualServers or TransportServers that have an address.

    Attributes:
        name: as `--source` spells it.
    """

    name: str
    selection: Selection

    @property
    def kind(self) -> Kind:
        """VirtualServers or TransportServers."""
        return _KINDS[self.name]

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TemplateError: a template fails on it.
            TypeError: *obj* is of another kind.
        """
        if not isinstance(obj, F5VirtualServer | F5TransportServer):
            raise TypeError(f"the {self.name} source reads {self.kind.name}s only")
        hosting = Hosting(self.name, self.kind, obj, self.selection, ttl_alone=True)
        if left_out := hosting.left_out():
            return left_out
        if obj.status.vs_address.lower() in {"", "none"}:
            answer: Answer = _NONE
        else:
            own = obj.spec.virtual_server_address
            field = "spec.virtualServerAddress" if own else "status.vsAddress"
            answer = hosting.target or found((own or obj.status.vs_address,), field, otherwise=_NONE)
        hosting.publish(obj.spec.host, "spec.host", answer)
        if self.kind == F5_VIRTUAL_SERVER:
            for at, alias in enumerate(obj.spec.host_aliases or ()):
                hosting.publish(alias, f"spec.hostAliases[{at}]", answer)
        return hosting.claims() + hosting.made()
