"""The last touch on a merged endpoint before it meets a provider (spec sources 8.6)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.model import pairs, rrtype, ttl
from extdns.model.pairs import Pairs
from extdns.model.record import ALIAS, Endpoint

RECORD_TYPE: Final = "record-type"

# Providers whose properties go by another name than `--provider` has (spec sources 8.6, deviation 6).
_NAMESPACES: Final = {
    "azure-dns": "azure",
    "azure-private-dns": "azure",
    "scaleway": "scw",
    "skydns": "coredns",
}
_KEEPS_ALL: Final = "cloudflare"  # its properties are named by the whole annotation key


def finish(endpoint: Endpoint, *, min_ttl_s: int, provider: str, prefer_alias: bool) -> Endpoint:
    """*endpoint* as the provider shall get it; finishing twice changes nothing more.

    Args:
        endpoint: after merging.
        min_ttl_s: TTL for endpoints that have none; smaller ones are not raised. 0 for none.
        provider: as `--provider` spells it; properties that belong to another one go.
        prefer_alias: make every CNAME that does not say otherwise an alias.
    """
    ttl_s = max(min_ttl_s, ttl.UNSET) if endpoint.ttl_s == ttl.UNSET else endpoint.ttl_s
    properties = _retained(endpoint.properties, provider) if endpoint.properties else pairs.NONE
    if prefer_alias and endpoint.type == rrtype.CNAME and not properties.has(ALIAS):
        properties = properties.set(ALIAS, "true")
    if ttl_s == endpoint.ttl_s and properties == endpoint.properties:
        return endpoint
    return replace(endpoint, ttl_s=ttl_s, properties=properties)


def _retained(properties: Pairs, provider: str) -> Pairs:
    """Drop what is another provider's, and `record-type`, which only the PTR stage reads (deviation 7)."""
    name = provider.strip()
    own = f"{_NAMESPACES.get(name, name)}/"
    return Pairs.of(
        (key, value)
        for key, value in properties
        if key != RECORD_TYPE and (name == _KEEPS_ALL or "/" not in key or key.startswith(own))
    )
