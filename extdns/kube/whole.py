"""Keeps objects whole, for templates may ask for any of their fields (spec sources 0.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from extdns.kube.manifests.contents import Flaw, Found
from extdns.kube.manifests.plain import Unusable

_BOOKKEEPING: Final = ("managedFields", "resourceVersion", "generation")
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def kept_whole(found: Found, content: bytes | Mapping[str, Any]) -> Found | Flaw:
    """*found* with all of its *content*, JSON or what YAML says, but what only keeps books. Never raises."""
    try:
        tree = msgspec.json.decode(content) if isinstance(content, bytes) else content
        _ensure_usable(tree, "")
        whole = msgspec.json.encode(_without_books(tree), order="deterministic")
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError) as error:
        return Flaw(line=found.line, key=found.key, message=f"not readable whole, as templates need it: {error}")
    msgspec.structs.force_setattr(found.obj.metadata, "whole", whole)
    return found


def _ensure_usable(value: object, path: str) -> None:
    match value:
        case dict():
            for key, one in value.items():
                _ensure_usable(one, f"{path}.{key}" if path else key)
        case list():
            for at, one in enumerate(value):
                _ensure_usable(one, f"{path}[{at}]")
        case Unusable():
            raise ValueError(f"{path} {value.why}; allowed: {value.allowed}")
        case _:
            pass


def _without_books(tree: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in tree["metadata"].items() if key not in _BOOKKEEPING}
    if annotations := metadata.get("annotations"):
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != _APPLIED}
    kept = {**tree, "metadata": metadata}
    if isinstance(status := tree.get("status"), Mapping):
        kept["status"] = {key: value for key, value in status.items() if key != "conditions"}
    return kept
