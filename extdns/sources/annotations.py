"""Read the annotations of one object: choose the prefix, split lists, and read the record options.

See docs/spec/sources.md 2.1-2.4 and docs/design/differences.md.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from extdns.errors import InvalidValueError
from extdns.model import ttl
from extdns.model.claim import ClaimWarning
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, RECORD_TYPE
from extdns.model.value import EMPTY_MAP, StringMap, Value

PREFIX: Final = "external-dns.kubernetes.io/"
OLD_PREFIX: Final = "external-dns.alpha.kubernetes.io/"
BOTH_PREFIXES: Final = (PREFIX, OLD_PREFIX)


def choose_prefixes(flag_value: str | None) -> tuple[str, ...]:
    """Return the annotation prefixes to accept: *flag_value* of `--annotation-prefix`, or both known ones if None."""
    return BOTH_PREFIXES if flag_value is None else (flag_value,)


class Annotations(Value, frozen=True, kw_only=True):
    """The annotations of one object under one prefix.

    Attributes:
        prefix: the prefix in use on this object.
        values: the values of the annotations under that prefix, by key without the prefix.
        warnings: one for each key under an older prefix, which is ignored because the object uses a newer one.
    """

    prefix: str
    values: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    warnings: tuple[ClaimWarning, ...] = ()

    @classmethod
    def read(cls, annotations: Mapping[str, str] | None, accepted: Sequence[str]) -> Annotations:
        """Read *annotations* under the first of the *accepted* prefixes that the object uses."""
        if annotations:
            for at, prefix in enumerate(accepted):
                start = len(prefix)
                values = {key[start:]: value for key, value in annotations.items() if key.startswith(prefix)}
                if values:
                    return cls(
                        prefix=prefix,
                        values=values,
                        warnings=_find_outdated_keys(annotations, prefix, accepted[at + 1 :]),
                    )
        return cls(prefix=accepted[0])

    def get(self, name: str) -> str | None:
        """Return the value of annotation *name*, or None if it is absent."""
        return self.values.get(name)

    def describe_field(self, name: str) -> str:
        """Return the description of annotation *name* for messages."""
        return sys.intern(f"annotation {self.prefix}{name}")

    def build_warning(self, name: str, reason: Reason, allowed: str) -> ClaimWarning:
        """Build the warning about an invalid value of annotation *name*; *allowed* describes the valid ones."""
        return ClaimWarning(reason=reason, field=self.describe_field(name), value=self.values[name], allowed=allowed)

    def get_list(self, name: str) -> tuple[str, ...]:
        """Return the items of the comma-separated annotation *name*, as `split_list` does."""
        return split_list(self.values.get(name))

    def get_choice(self, name: str, *allowed: str) -> tuple[str, tuple[ClaimWarning, ...]]:
        """Return the value of annotation *name* if it is one of *allowed*, else "" and a warning."""
        value = self.values.get(name)
        if value is None or value in allowed:
            return value or "", ()
        return "", (self.build_warning(name, Reason.INVALID_ANNOTATION, " or ".join(allowed)),)


def split_list(text: str | None) -> tuple[str, ...]:
    """Split a comma-separated list. Spaces are removed and empty items dropped (docs/spec/sources.md 11)."""
    return tuple(item for part in text.replace(" ", "").split(",") if (item := part.strip())) if text else ()


def _find_outdated_keys(annotations: Mapping[str, str], prefix: str, older: Sequence[str]) -> tuple[ClaimWarning, ...]:
    heads = tuple(older)
    return tuple(
        ClaimWarning(
            reason=Reason.INVALID_ANNOTATION,
            field=f"annotation {key}",
            value=annotations[key],
            allowed=f"the prefix {prefix}, since the object uses it too",
        )
        for key in sorted(key for key in annotations if key.startswith(heads))
    )


SET_IDENTIFIER: Final = "set-identifier"
TTL: Final = "ttl"

# An annotation with one of these prefixes sets the property of the same name: `aws-weight` sets `aws/weight`.
_PROVIDER_PREFIXES: Final = frozenset({"aws", "scw", "webhook", "coredns"})
_AZURE_TAGS: Final = "azure-tags"
# A key that starts with one of these sets the property with that name, after the annotation prefix in use.
_CLOUDFLARE_KEYS: Final = (
    "cloudflare-custom-hostname",
    "cloudflare-proxied",
    "cloudflare-region-key",
    "cloudflare-record-comment",
    "cloudflare-tags",
)
# The first words of the names of all annotations that set a property.
_PROPERTY_PREFIXES: Final = _PROVIDER_PREFIXES | {
    name.partition("-")[0] for name in (ALIAS, RECORD_TYPE, _AZURE_TAGS, *_CLOUDFLARE_KEYS)
}


class RecordOptions(Value, frozen=True, kw_only=True):
    """The options that annotations set for every record of one object: TTL, set identifier, provider properties.

    Attributes:
        warnings: one for each invalid value, which is ignored.
    """

    ttl_s: int = ttl.UNSET
    set_identifier: str = ""
    properties: StringMap = EMPTY_MAP
    warnings: tuple[ClaimWarning, ...] = ()

    @classmethod
    def read(cls, annotations: Annotations) -> RecordOptions:
        """Read all options. An invalid value is ignored and gives a warning."""
        ttl_s, warnings = _read_ttl(annotations)
        alias = annotations.get(ALIAS)
        if alias not in {None, "true", "false"}:
            warnings += (annotations.build_warning(ALIAS, Reason.INVALID_ANNOTATION, "true"),)
        return cls(
            ttl_s=ttl_s,
            set_identifier=annotations.values.get(SET_IDENTIFIER, ""),
            properties=_read_properties(annotations),
            warnings=annotations.warnings + warnings,
        )

    @classmethod
    def read_ttl_only(cls, annotations: Annotations) -> RecordOptions:
        """Read only the TTL, for sources that support no other option (docs/spec/sources.md 2.6)."""
        ttl_s, warnings = _read_ttl(annotations)
        return cls(ttl_s=ttl_s, warnings=annotations.warnings + warnings)


def _read_ttl(annotations: Annotations) -> tuple[int, tuple[ClaimWarning, ...]]:
    text = annotations.get(TTL)
    if text is None:
        return ttl.UNSET, ()
    try:
        return ttl.parse_ttl(text), ()
    except InvalidValueError as exc:
        return ttl.UNSET, (annotations.build_warning(TTL, Reason.INVALID_TTL, exc.allowed),)


def _read_properties(annotations: Annotations) -> StringMap:
    names = [name for name in annotations.values if name.partition("-")[0] in _PROPERTY_PREFIXES]
    found: dict[str, str] = {}
    for name in sorted(names):  # if two keys set the same Cloudflare property, the exact spelling sorts first and wins
        key, value = _find_property_key(name, annotations.prefix), annotations.values[name]
        if key and (key != ALIAS or value == "true"):
            found.setdefault(key, value)
    return StringMap.from_items(found)


def _find_property_key(name: str, prefix: str) -> str:
    """Return the key of the property that annotation *name* sets, or "" if it sets none."""
    if name in {ALIAS, RECORD_TYPE}:
        return name
    head, dash, rest = name.partition("-")
    if dash and head in _PROVIDER_PREFIXES:
        return f"{head}/{rest}"
    if name == _AZURE_TAGS:
        return "azure/tags"
    return next((prefix + known for known in _CLOUDFLARE_KEYS if name.startswith(known)), "")
