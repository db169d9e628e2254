"""One Event as the API server takes it (events.k8s.io/v1; spec sources 10.4)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from extdns.model.cluster import Kind, ObjectRef

if TYPE_CHECKING:
    from extdns.kube.events.notes import Note

EVENTS: Final = Kind("events.k8s.io", "v1", "Event", "events")

_CONTROLLER: Final = "external-dns"
_LONGEST_NOTE: Final = 1024
_LONGEST_NAME: Final = 253
_UNSAFE: Final = re.compile(r"[^a-z0-9.-]")


def event(note: Note, ref: ObjectRef, now: datetime) -> dict[str, Any]:
    """*note* about *ref*, in its namespace; about an object without one, in `default`."""
    kind, namespace, name = ref.key
    regarding = {"apiVersion": kind.api_version, "kind": kind.name, "name": str(name), "namespace": str(namespace)}
    if ref.uid:
        regarding["uid"] = ref.uid
    return {
        "apiVersion": EVENTS.api_version,
        "kind": EVENTS.name,
        "metadata": {"name": _name(name, now), "namespace": str(namespace) or "default"},
        "eventTime": micro(now),
        "reportingController": _CONTROLLER,
        "reportingInstance": f"{_CONTROLLER}/source/{note.source}",
        "action": note.action,
        "reason": note.reason,
        "type": "Warning" if note.warns else "Normal",
        "regarding": regarding,
        "note": _cut(note.text),
    }


def _cut(text: str) -> str:
    """*text* as far as an Event takes it, which counts bytes."""
    body = text.encode(errors="replace")
    return text if len(body) <= _LONGEST_NOTE else f"{body[: _LONGEST_NOTE - 3].decode(errors='ignore')}..."


def _name(name: str, now: datetime) -> str:
    """As the reference names them: the object, and the time in nanoseconds."""
    suffix = f".{int(now.timestamp() * 1_000_000) * 1000:x}"
    cleaned = _UNSAFE.sub("-", name.lower())
    cleaned = cleaned if cleaned[:1].isalnum() else f"a{cleaned}"
    cleaned = cleaned[: _LONGEST_NAME - len(suffix) - 1]
    return f"{cleaned if cleaned[-1].isalnum() else f'{cleaned}z'}{suffix}"


def micro(now: datetime) -> str:
    """*now* as Events write times."""
    return f"{now:%Y-%m-%dT%H:%M:%S.%fZ}"
