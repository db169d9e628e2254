"""Apply JSON merge patches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def apply_merge_patch(target: Any, patch: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *target* with the JSON merge patch *patch* (RFC 7386). *target* is not changed.

    Nulls are removed from objects in lists, too, as by the library that Kubernetes uses.
    """
    if isinstance(patch, list):
        return [apply_merge_patch(None, item) for item in patch]
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply_merge_patch(merged.get(key), value)
    return merged
