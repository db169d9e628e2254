"""Words that many objects have in common, held once."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

from extdns.model.lean import ObjectMeta

_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""A copy of the object that no source reads, often larger than all that they do."""


def share_words(metadata: ObjectMeta) -> None:
    """Let *metadata*, which nobody has seen yet, share the words that repeat, and drop what nobody reads.

    Of values only those are shared that say the object's own name, as its labels often do: others repeat less,
    and remembering them would cost more than it saves.
    """
    force, name = msgspec.structs.force_setattr, metadata.name
    force(metadata, "namespace", sys.intern(metadata.namespace))
    for field in ("labels", "annotations"):
        words: dict[str, str] | None = getattr(metadata, field)
        if words:
            shared = {
                sys.intern(word): name if said == name else said for word, said in words.items() if word != _APPLIED
            }
            force(metadata, field, shared)
