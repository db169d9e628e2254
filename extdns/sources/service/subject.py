"""One Service and everything its expansions may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from extdns.model.host import HOST, Host
from extdns.model.name import DnsName
from extdns.model.objects import ENDPOINT_SLICE, NODE, POD, EndpointSlice, Node, Pod, Service
from extdns.model.value import Value
from extdns.ports import NotReadyError, View
from extdns.sources.annotations import Annotations
from extdns.sources.service.settings import ServiceSettings
from extdns.sources.targets import Answer

# From one host to the names it stands for, as text, and what each points at.
Expansion = Callable[[DnsName], Iterable[tuple[str, Answer]]]

_SERVICE_NAME = "kubernetes.io/service-name"


class Subject(Value, frozen=True, kw_only=True):
    """A Service with its surroundings; look-ups raise `NotReadyError` as the view does."""

    service: Service
    namespace: str
    notes: Annotations
    settings: ServiceSettings
    view: View

    def pods(self) -> tuple[Pod, ...]:
        """The pods the Service selects; without a selector, all of its namespace."""
        chosen = self.view.select(POD, self.namespace, self.service.spec.selector or {})
        return tuple(pod for pod in chosen if isinstance(pod, Pod))

    def slices(self) -> tuple[EndpointSlice, ...]:
        """The EndpointSlices of the Service."""
        chosen = self.view.select(ENDPOINT_SLICE, self.namespace, {_SERVICE_NAME: self.service.metadata.name})
        return tuple(found for found in chosen if isinstance(found, EndpointSlice))

    def nodes(self) -> tuple[Node, ...]:
        """All nodes of the cluster."""
        return tuple(node for node in self.view.select(NODE, "", {}) if isinstance(node, Node))

    def hosts(self, names: Iterable[str]) -> tuple[Host, ...]:
        """What DNS says of *names*, of which all are asked for before the first one is waited for."""
        hosts: list[Host] = []
        unanswered: NotReadyError | None = None
        for name in names:
            try:
                found = self.view.get(HOST, "", name)
            except NotReadyError as exc:
                unanswered = exc
            else:
                hosts += (found,) if isinstance(found, Host) else ()
        if unanswered is not None:
            raise unanswered
        return tuple(hosts)

    def node(self, name: str) -> Node | None:
        """The node called *name*, if there is one."""
        found = self.view.get(NODE, "", name) if name else None
        return found if isinstance(found, Node) else None
