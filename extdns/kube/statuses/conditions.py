"""How an object stands, in the words of its `status` (Kubernetes API conventions, "Typical status properties")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from extdns.errors import shown
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from extdns.model.standing import Shortfall, Standing

Json = dict[str, Any]

_ACCEPTED: Final = "accepted"
_VALID: Final = "All endpoints are valid."
_PUBLISHED: Final = "All records are in their zones as they are written here."
_NONE: Final = "There are no endpoints."
_FIELD: Final = re.compile(r"spec\.endpoints\[(\d+)\]")
_NAMED: Final = 3
_MOST_ENDPOINTS: Final = 100
_LONGEST: Final = 300


class _Lean(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class _Metadata(_Lean, frozen=True, kw_only=True):
    uid: str = ""
    resource_version: str = ""
    generation: int = 0


class _Endpoint(_Lean, frozen=True, kw_only=True):
    dns_name: str = msgspec.field(default="", name="dnsName")
    record_type: str = ""
    set_identifier: str = ""


class _Spec(_Lean, frozen=True, kw_only=True):
    endpoints: tuple[_Endpoint | None, ...] | None = None


class Found(_Lean, frozen=True, kw_only=True):
    """The object as it is: what it asks for, and the status that it has."""

    metadata: _Metadata
    spec: _Spec = _Spec()
    status: Json | None = None


def status_of(standing: Standing, found: Found, now: str) -> Json:
    """The status that *found*, of the same generation, ought to have.

    Args:
        standing: what became of it.
        found: gives its endpoints their names, and the conditions that stay the time since when they hold.
        now: since when all other conditions hold, in RFC 3339.
    """
    wrong = [short for short in standing.short if not short.valid]
    missing = [short for short in standing.short if not short.published]
    accepted, published = (_VALID, _PUBLISHED) if standing.endpoints else (_NONE, _NONE)
    since = _since(found.status)
    conditions = [
        _condition("Accepted", wrong, standing, _ACCEPTED, accepted),
        _condition("Programmed", missing, standing, Reason.PROGRAMMED, published),
        _condition(
            "Ready", (*missing, *(one for one in wrong if one.published)), standing, Reason.PROGRAMMED, published
        ),
    ]
    for one in conditions:
        one["lastTransitionTime"] = since.get((one["type"], one["status"]), now)
    status: Json = {"observedGeneration": standing.generation, "conditions": conditions}
    if standing.short:
        status["endpoints"] = [_endpoint(short, found) for short in standing.short[:_MOST_ENDPOINTS]]
    return status


def narrow(status: Json) -> Json:
    """What also fits the schema that external-dns has."""
    return {"observedGeneration": status["observedGeneration"]}


def stands(status: Json, found: Found) -> bool:
    """Whether *found* says just *status*, whatever conditions of other types it has."""
    before = found.status or {}
    said: object = before.get("conditions")
    others = cast("list[object]", said) if isinstance(said, list) else []
    return (
        all(one in others for one in status.get("conditions", ()))
        and before.get("observedGeneration") == status["observedGeneration"]
        and before.get("endpoints") == status.get("endpoints")
    )


def _condition(name: str, short: Sequence[Shortfall], standing: Standing, reason: str, message: str) -> Json:
    if short:
        reason = short[0].reason.value
        more = f"; and {len(short) - _NAMED} more" if len(short) > _NAMED else ""
        told = "; ".join(_text(one) for one in short[:_NAMED])
        message = f"{len(short)} of {standing.endpoints} endpoints: {told}{more}"
    return {
        "type": name,
        "status": "False" if short else "True",
        "reason": str(reason),
        "message": message,
        "observedGeneration": standing.generation,
    }


def _text(short: Shortfall) -> str:
    where = " ".join(part for part in (short.field, short.name) if part)
    return f"{shown(where)}: {_message(short)} [{short.reason}]"


def _message(short: Shortfall) -> str:
    detail = f" {shown(short.detail, _LONGEST)}" if short.detail else ""
    return f"{MEANINGS[short.reason]}{detail}"


def _endpoint(short: Shortfall, found: Found) -> Json:
    """An endpoint as it is written, and what is wrong with it."""
    written = _written(short.field, found)
    told = {
        "dnsName": written.dns_name or short.name,
        "recordType": written.record_type,
        "setIdentifier": written.set_identifier,
        "reason": short.reason.value,
        "message": _message(short),
    }
    return {key: value for key, value in told.items() if value or key == "dnsName"}


def _written(field: str, found: Found) -> _Endpoint:
    at, endpoints = _FIELD.match(field), found.spec.endpoints or ()
    index = int(at[1]) if at else len(endpoints)
    return (endpoints[index] if index < len(endpoints) else None) or _Endpoint()


def _since(status: Json | None) -> dict[tuple[str, str], str]:
    """Since when each condition has the status that it has; what others wrote may be of any shape."""
    conditions = (status or {}).get("conditions")
    if not isinstance(conditions, list):
        return {}
    return {
        (str(one.get("type")), str(one.get("status"))): str(one["lastTransitionTime"])
        for one in cast("list[object]", conditions)
        if isinstance(one, dict) and one.get("lastTransitionTime")
    }
