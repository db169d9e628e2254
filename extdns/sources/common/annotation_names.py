"""The annotations that extdns reads, and the keys that are nearly one of them, such as `hostnames`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.errors import find_similar
from extdns.model.cache import cache_short
from extdns.model.claim import ClaimWarning
from extdns.model.reason import Reason

PREFIX: Final = "external-dns.kubernetes.io/"
OLD_PREFIX: Final = "external-dns.alpha.kubernetes.io/"
BOTH_PREFIXES: Final = (PREFIX, OLD_PREFIX)

KNOWN: Final = frozenset(
    {
        "access",
        "alias",
        "aws-evaluate-target-health",
        "aws-failover",
        "aws-geolocation-continent-code",
        "aws-geolocation-country-code",
        "aws-geolocation-subdivision-code",
        "aws-geoproximity-bias",
        "aws-geoproximity-coordinates",
        "aws-geoproximity-local-zone-group",
        "aws-geoproximity-region",
        "aws-health-check-id",
        "aws-hosted-zone-id",
        "aws-multi-value-answer",
        "aws-region",
        "aws-target-hosted-zone",
        "aws-weight",
        "azure-tags",
        "cloudflare-custom-hostname",
        "cloudflare-proxied",
        "cloudflare-record-comment",
        "cloudflare-region-key",
        "cloudflare-tags",
        "controller",
        "endpoints-type",
        "gateway-hostname-source",
        "hostname",
        "ingress",
        "ingress-hostname-source",
        "internal-hostname",
        "record-type",
        "set-identifier",
        "target",
        "ttl",
    }
)
"""The names of all annotations but those of which only the start is fixed (`_OPEN`)."""

KNOWN_KEYS: Final = frozenset(prefix + name for prefix in BOTH_PREFIXES for name in KNOWN)

_OPEN: Final = ("cloudflare-", "scw-", "webhook-", "coredns-")  # any text may follow
_MAX_COMPARED: Final = 64
_MIN_SIMILAR_NAME: Final = 0.8
_MIN_SIMILAR_PREFIX: Final = 0.95  # one letter differs; another installation may have a prefix such as internal-dns.…
_BARE: Final = frozenset({"hostname", "internal-hostname"})  # other names without prefix may be those of other tools
_FIELD: Final = "metadata.annotations"


def find_misplaced_keys(labels: Mapping[str, str] | None) -> tuple[ClaimWarning, ...]:
    """Return warnings, sorted by key: one for each annotation of extdns that is among the *labels* of an object."""
    if not labels or KNOWN_KEYS.isdisjoint(labels):
        return ()
    return tuple(
        ClaimWarning(
            reason=Reason.IGNORED_ANNOTATION,
            field="metadata.labels",
            value=key,
            allowed=f"{key} among metadata.annotations; labels are not read",
        )
        for key in sorted(KNOWN_KEYS.intersection(labels))
    )


@cache_short(maxsize=1024, longest=64)
def find_misspelled_keys(keys: frozenset[str], prefix: str) -> tuple[ClaimWarning, ...]:
    """Return warnings, sorted by key: one for each of *keys* that is probably a misspelled annotation of extdns.

    *keys* are those of an object, without `KNOWN_KEYS`. *prefix* is the one that it uses, or should use. The result is
    cached, because many objects have the same keys. Of many keys, only the first are looked at: whoever may write an
    object could choose thousands that are all similar to known ones.
    """
    warnings: list[ClaimWarning] = []
    for key in sorted(keys)[:_MAX_COMPARED]:
        head, slash, name = key.rpartition("/")
        meant = _find_meant_key(head + slash, name, prefix) if slash else f"{prefix}{key}" if key in _BARE else ""
        if meant:
            allowed = f"the key {meant}"
            warnings.append(ClaimWarning(reason=Reason.IGNORED_ANNOTATION, field=_FIELD, value=key, allowed=allowed))
    return tuple(warnings)


def _find_meant_key(head: str, name: str, prefix: str) -> str:
    """Return the known key that the key *head* + *name* misspells; "" if it is valid, or similar to no known key."""
    if head in {prefix, *BOTH_PREFIXES}:
        meant_head, meant = head, "" if name in KNOWN or name.startswith(_OPEN) else _find_similar_name(name)
    else:
        meant_head = find_similar(head, {prefix, *BOTH_PREFIXES}, _MIN_SIMILAR_PREFIX)
        meant = (name if name in KNOWN else _find_similar_name(name)) if meant_head else ""
    return f"{meant_head}{meant}" if meant else ""


def _find_similar_name(name: str) -> str:
    return find_similar(name, sorted(KNOWN), _MIN_SIMILAR_NAME)
