"""What annotations say about every record of an object: TTL, set identifier, properties (spec sources 2.3-2.4)."""

from __future__ import annotations

from typing import Final

from extdns.errors import InvalidValueError
from extdns.model import pairs, ttl
from extdns.model.claim import Notice
from extdns.model.finishing import RECORD_TYPE
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import ALIAS
from extdns.model.value import Value
from extdns.sources.annotations import Annotations

SET_IDENTIFIER: Final = "set-identifier"
TTL: Final = "ttl"

# `aws-weight` becomes `aws/weight`, and so on, whatever the rest is.
_NAMESPACES: Final = frozenset({"aws", "scw", "webhook", "coredns"})
_AZURE_TAGS: Final = "azure-tags"
# Longer keys count as the first of these they start with; the property bears the prefix in use.
_CLOUDFLARE: Final = (
    "cloudflare-custom-hostname",
    "cloudflare-proxied",
    "cloudflare-region-key",
    "cloudflare-record-comment",
    "cloudflare-tags",
)
# What the names of annotations begin with that set a property.
_HEADS: Final = _NAMESPACES | {name.partition("-")[0] for name in (ALIAS, RECORD_TYPE, _AZURE_TAGS, *_CLOUDFLARE)}


class Terms(Value, frozen=True, kw_only=True):
    """What all endpoints of one object have in common.

    Attributes:
        notices: on values that mean nothing and are taken as absent.
    """

    ttl_s: int = ttl.UNSET
    set_identifier: str = ""
    properties: Pairs = pairs.NONE
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, notes: Annotations) -> Terms:
        """Read them; never fails."""
        ttl_s, notices = _ttl(notes)
        alias = notes.get(ALIAS)
        if alias not in {None, "true", "false"}:
            notices += (notes.notice(ALIAS, Reason.INVALID_ANNOTATION, "true"),)
        return cls(
            ttl_s=ttl_s,
            set_identifier=notes.values.get(SET_IDENTIFIER, ""),
            properties=_properties(notes),
            notices=notes.notices + notices,
        )

    @classmethod
    def ttl_alone(cls, notes: Annotations) -> Terms:
        """Read the TTL, for sources that know nothing else (spec sources 2.6); never fails."""
        ttl_s, notices = _ttl(notes)
        return cls(ttl_s=ttl_s, notices=notes.notices + notices)


def _ttl(notes: Annotations) -> tuple[int, tuple[Notice, ...]]:
    text = notes.get(TTL)
    if text is None:
        return ttl.UNSET, ()
    try:
        return ttl.parse_ttl(text), ()
    except InvalidValueError as exc:
        return ttl.UNSET, (notes.notice(TTL, Reason.INVALID_TTL, exc.allowed),)


def _properties(notes: Annotations) -> Pairs:
    names = [name for name in notes.values if name.partition("-")[0] in _HEADS]
    found: dict[str, str] = {}
    for name in sorted(names):  # so that of two spellings of one Cloudflare property the exact one wins
        key, value = _property(name, notes.prefix), notes.values[name]
        if key and (key != ALIAS or value == "true"):
            found.setdefault(key, value)
    return Pairs.of(found)


def _property(name: str, prefix: str) -> str:
    """The property that annotation *name* sets, "" if it sets none."""
    if name in {ALIAS, RECORD_TYPE}:
        return name
    head, dash, rest = name.partition("-")
    if dash and head in _NAMESPACES:
        return f"{head}/{rest}"
    if name == _AZURE_TAGS:
        return "azure/tags"
    return next((prefix + known for known in _CLOUDFLARE if name.startswith(known)), "")
