"""Annotations of ours on an object: which prefix counts, and how lists are written (spec sources 2.1-2.2, design 5)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from extdns.model.claim import Notice
from extdns.model.reason import Reason
from extdns.model.value import Value

PREFIX: Final = "external-dns.kubernetes.io/"
OLD_PREFIX: Final = "external-dns.alpha.kubernetes.io/"
BOTH: Final = (PREFIX, OLD_PREFIX)


def prefixes(given: str | None) -> tuple[str, ...]:
    """The prefixes that `--annotation-prefix` stands for; both known ones when it is not *given*."""
    return BOTH if given is None else (given,)


class Annotations(Value, frozen=True, kw_only=True):
    """What an object says to us.

    Attributes:
        prefix: the one prefix that counts on this object.
        values: its annotations under that prefix, by the rest of their keys.
        notices: keys under an older prefix, which count for nothing beside the newer one.
    """

    prefix: str
    values: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, annotations: Mapping[str, str] | None, accepted: Sequence[str]) -> Annotations:
        """Read *annotations* by the first of the *accepted* prefixes that any of them carries."""
        if annotations:
            for at, prefix in enumerate(accepted):
                start = len(prefix)
                values = {key[start:]: value for key, value in annotations.items() if key.startswith(prefix)}
                if values:
                    return cls(prefix=prefix, values=values, notices=_outdated(annotations, prefix, accepted[at + 1 :]))
        return cls(prefix=accepted[0])

    def get(self, name: str) -> str | None:
        """The value of annotation *name*, None if it is absent."""
        return self.values.get(name)

    def field(self, name: str) -> str:
        """How messages name annotation *name*."""
        return sys.intern(f"annotation {self.prefix}{name}")

    def notice(self, name: str, reason: Reason, allowed: str) -> Notice:
        """Say that annotation *name* has a value that is not *allowed*."""
        return Notice(reason=reason, field=self.field(name), value=self.values[name], allowed=allowed)

    def listed(self, name: str) -> tuple[str, ...]:
        """The items of the comma-separated list *name*: no blanks, and no empty ones (deviation 1)."""
        return items(self.values.get(name))

    def chosen(self, name: str, *allowed: str) -> tuple[str, tuple[Notice, ...]]:
        """The value of *name* if it is one of those *allowed*, else "", with what to say about it."""
        value = self.values.get(name)
        if value is None or value in allowed:
            return value or "", ()
        return "", (self.notice(name, Reason.INVALID_ANNOTATION, " or ".join(allowed)),)


def items(text: str | None) -> tuple[str, ...]:
    """The items of a comma-separated list: no blanks, and no empty ones (deviation 1)."""
    return tuple(item for part in text.replace(" ", "").split(",") if (item := part.strip())) if text else ()


def _outdated(annotations: Mapping[str, str], prefix: str, older: Sequence[str]) -> tuple[Notice, ...]:
    heads = tuple(older)
    return tuple(
        Notice(
            reason=Reason.INVALID_ANNOTATION,
            field=f"annotation {key}",
            value=annotations[key],
            allowed=f"the prefix {prefix}, since the object uses it too",
        )
        for key in sorted(key for key in annotations if key.startswith(heads))
    )
