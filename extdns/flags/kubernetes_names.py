"""Kinds of value that name objects of Kubernetes (Kubernetes, "Object Names and IDs")."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from extdns.flags.kind import ValueKind, make_text_kind, restrict


def _make_name_kind(noun: str, pattern: str, allowed: str) -> ValueKind[str]:
    """Make a kind that allows only texts that match *pattern* as a whole."""

    def suggest(text: str) -> str:
        meant = text.strip().lower()
        return meant if re.fullmatch(pattern, meant) else ""

    kind = replace(make_text_kind("NAME"), noun=noun, allowed=allowed, suggest=suggest, pattern=pattern)
    return restrict(kind, re.compile(pattern).fullmatch)


NAMESPACE: Final = _make_name_kind(
    "a namespace",
    "(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?",
    "the name of one namespace, or nothing for all of them",
)
OWN_NAMESPACE: Final = replace(NAMESPACE, allowed="the name of a namespace, or nothing for the pod's own")
LEASE: Final = _make_name_kind(
    "the name of a Lease", "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", "lower-case letters, digits, - and ."
)
