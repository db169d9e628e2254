"""Templates, and objects as a cluster keeps them for these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from extdns.flags.sources import SOURCES
from extdns.model.objects import KubernetesObject
from extdns.sources.gotemplate.template import Template
from extdns.sources.templates import Templates

T = TypeVar("T", bound=KubernetesObject)


def whole(obj: T) -> T:
    """*obj* as a cluster keeps it for templates."""
    kept = msgspec.structs.replace(obj.metadata, whole=msgspec.json.encode(obj))
    return msgspec.structs.replace(obj, metadata=kept)


def templates(
    fqdn: Sequence[str] = (), pairs: Sequence[str] = (), *, target: Sequence[str] = (), combine: bool = False
) -> Templates:
    """The templates that the flags with these values make."""
    return Templates(
        fqdn=Template.read("--fqdn-template", fqdn, SOURCES),
        fqdn_target=Template.read("--fqdn-target-template", pairs, SOURCES),
        target=Template.read("--target-template", target, SOURCES),
        combine=combine,
    )
