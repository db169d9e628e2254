"""What objects have in common is held once, and what nobody reads not at all."""

from __future__ import annotations

from typing import Final

import msgspec

from extdns.kube.words import share_words
from extdns.model.lean import ObjectMeta

_TEXT: Final = b"""{"name": "web", "namespace": "shop",
    "labels": {"a-label-that-is-too-long-to-be-kept-by-the-decoder": "web"},
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "w"}}"""


def metadata() -> ObjectMeta:
    """As decoded, so that no two texts are one object."""
    return msgspec.json.decode(_TEXT, type=ObjectMeta)


def test_keys_namespaces_and_repeated_names_are_held_once() -> None:
    one, other = metadata(), metadata()
    share_words(one)
    share_words(other)
    assert one.namespace is other.namespace
    assert one.labels is not None
    assert other.labels is not None
    assert next(iter(one.labels)) is next(iter(other.labels))
    assert next(iter(one.labels.values())) is one.name


def test_nothing_is_lost_but_what_kubectl_keeps_for_itself() -> None:
    shared = metadata()
    share_words(shared)
    assert shared.namespace == "shop"
    assert shared.labels == metadata().labels
    assert shared.annotations == {"note": "w"}
