"""Results of DNS lookups in the form of objects, so that claims are computed again when a result changes."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject

RESOLVED_HOST: Final = Kind("", "", "Host", "hosts")


class ResolvedHost(KubernetesObject, frozen=True, kw_only=True):
    """The result of the last DNS lookup of the host name in `metadata.name`, for objects of `metadata.namespace`.

    Attributes:
        addresses: IPv4 and IPv6, sorted; () if the host has none, or no lookup has succeeded yet.
        failure: why no lookup has succeeded yet, "" if one has.
    """

    addresses: tuple[str, ...] = ()
    failure: str = ""
