"""The source `traefik-proxy`: IngressRoutes for HTTP, TCP and UDP (docs/spec/sources.md 7.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from extdns.flags.sources import SourceFlags
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import (
    TRAEFIK_LEGACY_STRUCTS,
    TRAEFIK_STRUCTS,
    IngressRoute,
)
from extdns.sources.common.annotations import MissingTargets
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import DiscoverKinds, SourceSpec, Templating

_NO_TARGET: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS,
    detail="there is no target annotation, and IngressRoutes have no address in their status",
)
_MATCHER_START: Final = re.compile(r"Host(?:SNI|Header)?\s*\(\s*`", re.ASCII)
_MATCHER_END: Final = re.compile(r"`\s*\)|\n", re.ASCII)
_HOST: Final = re.compile(r"`([^,`]+)`")


def publish(route: KubernetesObject, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the hosts in rules and the `hostname` annotation, at the targets of the `target` annotation."""
    targets = to.annotated_targets or _NO_TARGET
    to.publish_annotation_hosts(targets)
    for at, rule in enumerate(route.spec.routes or () if isinstance(route, IngressRoute) else ()):
        for host in _parse_hosts(rule.match):
            to.publish(host, f"spec.routes[{at}].match", targets)
    to.publish_template_targets(to.bare_builder)


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


def _find_kinds(flags: SourceFlags, _: DiscoverKinds) -> tuple[Kind, ...]:
    new = () if flags.traefik_disable_new else TRAEFIK_STRUCTS
    return (*new, *(TRAEFIK_LEGACY_STRUCTS if flags.traefik_enable_legacy else ()))


SOURCE: Final = SourceSpec(
    name="traefik-proxy",
    kinds=_find_kinds,
    publish=publish,
    host_field="a host in spec.routes of an IngressRoute",
    templates=Templating.AT_TEMPLATE_TARGETS,
)
