"""Which DNS records Cloudflare's API accepts, and how it returns them (API reference, "DNS Records for a Zone")."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tests.fakes.service.answers import ApiError

Json = dict[str, Any]
AUTOMATIC_TTL: Final = 1
_TTLS: Final = range(60, 86_401)
# With hyphens anywhere in a label, as the API allows.
_HOST: Final = re.compile(r"(?=.{1,254}$)([A-Za-z0-9_-]{1,63}\.)+[A-Za-z0-9-]{1,63}\.?")
_NAME: Final = re.compile(r"(?=.{1,254}$)([a-z0-9_*-]{1,63}\.)*[a-z0-9-]{1,63}")
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.){0,255}"(?: "(?:[^"\\]|\\.){0,255}")*')
_FIELDS: Final = frozenset({"name", "type", "content", "ttl", "proxied", "priority", "data", "comment", "tags"})
_PROXIABLE: Final = frozenset({"A", "AAAA", "CNAME"})
_PRIVATE: Final = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "fc00::/7"))
)
_DATA: Final[Mapping[str, frozenset[str]]] = {
    "SRV": frozenset({"priority", "weight", "port", "target"}),
    "NAPTR": frozenset({"order", "preference", "flags", "service", "regex", "replacement"}),
    "CAA": frozenset({"flags", "tag", "value"}),
}
"""The fields of the records that are not one text. Those of SRV may also name service, protocol and host."""
_OLD_SRV: Final = frozenset({"service", "proto", "name"})


def refuse(code: int, message: str, *, status: int = 400) -> ApiError:
    return ApiError(status, str(code), message)


def restate(record: Json) -> Json:
    """Return the request that describes *record*, which the API returned."""
    return {key: value for key, value in record.items() if key in _FIELDS}


def build_record(body: Json, zone_name: str, plan: str = "free") -> Json:
    """Return the record that the request *body* describes, as the API returns it without its id. *plan*: the zone's."""
    if unknown := body.keys() - _FIELDS:
        raise refuse(9207, f"Request body is invalid: unknown {sorted(unknown)}.")
    name, rtype = str(body.get("name", "")), str(body.get("type", ""))
    if not _NAME.fullmatch(name) or not (name == zone_name or name.endswith(f".{zone_name}")):
        raise refuse(9000, f"DNS name {name!r} is invalid.")
    _check_ttl(body.get("ttl"))
    if body.get("proxied") and rtype not in _PROXIABLE:
        raise refuse(9004, "This record type cannot be proxied.")
    _check_remarks(body, plan)
    proxiable = rtype in _PROXIABLE and not _is_private(rtype, str(body.get("content", "")))
    if body.get("proxied") and not proxiable:
        raise refuse(9003, "The target is not allowed for a proxied record.")
    made: Json = {
        "name": name,
        "type": rtype,
        "ttl": AUTOMATIC_TTL if body.get("proxied") else body["ttl"],
        "proxied": bool(body.get("proxied", False)),
        "proxiable": proxiable,
        "comment": body.get("comment") or None,
        "tags": list(body.get("tags") or ()),
        "settings": {},
        "meta": {},
    }
    return made | _build_content(rtype, body)


def _check_remarks(body: Json, plan: str) -> None:
    comment, tags = body.get("comment") or "", body.get("tags") or []
    if len(comment) > (100 if plan == "free" else 500) or "\n" in comment:
        raise refuse(9313, "The comment is too long or has several lines.")
    if len(tags) > (0 if plan == "free" else 20):
        raise refuse(9300, "The tag quota of this zone is exceeded.")


def _is_private(rtype: str, content: str) -> bool:
    address = {"A": _normalize_ipv4, "AAAA": _normalize_ipv6}.get(rtype, lambda _: None)(content)
    return address is not None and any(ipaddress.ip_address(address) in network for network in _PRIVATE)


def _check_ttl(ttl: object) -> None:
    if not isinstance(ttl, int) or (ttl != AUTOMATIC_TTL and ttl not in _TTLS):
        raise refuse(9021, "TTL must be between 60 and 86400 seconds, or 1 for Automatic.")


def _build_content(rtype: str, body: Json) -> Json:
    if rtype in _DATA:
        return _build_data(rtype, body)
    normalize = _CONTENTS.get(rtype)
    if normalize is None:
        raise refuse(9034, f"DNS record type {rtype!r} is not supported.")
    content = normalize(str(body.get("content", "")))
    if content is None:
        raise refuse(9005, f"Content for {rtype} record is invalid: {body.get('content')!r}.")
    if rtype != "MX":
        return {"content": content}
    priority = body.get("priority")
    if not isinstance(priority, int) or priority not in range(65_536):
        raise refuse(9101, "priority is a required field for this type.")
    return {"content": content, "priority": priority}


def _build_data(rtype: str, body: Json) -> Json:
    data = dict(body.get("data") or {})
    for old in _OLD_SRV if rtype == "SRV" else ():
        data.pop(old, None)
    if data.keys() != _DATA[rtype]:
        raise refuse(9102, f"data of {rtype} needs {sorted(_DATA[rtype])}, not {sorted(data)}.")
    for field in ("target", "replacement"):
        if field in data and data[field] != ".":
            host = _normalize_host(str(data[field]))
            if host is None:
                raise refuse(9101, f"{field} is not a host name.")
            data[field] = host if field == "target" else f"{host}."
    content = " ".join(str(data[key]) for key in sorted(data))
    return {"content": content, "data": data}


def _normalize_host(text: str) -> str | None:
    return text.removesuffix(".").lower() if _HOST.fullmatch(text) else None


def _normalize_ipv4(text: str) -> str | None:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        return None


def _normalize_ipv6(text: str) -> str | None:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        return None


def _normalize_text(text: str) -> str | None:
    return text if _TEXT.fullmatch(text) else None


_CONTENTS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "A": _normalize_ipv4,
    "AAAA": _normalize_ipv6,
    "CNAME": _normalize_host,
    "MX": _normalize_host,
    "NS": _normalize_host,
    "PTR": _normalize_host,
    "TXT": _normalize_text,
}


def group_values(records: Iterable[Json]) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], list[str]] = {}
    for one in records:
        found.setdefault((one["name"], one["type"]), []).append(one["content"])
    return {key: tuple(sorted(contents)) for key, contents in found.items()}


def check_coexistence(made: Json, others: Iterable[Json], zone_name: str) -> None:
    """Raise `ApiError` if *made* cannot be beside *others*, the records of its zone."""
    at_name = [other for other in others if other["name"] == made["name"]]
    for other in at_name:
        same = (other["type"], other["content"]) == (made["type"], made["content"])
        if same and other.get("priority") == made.get("priority"):
            raise refuse(81058, "An identical record already exists.")
    if made["name"] == zone_name:
        return  # a CNAME there is flattened
    if made["type"] == "CNAME" and at_name:
        raise refuse(81053, "An A, AAAA, or CNAME record with that host already exists.")
    if made["type"] in _PROXIABLE and any(other["type"] == "NS" for other in at_name):
        raise refuse(81056, "An NS record with that host already exists.")
    if any(other["type"] == "CNAME" for other in at_name):
        raise refuse(81054, "A CNAME record with that host already exists.")
