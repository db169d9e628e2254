"""The fingerprint of the settings that decide what is wanted (design 6, "State")."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.config import Config

READING: Final = 1
"""Raise it when a new version reads less, or something else, from the same objects: records that nobody
asks for any more are held then, until a person has seen them."""

_DIGEST_BYTES: Final = 8
_REGISTRY: Final = ("name", "txt_prefix", "txt_suffix", "txt_wildcard_replacement", "migrate_from_txt_owner")
_CONTROL: Final = ("policy", "compat")


def fingerprint(config: Config) -> str:
    """16 hexadecimal digits that stand for which objects are read, how, and what of them is managed.

    How the cluster is reached, and how often, makes no difference; neither does the order of arguments.
    """
    return hashlib.blake2b(repr((READING, sorted(_arguments(config)))).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _arguments(config: Config) -> Iterator[str]:
    """Only what is not as by default, so that a flag that comes with a new version changes nothing."""
    chosen = (
        (config.sources, config.sources.flags()),
        (config.plan, config.plan.flags()),
        (config.cluster, ("namespace",)),
        (config.registry, _REGISTRY),
        (config.control, _CONTROL),
    )
    for section, names in chosen:
        flags = section.flags()
        for name in names:
            flag, value = flags[name], getattr(section, name)
            if value != flag.default:
                yield from flag.arguments(value)
