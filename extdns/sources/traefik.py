"""The `traefik-proxy` source: IngressRoutes for HTTP, TCP and UDP (docs/spec/sources.md 7.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import (
    TRAEFIK_LEGACY_STRUCTS,
    TRAEFIK_STRUCTS,
    IngressRoute,
    IngressRouteTcp,
    IngressRouteUdp,
)
from extdns.sources.common.annotations import MissingTargets
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "traefik-proxy"
_NO_TARGET: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS,
    detail="there is no target annotation, and IngressRoutes have no address in their status",
)
_MATCHER_START: Final = re.compile(r"Host(?:SNI|Header)?\s*\(\s*`", re.ASCII)
_MATCHER_END: Final = re.compile(r"`\s*\)|\n", re.ASCII)
_HOST: Final = re.compile(r"`([^,`]+)`")


def list_kinds(*, new: bool, legacy: bool) -> tuple[Kind, ...]:
    """List the kinds to read: with *new* of the group traefik.io, with *legacy* of traefik.containo.us."""
    return (*(TRAEFIK_STRUCTS if new else ()), *(TRAEFIK_LEGACY_STRUCTS if legacy else ()))


class TraefikSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts in rules and the `hostname` annotation of IngressRoutes of one kind.

    The targets are those of the `target` annotation.

    Attributes:
        kind: one of `list_kinds`.
    """

    name = _NAME

    kind: Kind
    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of *obj*, in the order of `HostPublisher.build`.

        Raises:
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is of another kind.
        """
        if not isinstance(obj, IngressRoute | IngressRouteTcp | IngressRouteUdp):
            raise TypeError(f"the {_NAME} source reads IngressRoutes only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, self.kind, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        result = publisher.annotated_targets or _NO_TARGET
        publisher.publish_annotation_hosts(result)
        for at, route in enumerate(() if isinstance(obj, IngressRouteUdp) else obj.spec.routes or ()):
            for host in _parse_hosts(route.match):
                publisher.publish(host, f"spec.routes[{at}].match", result)
        publisher.publish_bare_template_targets()
        return publisher.build()


def _parse_hosts(rule: str) -> Iterator[str]:
    """Yield the hosts in the matchers `Host`, `HostSNI` and `HostHeader` of *rule*. Negations are not evaluated.

    The search never goes back in *rule*, so its time is proportional to the length of *rule*.
    """
    at = 0
    while (begin := _MATCHER_START.search(rule, at)) and (end := _MATCHER_END.search(rule, begin.end())):
        if end[0] != "\n":
            for host in _HOST.findall(rule, begin.end() - 1, end.end()):
                if host != "*":
                    yield host
        at = end.end()
