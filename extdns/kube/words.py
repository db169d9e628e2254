"""Words that many objects have in common, held once."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

from extdns.model.lean import ObjectMeta
from extdns.model.objects import KubernetesObject, Service, ServiceSpec

_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""A copy of the object that no source reads, often larger than all that they do."""

_set: Final = msgspec.structs.force_setattr


def share_words(obj: KubernetesObject) -> None:
    """Let *obj*, which nobody has seen yet, share the words that repeat, and drop what nobody reads."""
    metadata: ObjectMeta = obj.metadata
    _set(metadata, "namespace", sys.intern(metadata.namespace))
    for words in ("labels", "annotations"):
        _share_keys(metadata, words, metadata.name)
    if isinstance(obj, Service):
        _share_terms(obj.spec, metadata.name)


def _share_terms(spec: ServiceSpec, name: str) -> None:
    """There are more Services than anything else, and they all say `LoadBalancer`, `Cluster` and `TCP`."""
    _set(spec, "type", sys.intern(spec.type))
    _set(spec, "external_traffic_policy", sys.intern(spec.external_traffic_policy))
    for port in spec.ports or ():
        _set(port, "protocol", sys.intern(port.protocol))
    _share_keys(spec, "selector", name)


def _share_keys(holder: ObjectMeta | ServiceSpec, field: str, name: str) -> None:
    """Of values only those are shared that say the object's own *name*, as labels often do.

    Others repeat less, and remembering them would cost more than it saves.
    """
    words: dict[str, str] | None = getattr(holder, field)
    if words:
        shared = {sys.intern(word): name if said == name else said for word, said in words.items() if word != _APPLIED}
        _set(holder, field, shared)
