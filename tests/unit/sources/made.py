"""Build templates, and the full objects that they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from extdns.flags.sources import SOURCES
from extdns.gotemplate.template import Template
from extdns.model.kind import KubernetesObject
from extdns.sources.common.claim_builder import Templates

T = TypeVar("T", bound=KubernetesObject)


def keep_all_fields(obj: T) -> T:
    """Return *obj* with its JSON in `metadata.full_object`, as a cluster stores it if templates are used."""
    metadata = msgspec.structs.replace(obj.metadata, full_object=msgspec.json.encode(obj))
    return msgspec.structs.replace(obj, metadata=metadata)


def templates(
    fqdn: Sequence[str] = (), pairs: Sequence[str] = (), *, target: Sequence[str] = (), combine: bool = False
) -> Templates:
    """Build the templates for these flag values."""
    return Templates(
        fqdn=Template.parse("--fqdn-template", fqdn, SOURCES),
        fqdn_target=Template.parse("--fqdn-target-template", pairs, SOURCES),
        target=Template.parse("--target-template", target, SOURCES),
        combine=combine,
    )
