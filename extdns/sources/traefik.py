"""The `traefik-proxy` source: IngressRoutes for HTTP, TCP and UDP (spec sources 7.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.traefik import LEGACY, STRUCTS, IngressRoute, IngressRouteTcp, IngressRouteUdp
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Missing

_NAME: Final = "traefik-proxy"
_NO_TARGET: Final = Missing(
    reason=Reason.NO_ENDPOINTS, detail="no target annotation, and no status of such objects tells an address"
)
_BEGIN: Final = re.compile(r"Host(?:SNI|Header)?\s*\(\s*`", re.ASCII)
_END: Final = re.compile(r"`\s*\)|\n", re.ASCII)
_HOST: Final = re.compile(r"`([^,`]+)`")


def kinds(*, new: bool, legacy: bool) -> tuple[Kind, ...]:
    """The kinds that are read: those of traefik.io, and those of its former group."""
    return (*(STRUCTS if new else ()), *(LEGACY if legacy else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class TraefikSource:
    """Hosts of the rules of IngressRoutes of one kind, at the targets of their annotation.

    Attributes:
        kind: one of `kinds`.
    """

    name = _NAME

    kind: Kind
    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TemplateError: a template fails on it.
            TypeError: *obj* is of another kind.
        """
        if not isinstance(obj, IngressRoute | IngressRouteTcp | IngressRouteUdp):
            raise TypeError(f"the {_NAME} source reads IngressRoutes only")
        hosting = Hosting(_NAME, self.kind, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        answer = hosting.target or _NO_TARGET
        hosting.publish_annotated(answer)
        for at, route in enumerate(() if isinstance(obj, IngressRouteUdp) else obj.spec.routes or ()):
            for host in _hosts(route.match):
                hosting.publish(host, f"spec.routes[{at}].match", answer)
        return hosting.claims() + hosting.made()


def _hosts(rule: str) -> Iterator[str]:
    """Hosts between backquotes in a *rule*; what it negates or combines is not understood.

    A search that fails goes on behind what it has seen, so that no rule takes long.
    """
    at = 0
    while (begin := _BEGIN.search(rule, at)) and (end := _END.search(rule, begin.end())):
        if end[0] != "\n":
            for host in _HOST.findall(rule, begin.end() - 1, end.end()):
                if host != "*":
                    yield host
        at = end.end()
